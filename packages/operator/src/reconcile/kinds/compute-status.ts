/** The status of an MCPServer, MCPRemoteProxy or MCPGroup, computed from its observed objects. Pure. */
import {
  type Condition,
  GROUP_MESSAGES,
  type GroupStatus,
  JOINING_CONDITION_TYPE,
  KIND,
  listOtherNames,
  MCP_GROUP_KIND,
  type MCPServerStatus,
  MESSAGES,
  NAMES_CONDITION_TYPE,
  nameObjects,
  type Proxied,
  REMOTE_KIND,
  REMOTE_MESSAGES,
} from "../../contract/index.ts";
import { readSpec } from "../../desired/index.ts";
import type { Observation } from "../status/observation.ts";
import { describeJoining, describeProxy } from "../status/proxy-conditions.ts";
import { isFalse, type TypedStatement } from "../status/statement.ts";
import { dateConditions } from "../status/write-status.ts";
import { describeMembers, listGroupConditions } from "./group/conditions.ts";
import { listRemoteProxyConditions } from "./remote-proxy/conditions.ts";
import { listServerConditions } from "./server/conditions.ts";

/** Reasons of `Ready` that waiting may end; all others are a person's to end. */
const PASSING_REASONS = new Set(["Starting", "Updating", "ScaledToZero"]);

/** @param now In the API's form. */
export function computeStatus(observation: Observation, now: string): MCPServerStatus & GroupStatus {
  const { server } = observation;
  const { namespace, generation = 0 } = server.metadata;
  const { port, clientTransports } = readSpec(server);
  const url = `http://${nameObjects(server).proxyService}.${namespace}.svc.cluster.local:${port}`;
  const kind = describeKind(observation);
  const conditions = dateConditions([...kind.conditions, ...describeNames(server)], server, now);
  return {
    ...describePhase(server, conditions, kind),
    url,
    endpoints: clientTransports.map((transport) => ({ transport, url: `${url}/${PATHS[transport]}` })),
    observedGeneration: generation,
    conditions,
    ...describeMembers(observation.group),
  };
}

interface KindDescription {
  /** By phase. */
  readonly messages: Readonly<Record<keyof typeof MESSAGES, string>>;
  /** The phase of an object that is served. */
  readonly served: "Running" | "Ready";
  readonly conditions: readonly TypedStatement[];
}

/** The only place that distinguishes kinds when a status is computed. */
function describeKind(observation: Observation): KindDescription {
  const { server, joined } = observation;
  const proxy = describeProxy(observation);
  const joining = joined ? [{ type: JOINING_CONDITION_TYPE, ...describeJoining(observation, joined) } as const] : [];
  switch (server.kind) {
    case KIND:
      return {
        messages: MESSAGES,
        served: "Running",
        conditions: [...listServerConditions({ ...observation, server }, proxy), ...joining],
      };
    case REMOTE_KIND:
      return {
        messages: REMOTE_MESSAGES,
        served: "Ready",
        conditions: [...listRemoteProxyConditions({ ...observation, server }, proxy), ...joining],
      };
    case MCP_GROUP_KIND:
      return {
        messages: GROUP_MESSAGES,
        served: "Ready",
        conditions: listGroupConditions({ ...observation, server }, proxy),
      };
  }
}

/** Says which members to write in place of other names for them; nothing for an object that has none. */
function describeNames(server: Proxied): TypedStatement[] {
  const names = listOtherNames(server);
  return names.length === 0 ? [] : [{ type: NAMES_CONDITION_TYPE, ...isFalse("OtherNames", names.join(" ")) }];
}

function describePhase(
  { metadata }: Proxied,
  conditions: readonly Condition[],
  { messages, served }: Pick<KindDescription, "messages" | "served">,
) {
  if (metadata.deletionTimestamp !== undefined) {
    return { phase: "Terminating" as const, message: messages.terminating };
  }
  const ready = conditions.find(({ type }) => type === "Ready");
  if (ready?.status === "True") return { phase: served, message: messages.running };
  if (ready?.reason === "ScaledToZero") return { phase: "Pending" as const, message: messages.noPods };
  return PASSING_REASONS.has(ready?.reason ?? "")
    ? { phase: "Pending" as const, message: messages.starting }
    : { phase: "Failed" as const, message: messages.failed };
}

/** Path of what clients speak, in the proxy's address. */
const PATHS = { "streamable-http": "mcp", sse: "sse" } as const;

/** @returns Whether two statuses are equal, apart from times. */
export function isSameStatus(
  a: (MCPServerStatus & GroupStatus) | undefined,
  b: MCPServerStatus & GroupStatus,
): boolean {
  return JSON.stringify(normalize(a ?? {})) === JSON.stringify(normalize(b));
}

function normalize({
  phase,
  message,
  url,
  endpoints = [],
  observedGeneration,
  conditions = [],
  members = [],
}: MCPServerStatus & GroupStatus) {
  const said = conditions.map(({ type, status, reason, message: text, observedGeneration: seen }) => [
    type,
    status,
    reason,
    // Counts of restarts and ports of connections change all the time, and are no news.
    text.replaceAll(/\d+/g, "0"),
    seen,
  ]);
  const sorted = said.sort(([left], [right]) => (String(left) < String(right) ? -1 : 1));
  // Each attempt at a server that does not answer may fail in another way.
  const states = members.map(({ name, kind, state, tools }) => [name, kind, state, tools]);
  const addresses = endpoints.map(({ transport, url: at }) => [transport, at]);
  return [phase, message, url, addresses, observedGeneration, sorted, states];
}
