/** Texts about a group: what is missing of it and why, and the commands that change it. */
import { quoteWord } from "@toolhive/http/values";
import { DEFAULT_GROUP, type Group } from "../../store/group-places.ts";
import { t } from "../../words/messages.ts";

export const NAMINGS = ["auto", "always", "never"] as const;
export type Naming = (typeof NAMINGS)[number];

export interface Trouble {
  /** Absent: it concerns the group's own address. */
  readonly server?: string;
  readonly state: Group["workloads"][number]["state"];
  readonly reason: string;
}

/** @returns How many tools clients see of a server of a group, and of how many where some are hidden. */
export function describeTools({ tools = 0, hidden_tools: hidden = 0 }: Group["workloads"][number]): string {
  return hidden === 0 ? String(tools) : t("groups.someTools", { count: tools, total: tools + hidden });
}

/** @returns A reason that says more than the state does; empty when there is none. */
function readReason({ state, reason = "" }: Group["workloads"][number]): string {
  return reason === `it is ${state}` ? "" : reason;
}

/** @returns What clients do not find at its address, its own trouble first. Nothing of a group without an address. */
export function listTroubles({ url, problem, workloads }: Group): Trouble[] {
  if (url === undefined) return [];
  return [
    ...(problem === undefined ? [] : [{ state: "unavailable" as const, reason: problem }]),
    ...workloads.flatMap((workload) =>
      workload.state === "ready"
        ? []
        : [{ server: workload.name, state: workload.state, reason: readReason(workload) }],
    ),
  ];
}

export function countTools({ workloads }: Group): number {
  return workloads.reduce((sum, { tools = 0 }) => sum + tools, 0);
}

export function countReady({ workloads }: Group): number {
  return workloads.filter(({ state }) => state === "ready").length;
}

/** How settings of clients call the group. */
export function nameEntry(group: string): string {
  return `thv-${group}`;
}

export function toCreateCommand(name: string, naming: Naming): string {
  return ["thv group create", ...(name === "" ? ["NAME"] : [quoteWord(name)]), ...listNaming(naming)].join(" ");
}

export function toRemoveCommand(name: string, isWithServers: boolean): string {
  return `thv group rm ${quoteWord(name)}${isWithServers ? " --with-workloads" : ""}`;
}

export function toConnectCommand(client: string, group: string): string {
  return `thv client register ${client === "" ? "NAME" : quoteWord(client)} --group ${quoteWord(group)}`;
}

export function isDefault({ name }: Pick<Group, "name">): boolean {
  return name === DEFAULT_GROUP;
}

function listNaming(naming: Naming): string[] {
  return naming === "auto" ? [] : ["--naming", naming];
}
