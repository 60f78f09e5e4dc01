/** Groups from the side of their servers: which one is in which. */
import type { OperationAnswer } from "../api/client.ts";

export type Group = OperationAnswer<"getGroup">;
export type GroupMember = Group["workloads"][number];

/** The group of servers that are in no other; it has no address of its own. */
export const DEFAULT_GROUP = "default";

/** @returns For each server, the names of its groups in their order. One that is only in `default` is not in it. */
export function indexByServer(groups: readonly Group[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const { name, workloads } of groups) {
    if (name === DEFAULT_GROUP) continue;
    for (const member of workloads) found.set(member.name, [...(found.get(member.name) ?? []), name]);
  }
  return found;
}

/** @returns The names of its servers; `undefined` for a group that does not exist. */
export function listGroupServers(groups: readonly Group[], name: string): ReadonlySet<string> | undefined {
  const group = groups.find((each) => each.name === name);
  return group && new Set(group.workloads.map((member) => member.name));
}
