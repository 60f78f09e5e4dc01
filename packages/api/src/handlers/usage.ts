/** What the operations on usage do. */
import {
  assertWorkloadName,
  describeUsage,
  estimateTokens,
  type ServerUsage,
  type UsageBook,
  type UsageSummary,
  type WorkloadSupervisor,
} from "@toolhive/core";
import type { Handlers } from "../contract/contract.ts";
import type { USAGE_OPERATIONS } from "../contract/usage.ts";
import { type MeteredServer, writeMetrics } from "./answers/write-metrics.ts";

/** Clients that the list names. */
const MAX_LISTED_CLIENTS = 5;

/** What is counted, and the setting that says whether it is. */
export type UsageControl = Pick<UsageBook, "isOn" | "read" | "turn" | "follow">;

export function usageHandlers(
  workloads: WorkloadSupervisor,
  usage: UsageControl,
): Pick<Handlers, keyof typeof USAGE_OPERATIONS> {
  const listAll = async () => {
    const all: MeteredServer[] = [];
    for (const { name, status } of workloads.list()) {
      const recorder = await usage.read(name);
      if (recorder) all.push({ name, isUp: status === "running", recorder });
    }
    return all;
  };
  return {
    listUsage: async () => {
      const all = await listAll();
      return {
        is_recorded: usage.isOn,
        servers: all.map(({ name, recorder }) => ({ name, ...showSummary(describeUsage(recorder, Date.now())) })),
      };
    },
    setUsageRecording: async ({ body }) => await usage.turn(body.is_recorded),
    getUsage: async ({ params }) => {
      assertWorkloadName(params.name);
      const { name } = workloads.describe(params.name);
      const recorder = await usage.read(name);
      if (recorder === undefined)
        return { name, is_recorded: false, calls: 0, failures: 0, days: [], tools: [], clients: [] };
      return { name, is_recorded: true, ...showUsage(describeUsage(recorder, Date.now())) };
    },
    getMetrics: async () => writeMetrics(await listAll()),
  };
}

function showSummary({ days, clients, tools, context, ...summary }: ServerUsage) {
  return {
    ...showNumbers(summary),
    days: days.map(({ calls }) => calls),
    clients: clients.slice(0, MAX_LISTED_CLIENTS).map(({ name }) => name),
    unused_tools: tools.filter(({ calls, contextBytes }) => calls === 0 && contextBytes !== undefined).length,
    ...showContext(context),
  };
}

function showUsage({ since, days, tools, clients, otherTools, otherClients, context, ...summary }: ServerUsage) {
  return {
    since: since.toISOString(),
    ...showNumbers(summary),
    days: [...days],
    tools: tools.map(({ name, contextBytes: bytes, ...numbers }) => ({
      name,
      ...showNumbers(numbers),
      ...(bytes !== undefined && { context_bytes: bytes, context_tokens: estimateTokens(bytes) }),
    })),
    clients: clients.map(({ name, ...numbers }) => ({ name, ...showNumbers(numbers) })),
    ...(otherTools && { other_tools: showNumbers(otherTools) }),
    ...(otherClients && { other_clients: showNumbers(otherClients) }),
    ...showContext(context),
  };
}

function showNumbers({ calls, failures, p50Ms, p95Ms, lastUsedAt }: UsageSummary) {
  return {
    calls,
    failures,
    ...(p50Ms !== undefined && { p50_ms: p50Ms }),
    ...(p95Ms !== undefined && { p95_ms: p95Ms }),
    ...(lastUsedAt && { last_used_at: lastUsedAt.toISOString() }),
  };
}

function showContext(context: ServerUsage["context"]) {
  if (context === undefined) return {};
  const { bytes, tokens, toolCount: tools, measuredAt } = context;
  return { context: { bytes, tokens, tools, measured_at: measuredAt.toISOString() } };
}
