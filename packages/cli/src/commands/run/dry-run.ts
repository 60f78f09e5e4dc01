/** `thv run --dry-run`: what would happen, with nothing done. */
import type { ApiClient } from "@toolhive/api/client";
import type { RunPlan } from "@toolhive/core";
import type { CommandContext } from "../../command.ts";
import { askSupervisor } from "../../supervisor/control.ts";
import { formatFileChanges } from "../../terminal/file-changes.ts";
import { withUnlocked } from "../secret/unlock.ts";
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
  terminal.print(describePlan(plan).join("\n"));
  if (files.length > 0) terminal.print(`\n${formatFileChanges(files, terminal)}`);
  terminal.note("Nothing was done. Leave --dry-run out to do it.");
}

function describePlan(plan: RunPlan): string[] {
  const { permissions } = plan;
  const mounts = [
    ...(permissions?.read ?? []).map((mount) => `${mount} (read)`),
    ...(permissions?.write ?? []).map((mount) => `${mount} (write)`),
  ];
  const rows: (readonly [string, string])[] = [
    ["Name", plan.name],
    ["Image", `${plan.image} (${IMAGE_FROM[plan.imageFrom]})`],
    ["Package", plan.package ?? ""],
    ["Arguments", plan.arguments.join(" ")],
    ["Transport", plan.transport],
    ["Address", plan.isPortChosen ? plan.url : plan.url.replace(":0/", ":PORT/")],
    ["Variables", plan.variables.join(", ")],
    ["Secrets", plan.secrets.map((reference) => reference.replace(",target=", " as ")).join(", ")],
    [
      "Labels",
      Object.entries(plan.labels)
        .map((label) => label.join("="))
        .join(", "),
    ],
    ["Mounts", mounts.join(", ") || "none"],
    ["Network", describeNetwork(permissions)],
  ];
  const shown = rows.filter(([, value]) => value !== "");
  return shown.map(([title, value]) => `${`${title}:`.padEnd(12)}${value.replace(/\p{Cc}+/gu, " ")}`);
}

function describeNetwork(permissions: RunPlan["permissions"]): string {
  const outbound = permissions?.network?.outbound;
  if (!outbound || outbound.insecure_allow_all) return "any";
  const hosts = outbound.allow_host?.join(", ") || "no host";
  const ports = outbound.allow_port?.join(", ");
  return `${hosts}${ports ? `, ports ${ports}` : ""} (as its profile says)`;
}
