/** The conditions of an MCPGroup, and how each server is that names it. */
import type { GroupMemberReport, GroupStatus, MCPGroup } from "../../../contract/index.ts";
import type { GroupObservation, Observation } from "../../status/observation.ts";
import { describeAuthentication } from "../../status/proxy-conditions.ts";
import { isFalse, isTrue, isUnknown, type Statement, type TypedStatement } from "../../status/statement.ts";

const STATES = { ready: "Ready", starting: "Starting", unavailable: "Unavailable", stopped: "Stopped" } as const;
/** Servers that a condition names; the status has all. */
const MAX_NAMED = 10;
const MAX_MESSAGE = 300;

export function listGroupConditions(observation: Observation<MCPGroup>, proxy: Statement): TypedStatement[] {
  return [
    { type: "Ready", ...describeEndpoint(observation, proxy) },
    { type: "ProxyReady", ...proxy },
    { type: "ServersReady", ...describeServers(observation, proxy) },
    { type: "Authenticated", ...describeAuthentication(observation) },
  ];
}

/** A group is ready without its servers: one of them that is down must not take the others with it. */
function describeEndpoint({ refusal, problems }: Observation, proxy: Statement): Statement {
  if (refusal) return isFalse(refusal.reason, refusal.message);
  const [problem] = problems;
  if (problem) return isFalse(problem.reason, problem.message);
  if (proxy.status !== "True") return proxy;
  return proxy.reason === "Running"
    ? isTrue("Running", "The group's endpoint answers.")
    : isTrue("Updating", "The group is served while its endpoint is replaced.");
}

function describeServers(observation: Observation, proxy: Statement): Statement {
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
      "The endpoint has not received a change yet. The kubelet brings it, within seconds as a rule, and within two minutes otherwise.",
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
export function describeMembers(group: GroupObservation | undefined): GroupStatus {
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
