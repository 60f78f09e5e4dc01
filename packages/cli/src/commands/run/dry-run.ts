/** `thv run --dry-run`: what would happen, with nothing done. */
import type { ApiClient } from "@toolhive/api/client";
import type { RunPlan } from "@toolhive/core";
import type { CommandContext } from "../../command.ts";
import { askSupervisor } from "../../supervisor/control.ts";
import { formatFileChanges } from "../../terminal/file-changes.ts";
import { showLine } from "../../terminal/shown-text.ts";
import { withUnlocked } from "../secret/unlock.ts";
import type { RequestBody } from "./request-body.ts";

const IMAGE_FROM: Readonly<Record<RunPlan["imageFrom"], string>> = {
  engine: "is here",
  pull: "would be pulled",
  refresh: "is here, and would be pulled again",
  build: "would be built",
};

const MIB = 1024 * 1024;

export async function showPlan(client: ApiClient, body: RequestBody, context: CommandContext): Promise<void> {
  const { terminal } = context;
  const { plan, files } = await withUnlocked(client, context, () => askSupervisor(client, "plan-run", body));
  terminal.print(describePlan(plan).join("\n"));
  if (files.length > 0) terminal.print(`\n${formatFileChanges(files, terminal)}`);
  for (const warning of plan.warnings) terminal.note(`Warning: ${warning}`);
  terminal.note("Nothing was done. Leave --dry-run out to do it.");
}

function describePlan(plan: RunPlan): string[] {
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
    ["Mounts", plan.mounts.map(describeMount).join(", ") || "none"],
    ["Network", describeNetwork(plan.network)],
    ["Limits", describeLimits(plan.limits)],
    ["Read-only", plan.isReadOnly ? "yes, but for /tmp" : "no"],
    ["Token", plan.tokensFrom === undefined ? "callers need none" : `callers need one from ${plan.tokensFrom}`],
  ];
  const shown = rows.filter(([, value]) => value !== "");
  return shown.map(([title, value]) => `${`${title}:`.padEnd(12)}${showLine(value)}`);
}

function describeMount({ source, target, readOnly }: RunPlan["mounts"][number]): string {
  return `${source} at ${target} (${readOnly ? "read" : "write"})`;
}

function describeNetwork({ access, outbound }: RunPlan["network"]): string {
  if (access === "none") return "none";
  if (access === "filtered") return `isolated, reaches ${describeOutbound(outbound)}`;
  const rules = outbound.allowAll ? "" : "; what its profile says counts only with --isolate-network";
  return `any, not isolated${rules}`;
}

function describeOutbound({ allowAll, hosts, ports }: RunPlan["network"]["outbound"]): string {
  if (allowAll) return "any host";
  if (hosts.length === 0 && ports.length === 0) return "nothing";
  return [hosts.join(", ") || "any host", ...(ports.length > 0 ? [`ports ${ports.join(", ")}`] : [])].join(", ");
}

function describeLimits({ memoryBytes, cpus, pids }: RunPlan["limits"]): string {
  return [
    memoryBytes === 0 ? "any memory" : `${Math.round(memoryBytes / MIB)} MiB of memory`,
    cpus === 0 ? "any CPUs" : `${cpus} CPUs`,
    pids === 0 ? "any number of processes" : `${pids} processes`,
  ].join(", ");
}
