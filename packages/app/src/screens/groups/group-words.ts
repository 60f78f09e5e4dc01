/** What there is to say of a group: what is missing of it and why, and the commands that change it. */
import { DEFAULT_GROUP, type Group } from "../../store/group-places.ts";
import { quote } from "../add/draft.ts";

export const NAMINGS = ["auto", "always", "never"] as const;
export type Naming = (typeof NAMINGS)[number];

export interface Trouble {
  /** Absent: it concerns the group's own address. */
  readonly server?: string;
  readonly state: Group["workloads"][number]["state"];
  readonly reason: string;
}

/** @returns What clients do not find at its address, its own trouble first. Nothing of a group without an address. */
export function listTroubles({ url, problem, workloads }: Group): Trouble[] {
  if (url === undefined) return [];
  return [
    ...(problem === undefined ? [] : [{ state: "unavailable" as const, reason: problem }]),
    ...workloads.flatMap(({ name, state, reason }) =>
      state === "ready" ? [] : [{ server: name, state, reason: reason ?? "" }],
    ),
  ];
}

export function countTools({ workloads }: Group): number {
  return workloads.reduce((sum, { tools }) => sum + tools, 0);
}

export function countReady({ workloads }: Group): number {
  return workloads.filter(({ state }) => state === "ready").length;
}

/** How settings of clients call the group. */
export function nameEntry(group: string): string {
  return `thv-${group}`;
}

export function toCreateCommand(name: string, naming: Naming): string {
  return ["thv group create", ...(name === "" ? ["NAME"] : [quote(name)]), ...listNaming(naming)].join(" ");
}

export function toRemoveCommand(name: string, isWithServers: boolean): string {
  return `thv group rm ${quote(name)}${isWithServers ? " --with-workloads" : ""}`;
}

export function toConnectCommand(client: string, group: string): string {
  return `thv client register ${client === "" ? "NAME" : quote(client)} --group ${quote(group)}`;
}

export function isDefault({ name }: Pick<Group, "name">): boolean {
  return name === DEFAULT_GROUP;
}

function listNaming(naming: Naming): string[] {
  return naming === "auto" ? [] : ["--naming", naming];
}
