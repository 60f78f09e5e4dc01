/** What an MCPGroup says about the servers that name it, and these about their group. */
import type { GroupMemberReport, GroupReport, GroupStatus, PlannedMember } from "../../contract/index.ts";
import { isFalse, isTrue, isUnknown, type Statement } from "./remote-conditions.ts";
import type { Observation } from "./server-status.ts";

/** What was seen of a group beside its objects. */
export interface GroupObservation {
  readonly members: readonly PlannedMember[];
  /** Of the file that its endpoint shall work with. */
  readonly version: string;
  readonly report: GroupReport | undefined;
}

const STATES = { ready: "Ready", starting: "Starting", unavailable: "Unavailable", stopped: "Stopped" } as const;
/** Servers that a condition names; the status has all. */
const MAX_NAMED = 10;
const MAX_MESSAGE = 300;

export function describeServers(observation: Observation, proxy: Statement): Statement {
  const { server, refusal, group } = observation;
  if (refusal) return isFalse(refusal.reason, refusal.message);
  const { name, namespace } = server.metadata;
  const members = listMembers(group);
  if (members.length === 0) {
    return isFalse(
      "NoServers",
      `No server names the group. Set spec.groupRef.name of an MCPServer or MCPRemoteProxy in namespace ${namespace} to ${name}.`,
    );
  }
  if (group?.report === undefined) {
    const reason = proxy.status === "True" ? "NotAsked" : proxy.reason;
    return isUnknown(reason, "No endpoint has said yet how the servers are.");
  }
  if (group.report.version !== group.version) {
    return isUnknown(
      "Updating",
      "The endpoint is being told of a change. The kubelet takes up to two minutes for that.",
    );
  }
  const others = members.filter(({ state }) => state !== "Ready");
  if (others.length === 0) return isTrue("ServersReady", "Every server that names the group answers.");
  const named = others.slice(0, MAX_NAMED).map((each) => `${each.name} (${each.state})`);
  const rest = others.length > MAX_NAMED ? " and more" : "";
  return isFalse(
    "ServersUnavailable",
    `Some servers do not answer, the others are served: ${named.join(", ")}${rest}. See status.members, and kubectl describe of each.`,
  );
}

/** @returns What a group has in its status beside what every kind has. */
export function describeGroup(group: GroupObservation | undefined): GroupStatus {
  if (group === undefined) return {};
  const members = listMembers(group);
  return { serverCount: members.length, servers: members.map(({ name }) => name), members };
}

function listMembers(group: GroupObservation | undefined): GroupMemberReport[] {
  const found = new Map((group?.report?.members ?? []).map((member) => [member.name, member]));
  return (group?.members ?? []).map(({ name, kind, refusal }): GroupMemberReport => {
    if (refusal !== undefined) return { name, kind, state: "NotJoined", message: refusal, tools: 0 };
    const { state = "starting", reason, tools = 0 } = found.get(name) ?? {};
    return { name, kind, state: STATES[state], ...(reason && { message: reason.slice(0, MAX_MESSAGE) }), tools };
  });
}

/** @param joined Whether the group that a server names is there, and why it does not join the server. */
export function describeJoining(
  { server }: Pick<Observation, "server">,
  joined: { readonly isThere: boolean; readonly refusal?: string | undefined },
): Statement {
  const { groupRef } = server.spec;
  const { namespace } = server.metadata;
  if (!joined.isThere) {
    return isFalse(
      "GroupMissing",
      `The MCPGroup "${groupRef?.name}" does not exist in namespace ${namespace}. Create it, or take spec.groupRef out.`,
    );
  }
  return joined.refusal === undefined
    ? isTrue("Joined", `The server belongs to the MCPGroup "${groupRef?.name}".`)
    : isFalse("NotJoined", `The MCPGroup "${groupRef?.name}" does not have the server: ${joined.refusal}.`);
}
