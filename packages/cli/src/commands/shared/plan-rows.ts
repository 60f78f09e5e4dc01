/** How a server is run, in rows for a person: before it runs (`thv run --dry-run`) and while it does (`thv status`). */
import type { RunPlan } from "@toolhive/core";
import { describeMount } from "@toolhive/core/mount-text";
import { showLine } from "../../terminal/shown-text.ts";

const MIB = 1024 * 1024;

/** A title and its value; empty where the server has none. */
export type PlanRow = readonly [title: string, value: string];

/** How a server is run, without its name and its image. */
export function listPlanRows(plan: RunPlan): PlanRow[] {
  const rows = listAllRows(plan);
  // What says something of a container.
  return plan.image_from === "remote" ? rows.filter(([title]) => !CONTAINER_ROWS.has(title)) : rows;
}

const CONTAINER_ROWS: ReadonlySet<string> = new Set(["Mounts", "User", "Network", "Limits", "Read-only"]);

function listAllRows(plan: RunPlan): PlanRow[] {
  return [
    ["Package", plan.package ?? ""],
    ["Arguments", plan.arguments.join(" ")],
    ["Transport", plan.transport],
    ["URL", plan.port_chosen ? plan.url : plan.url.replace(":0/", ":PORT/")],
    ["Variables", plan.variables.join(", ")],
    ["Secrets", plan.secrets.map((reference) => reference.replace(",target=", " as ")).join(", ")],
    [
      "Labels",
      Object.entries(plan.labels)
        .map((label) => label.join("="))
        .join(", "),
    ],
    ["Mounts", plan.mounts.map(describeMount).join(", ") || "none"],
    ["User", plan.user === undefined ? "" : describeUser(plan.user)],
    ["Network", plan.network.reach],
    ["Limits", describeLimits(plan.limits)],
    ["Files", (plan.files ?? []).join("; ")],
    ["Sends", (plan.receivers ?? []).join("; ")],
    ["Given up", plan.switched_off.join("; ")],
    ["Read-only", plan.read_only ? "yes, but for /tmp" : "no"],
    ["Token", plan.tokens_from === undefined ? "callers need none" : `callers need one from ${plan.tokens_from}`],
  ];
}

/** One line for each row that says something, with the values below each other. */
export function formatPlanRows(rows: readonly PlanRow[]): string {
  const shown = rows.filter(([, value]) => value !== "");
  return shown.map(([title, value]) => `${`${title}:`.padEnd(12)}${showLine(value)}`).join("\n");
}

function describeUser({ description, groups }: NonNullable<RunPlan["user"]>): string {
  return groups.length === 0 ? description : `${description}, with your groups ${groups.join(", ")}`;
}

function describeLimits({ memory_bytes: memoryBytes, cpus, pids }: RunPlan["limits"]): string {
  return [
    memoryBytes === 0 ? "any memory" : `${Math.round(memoryBytes / MIB)} MiB of memory`,
    cpus === 0 ? "any CPUs" : `${cpus} CPUs`,
    pids === 0 ? "any number of processes" : `${pids} processes`,
  ].join(", ");
}
