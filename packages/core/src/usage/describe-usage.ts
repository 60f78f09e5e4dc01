/** What was counted of a server, as callers see it: of the last 30 days, and how much its tools take of a model's context. */
import { estimatePercentile } from "./latency.ts";
import type { UsageRecorder } from "./usage-recorder.ts";
import { findDay, type UsageSeries } from "./usage-series.ts";

/** Bytes of JSON that models take for one token, on average: an estimate, because each model counts in its own way. */
const BYTES_PER_TOKEN = 4;

export interface UsageSummary {
  readonly calls: number;
  readonly failures: number;
  /** Milliseconds; absent without calls. */
  readonly p50Ms?: number;
  readonly p95Ms?: number;
  readonly lastUsedAt?: Date;
}

export interface NamedUsage extends UsageSummary {
  readonly name: string;
}

export interface ToolUsage extends NamedUsage {
  /** Bytes of its definition; absent for one that is not in the newest list. */
  readonly contextBytes?: number;
}

export interface ContextSize {
  readonly bytes: number;
  readonly tokens: number;
  readonly toolCount: number;
  readonly measuredAt: Date;
}

export interface ServerUsage extends UsageSummary {
  readonly since: Date;
  /** Calls and failures of each of the last 30 days, the oldest first. */
  readonly days: readonly { readonly date: string; readonly calls: number; readonly failures: number }[];
  /** Most calls first. Those of the newest list are here without a call, too. */
  readonly tools: readonly ToolUsage[];
  readonly clients: readonly NamedUsage[];
  /** Calls of tools and clients that are not counted apart; absent without any. */
  readonly otherTools?: UsageSummary;
  readonly otherClients?: UsageSummary;
  /** Size of the tools in a model's context; absent until a client has listed the tools. */
  readonly context?: ContextSize;
}

/** @param now Milliseconds since 1970. */
export function describeUsage({ since, all, tools, clients, context }: UsageRecorder, now: number): ServerUsage {
  const today = findDay(now);
  const listed = context?.tools ?? new Map<string, number>();
  const names = new Set([...tools.byName.keys(), ...listed.keys()]);
  const byCalls = (a: NamedUsage, b: NamedUsage) => b.calls - a.calls || (a.name < b.name ? -1 : 1);
  const usedTools = [...names].map((name): ToolUsage => {
    const bytes = listed.get(name);
    return { name, ...summarize(tools.byName.get(name), today), ...(bytes !== undefined && { contextBytes: bytes }) };
  });
  const usedClients = [...clients.byName].map(([name, series]) => ({ name, ...summarize(series, today) }));
  const otherTools = summarize(tools.other, today);
  const otherClients = summarize(clients.other, today);
  return {
    ...summarize(all, today),
    since: new Date(since),
    days: all.listDays(today),
    tools: usedTools.sort(byCalls),
    clients: usedClients.filter(({ calls }) => calls > 0).sort(byCalls),
    ...(otherTools.calls > 0 && { otherTools }),
    ...(otherClients.calls > 0 && { otherClients }),
    ...(context && {
      context: {
        bytes: context.bytes,
        tokens: estimateTokens(context.bytes),
        toolCount: context.toolCount,
        measuredAt: new Date(context.measuredAt),
      },
    }),
  };
}

/** @returns About how many tokens a text takes of a model's context. */
export function estimateTokens(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_TOKEN);
}

/** @param series Default: without a call. */
function summarize(series: UsageSeries | undefined, today: number): UsageSummary {
  if (series === undefined) return { calls: 0, failures: 0 };
  const { calls, failures, latency } = series.sum(today);
  const p50Ms = estimatePercentile(latency, 0.5);
  const p95Ms = estimatePercentile(latency, 0.95);
  return {
    calls,
    failures,
    ...(p50Ms !== undefined && { p50Ms }),
    ...(p95Ms !== undefined && { p95Ms }),
    ...(series.lastUsedAt > 0 && { lastUsedAt: new Date(series.lastUsedAt) }),
  };
}
