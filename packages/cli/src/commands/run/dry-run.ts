/** `thv run --dry-run`: what would happen, with nothing done. */
import type { ApiClient } from "@toolhive/api/client";
import type { RunPlan } from "@toolhive/core";
import type { CommandContext } from "../../command.ts";
import { askSupervisor } from "../../supervisor/control.ts";
import { formatFileChanges } from "../../terminal/file-changes.ts";
import { withUnlocked } from "../secret/unlock.ts";
import { formatPlanRows, listPlanRows } from "./plan-rows.ts";
import type { RequestBody } from "./request-body.ts";

const IMAGE_FROM: Readonly<Record<RunPlan["imageFrom"], string>> = {
  engine: "is here",
  pull: "would be pulled",
  refresh: "is here, and would be pulled again",
  build: "would be built",
};

export async function showPlan(client: ApiClient, body: RequestBody, context: CommandContext): Promise<void> {
  const { terminal } = context;
  const { plan, files } = await withUnlocked(client, context, () => askSupervisor(client, "plan-run", body));
  const image = `${plan.image} (${IMAGE_FROM[plan.imageFrom]})`;
  terminal.print(formatPlanRows([["Name", plan.name], ["Image", image], ...listPlanRows(plan)]));
  if (files.length > 0) terminal.print(`\n${formatFileChanges(files, terminal)}`);
  for (const warning of plan.warnings) terminal.note(`Warning: ${warning}`);
  terminal.note("Nothing was done. Leave --dry-run out to do it.");
}
