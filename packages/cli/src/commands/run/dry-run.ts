/** `thv run --dry-run`: what would happen, with nothing done. */
import type { ApiClient } from "@toolhive/api/client";
import type { ClientFileChange, RunPlan } from "@toolhive/core";
import type { CommandContext } from "../../command-line/command.ts";
import { describeFileChanges, formatFileChanges } from "../../terminal/file-changes.ts";
import { printOutcome } from "../print-outcome.ts";
import { formatPlanRows, listPlanRows } from "../shared/plan-rows.ts";
import { withUnlocked } from "../shared/unlock.ts";
import type { RunInput } from "./definition.ts";
import type { RequestBody } from "./request-body.ts";

const IMAGE_FROM: Readonly<Record<RunPlan["image_from"], string>> = {
  engine: "is here",
  pull: "would be pulled",
  refresh: "is here, and would be pulled again",
  build: "would be built",
  remote: "runs elsewhere",
};

/** A port that is chosen at the start is 0 in the plan, which is no address for anybody. */
function withoutPort(change: ClientFileChange): ClientFileChange {
  const { before, after } = change;
  return before === after || after === undefined
    ? change
    : { ...change, after: after.replace(/(\bhttp:\/\/[^\s"/:]+):0\//g, "$1:PORT/") };
}

export async function showPlan(
  client: ApiClient,
  body: RequestBody,
  input: RunInput,
  context: CommandContext,
): Promise<void> {
  const { terminal } = context;
  const { plan, files } = await withUnlocked(client, context, () => client.call("planWorkload", { body }));
  const image = `${plan.image} (${IMAGE_FROM[plan.image_from]})`;
  const rows = formatPlanRows([
    ["Name", plan.name],
    [plan.image_from === "remote" ? "Server" : "Image", image],
    ...listPlanRows(plan),
  ]);
  const changes = files.length > 0 ? `\n\n${formatFileChanges(files.map(withoutPort), terminal)}` : "";
  printOutcome(input, context, { run: plan, files: describeFileChanges(files) }, `${rows}${changes}`);
  for (const warning of plan.warnings) terminal.info(`Warning: ${warning}`);
  terminal.info("Nothing was done. Leave --dry-run out to do it.");
}
