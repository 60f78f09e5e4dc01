/** What was counted of calls, in words and in cells of a table. */
import type { OperationAnswer } from "@toolhive/api/client";
import { shorten } from "@toolhive/http/values";
import { formatAge } from "./time-words.ts";

export type ServerUsage = OperationAnswer<"getUsage">;
type Numbers = Pick<ServerUsage, "calls" | "failures" | "p95_ms" | "last_used_at">;

/** In the place of a number that there is none of. */
const NONE = "-";
const SLOWEST_MS = 30_000;
const MAX_NAME = 30;
const NOT_COUNTED = "Calls are not counted. To count them: thv config set-usage on";

/** For example `240 ms`, `1.2 s`, `over 30 s`. */
export function formatDuration(ms: number | undefined): string {
  if (ms === undefined) return NONE;
  if (ms >= SLOWEST_MS) return `over ${SLOWEST_MS / 1_000} s`;
  return ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`;
}

/** For example `1200`. */
export function formatTokens(tokens: number | undefined): string {
  return tokens === undefined ? NONE : String(tokens);
}

/** The cells CALLS, FAILED, P95 and LAST USED. */
export function formatNumbers({ calls, failures, p95_ms: p95, last_used_at: last }: Numbers): string[] {
  return [String(calls), String(failures), formatDuration(p95), last === undefined ? "never" : formatAge(last)];
}

/** Rows of `thv status`. */
export function listUsageRows(usage: ServerUsage): (readonly [string, string])[] {
  const { calls, failures, p95_ms: p95, last_used_at: last, clients, context, is_recorded: isRecorded } = usage;
  if (!isRecorded) return [["Calls", NOT_COUNTED]];
  const failed = failures === 0 ? "none failed" : `${failures} failed`;
  const within = p95 === undefined || p95 >= SLOWEST_MS ? "" : `, 95 % within ${formatDuration(p95)}`;
  const names = clients.map(({ name, calls: own }) => `${shorten(name, MAX_NAME)} (${own})`);
  return [
    ["Calls", calls === 0 ? "none in 30 days" : `${calls} in 30 days, ${failed}${within}`],
    ["Last used", last === undefined ? "never" : formatAge(last)],
    ["Used by", names.join(", ")],
    ["Context", context === undefined ? "" : describeContext(context)],
  ];
}

function describeContext({ tools, tokens, bytes }: NonNullable<ServerUsage["context"]>): string {
  return `${tools} tool${tools === 1 ? "" : "s"}, about ${tokens} tokens (${bytes} bytes)`;
}

/**
 * @param argument How a command line names the server.
 * @returns Which tools were never called, and what hiding them saves; `undefined` when there is none.
 */
export function describeUnused(
  argument: string,
  { tools, since, is_recorded: isRecorded }: ServerUsage,
): string | undefined {
  if (!isRecorded) return NOT_COUNTED;
  const listed = tools.filter(({ context_tokens: tokens }) => tokens !== undefined);
  const unused = listed.filter(({ calls }) => calls === 0);
  if (unused.length === 0 || since === undefined) return undefined;
  const tokens = unused.reduce((sum, { context_tokens: own = 0 }) => sum + own, 0);
  const names = unused.map(({ name }) => name).sort();
  return [
    `${unused.length} of ${listed.length} tools were not called in ${describeSpan(since)}. Hiding them saves about ${tokens} tokens of context:`,
    `thv tools deny ${argument} ${names.join(" ")}`,
  ].join(" ");
}

/** Calls may be counted for a shorter time than they are kept. */
function describeSpan(since: string): string {
  const days = Math.floor((Date.now() - Date.parse(since)) / 86_400_000);
  if (days >= 30) return "30 days";
  return days < 1 ? "the day since counting began" : `the ${days} day${days === 1 ? "" : "s"} since counting began`;
}
