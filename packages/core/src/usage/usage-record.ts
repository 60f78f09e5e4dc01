/** Writes what was counted as a record for its file, and reads it back. */
import type { SeriesRecord, UsageRecord } from "./usage-files.ts";
import { cleanName, type NamedSeries } from "./usage-names.ts";
import { UsageRecorder } from "./usage-recorder.ts";
import { type CallCount, createCount, findDay, formatDay, parseDay, USAGE_DAYS, UsageSeries } from "./usage-series.ts";

/** @param now Milliseconds since 1970. */
export function writeUsage({ since, all, tools, clients, context }: UsageRecorder, now: number): UsageRecord {
  const today = findDay(now);
  const writeNamed = ({ byName }: NamedSeries) =>
    [...byName].map(([name, series]) => ({ name, ...writeSeries(series, today) }));
  return {
    since: formatTime(since),
    all: writeSeries(all, today),
    tools: writeNamed(tools),
    ...(tools.other.total.calls > 0 && { other_tools: writeSeries(tools.other, today) }),
    clients: writeNamed(clients),
    ...(clients.other.total.calls > 0 && { other_clients: writeSeries(clients.other, today) }),
    ...(context && {
      context: {
        measured_at: formatTime(context.measuredAt),
        bytes: context.bytes,
        tool_count: context.toolCount,
        tools: [...context.tools].map(([name, bytes]) => ({ name, bytes })),
      },
    }),
  };
}

/** @param now Milliseconds since 1970. A date that cannot be read counts as this moment. */
export function readUsage(record: UsageRecord, now: () => number): UsageRecorder {
  const recorder = new UsageRecorder(now, () => undefined);
  const today = findDay(now());
  const readNamed = (to: NamedSeries, named: UsageRecord["tools"], other: SeriesRecord | undefined) => {
    for (const { name, ...series } of named) to.find(name, today).add(readSeries(series, now()));
    if (other) to.other.add(readSeries(other, now()));
  };
  recorder.since = readTime(record.since, now());
  recorder.all.add(readSeries(record.all, now()));
  readNamed(recorder.tools, record.tools, record.other_tools);
  readNamed(recorder.clients, record.clients, record.other_clients);
  const { context } = record;
  recorder.context = context && {
    measuredAt: readTime(context.measured_at, now()),
    bytes: context.bytes,
    toolCount: context.tool_count,
    tools: new Map(context.tools.map(({ name, bytes }) => [cleanName(name), bytes])),
  };
  return recorder;
}

function writeSeries({ lastUsedAt, total, sumMs, days }: UsageSeries, today: number): SeriesRecord {
  const kept = [...days].filter(([day]) => day > today - USAGE_DAYS).slice(-2 * USAGE_DAYS);
  return {
    ...(lastUsedAt > 0 && { last_used_at: formatTime(lastUsedAt) }),
    total: writeCount(total),
    sum_ms: Math.round(sumMs),
    days: kept.map(([day, count]) => ({ date: formatDay(day), ...writeCount(count) })),
  };
}

function writeCount({ calls, failures, latency }: CallCount) {
  const used = latency.findLastIndex((count) => count > 0);
  return { calls, failures, latency: latency.slice(0, used + 1) };
}

function readSeries(record: SeriesRecord, now: number): UsageSeries {
  const series = new UsageSeries();
  const days = record.days.flatMap((count) => {
    const day = parseDay(count.date);
    return day === undefined ? [] : [[day, readCount(count)] as const];
  });
  const lastUsedAt = record.last_used_at === undefined ? 0 : readTime(record.last_used_at, now);
  series.add({ total: readCount(record.total), sumMs: record.sum_ms, days: new Map(days), lastUsedAt });
  return series;
}

function readCount({
  calls,
  failures,
  latency,
}: Pick<SeriesRecord["total"], "calls" | "failures" | "latency">): CallCount {
  const count = createCount();
  const filled = count.latency.map((_, index) => latency[index] ?? 0);
  return { calls, failures, latency: filled };
}

function formatTime(at: number): string {
  return new Date(at).toISOString();
}

function readTime(text: string, now: number): number {
  const at = Date.parse(text);
  return Number.isNaN(at) ? now : at;
}
