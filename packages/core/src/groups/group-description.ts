/** A group as callers see it: its address, its members and what clients get of their tools. */
import type { ToolMembers } from "../access/tool-selection.ts";
import { listMissing, type ToolState } from "../access/tool-states.ts";
import type { GroupMemberStatus, GroupNaming } from "../ports/group-endpoint.ts";
import type { Workload } from "../workload/workload.ts";
import type { WorkloadStatus } from "../workload/workload-status.ts";
import { NO_TOOL_NAMES, readChoice, showGroupTools } from "./group-tools.ts";
import { listGroupWarnings } from "./group-warnings.ts";
import { byName, type KeptGroup } from "./kept-groups.ts";

/** The address on which the endpoints of groups listen. */
export const GROUP_HOST = "127.0.0.1";

/** A group as callers see it. The names of tools are those that clients of the group see now. */
export interface Group extends ToolMembers {
  readonly name: string;
  /** Address for MCP clients; absent for `default`. */
  readonly url?: string;
  readonly port?: number;
  readonly naming?: GroupNaming;
  /** Why it has no endpoint now, for people. */
  readonly problem?: string;
  /** Sorted by name. */
  readonly members: readonly GroupMemberStatus[];
  /** What to know of the names in it, and of what it does not offer, each a sentence. */
  readonly warnings: readonly string[];
}

export function describeGroup({ record, endpoint, problem }: KeptGroup, workloads: readonly Workload[]): Group {
  const { name, port, naming } = record;
  const known = new Map(workloads.map((workload) => [workload.name, workload]));
  const statuses = new Map(endpoint?.members.map((member) => [member.name, member]));
  const isChosen = record.tools !== undefined;
  const members = record.members.flatMap((member) => {
    const workload = known.get(member);
    return statuses.get(member) ?? (workload === undefined ? [] : describeMember(workload));
  });
  members.sort(byName);
  return {
    name,
    ...(port !== undefined && { url: formatGroupUrl(port), port }),
    naming: naming ?? "auto",
    ...showGroupTools(readChoice(record), endpoint?.toolNames ?? NO_TOOL_NAMES),
    ...(problem !== undefined && { problem }),
    members,
    warnings: listGroupWarnings({ name, isChosen, members, imitated: endpoint?.imitated ?? [] }),
  };
}

/**
 * Each tool of a group, and whether its clients see it: visible tools first, then hidden ones, then chosen ones that no server
 * has.
 */
export function listGroupTools({ endpoint, record }: KeptGroup): ToolState[] {
  const tools = (endpoint?.listTools() ?? []).map(({ server, name: own, shown, isOffered, description }) => ({
    name: shown,
    own,
    server,
    state: isOffered ? ("offered" as const) : ("hidden" as const),
    description,
  }));
  const { tools: chosen } = showGroupTools(readChoice(record), endpoint?.toolNames ?? NO_TOOL_NAMES);
  const offered = tools.filter(({ state }) => state === "offered");
  const hidden = tools.filter(({ state }) => state === "hidden");
  return [...offered, ...hidden, ...listMissing(chosen, new Set(tools.map((tool) => tool.name)))];
}

/** A workload as a member of a group whose endpoint does not know it. */
export function describeMember({ name, status, statusContext }: Workload): GroupMemberStatus {
  if (status === "running") return { name, state: "ready" };
  const reason = describeStatus(status, statusContext);
  if (status === "starting") return { name, state: "starting", reason };
  return { name, state: status === "stopped" ? "stopped" : "unavailable", reason };
}

export function describeStatus(status: WorkloadStatus, context: string): string {
  return context === "" ? `it is ${status}` : `it is ${status}: ${context}`;
}

/** How clients' settings call a group, among servers that may have any name. */
export function formatEntryName(group: string): string {
  return `thv-${group}`;
}

export function formatGroupUrl(port: number): string {
  return `http://${GROUP_HOST}:${port}/mcp`;
}
