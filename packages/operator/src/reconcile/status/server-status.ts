/** The status of an MCPServer or an MCPRemoteProxy, from what was seen of its objects. Pure. */
import {
  type Condition,
  GROUP_MESSAGES,
  type GroupStatus,
  type MCPServer,
  type MCPServerStatus,
  MESSAGES,
  nameObjects,
  REMOTE_MESSAGES,
  type RemoteReport,
} from "../../contract/index.ts";
import { type ReferenceProblem, readSpec } from "../../desired/index.ts";
import { listConditions } from "./conditions.ts";
import { describeGroup, type GroupObservation } from "./group-conditions.ts";
import type { PodSummary } from "./pod-summary.ts";

/** What a Deployment or a StatefulSet says. */
export interface WorkloadSummary {
  readonly want: number;
  readonly ready: number;
  /** Pods made from the newest template. */
  readonly updated: number;
  readonly total: number;
  /** Whether its controller has seen its newest form. */
  readonly isObserved: boolean;
  /** Why pods cannot be made. */
  readonly failure?: string | undefined;
}

export interface Observation {
  readonly server: MCPServer;
  /** Why its objects are not written at all. */
  readonly refusal?: { readonly reason: string; readonly message: string } | undefined;
  readonly problems: readonly ReferenceProblem[];
  /** Why no sidecar runs beside the server. */
  readonly sidecarRefusal?: string | undefined;
  /** Whether it has no pods because nobody calls. */
  readonly isAsleep?: boolean | undefined;
  readonly statefulSet?: WorkloadSummary | undefined;
  readonly deployment?: WorkloadSummary | undefined;
  /** What proxies of a remote server that are not ready say about it. */
  readonly remoteReports?: readonly RemoteReport[] | undefined;
  /** Of an MCPGroup only. */
  readonly group?: GroupObservation | undefined;
  /** Of a server that names an MCPGroup only: whether it is there, and why it does not join the server. */
  readonly joined?: { readonly isThere: boolean; readonly refusal?: string | undefined } | undefined;
  readonly serverPods: readonly PodSummary[];
  readonly proxyPods: readonly PodSummary[];
}

/** Reasons of `Ready` that waiting may end; all others are a person's to end. */
const PASSING_REASONS = new Set(["Starting", "Updating", "ScaledToZero"]);

/** @param now In the API's form. A condition whose status is the same as before keeps its time. */
export function computeStatus(observation: Observation, now: string): MCPServerStatus & GroupStatus {
  const { server } = observation;
  const { namespace, generation = 0 } = server.metadata;
  const url = `http://${nameObjects(server).proxyService}.${namespace}.svc.cluster.local:${readSpec(server).port}`;
  const before = new Map((server.status?.conditions ?? []).map((condition) => [condition.type, condition]));
  const conditions = listConditions(observation).map((condition): Condition => {
    const old = before.get(condition.type);
    const lastTransitionTime = old?.status === condition.status ? old.lastTransitionTime : now;
    return { ...condition, lastTransitionTime, observedGeneration: generation };
  });
  return {
    ...describePhase(observation, conditions),
    url,
    endpoints: listEndpoints(server, url),
    observedGeneration: generation,
    conditions,
    ...describeGroup(observation.group),
  };
}

function describePhase({ server }: Observation, conditions: readonly Condition[]) {
  const messages = server.group ? GROUP_MESSAGES : server.remote ? REMOTE_MESSAGES : MESSAGES;
  if (server.metadata.deletionTimestamp !== undefined) {
    return { phase: "Terminating" as const, message: messages.terminating };
  }
  const ready = conditions.find(({ type }) => type === "Ready");
  if (ready?.status === "True") return { phase: "Running" as const, message: messages.running };
  if (ready?.reason === "ScaledToZero") return { phase: "Pending" as const, message: messages.noPods };
  return PASSING_REASONS.has(ready?.reason ?? "")
    ? { phase: "Pending" as const, message: messages.starting }
    : { phase: "Failed" as const, message: messages.failed };
}

function listEndpoints(server: MCPServer, url: string): NonNullable<MCPServerStatus["endpoints"]> {
  const streamable = { transport: "streamable-http" as const, url: `${url}/mcp` };
  const sse = { transport: "sse" as const, url: `${url}/sse` };
  const { transport, isStdio } = readSpec(server);
  if (server.group) return [streamable, sse];
  if (isStdio) return server.spec.proxyMode === "sse" ? [sse, streamable] : [streamable, sse];
  return [transport === "sse" ? sse : streamable];
}

/** @returns Whether two statuses say the same, times left out. */
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
    // Counts of restarts and ports of connections change all the time, and say nothing new.
    text.replaceAll(/\d+/g, "0"),
    seen,
  ]);
  const sorted = said.sort(([left], [right]) => (String(left) < String(right) ? -1 : 1));
  // Each attempt at a server that does not answer may fail in another way.
  const states = members.map(({ name, kind, state, tools }) => [name, kind, state, tools]);
  const addresses = endpoints.map(({ transport, url: at }) => [transport, at]);
  return [phase, message, url, addresses, observedGeneration, sorted, states];
}
