/** Which lines of a log somebody asks for, as texts: `tail` and `since`. */

import { parseDuration } from "../support/duration.ts";
import { ThvError } from "../support/errors.ts";
import type { LogSelection } from "./log-line.ts";

/** Most lines that may be asked for by number; `all` are those that are kept. */
export const MAX_TAIL_LINES = 100_000;

interface LogQuery {
  /** A whole number from 0, or `all`. Default: `defaultTail`, and `all` where `since` is given. */
  readonly tail?: string | undefined;
  /** A duration before now, `10m`, or a moment: ISO 8601, or seconds since 1970. */
  readonly since?: string | undefined;
}

/** @throws {ThvError} `INVALID_ARGUMENT` naming the value and what is accepted. */
export function parseLogQuery(
  { tail, since }: LogQuery,
  { defaultTail, now = Date.now() }: { readonly defaultTail: number; readonly now?: number },
): LogSelection {
  const usualTail = since === undefined ? defaultTail : Number.POSITIVE_INFINITY;
  return {
    tail: tail === undefined ? usualTail : parseTail(tail),
    ...(since !== undefined && { since: parseSince(since, now) }),
  };
}

function parseTail(text: string): number {
  if (text === "all") return Number.POSITIVE_INFINITY;
  const lines = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
  if (lines <= MAX_TAIL_LINES) return lines;
  throw new ThvError(
    "INVALID_ARGUMENT",
    `tail is "${text.slice(0, 100)}" but must be a number of lines from 0 to ${MAX_TAIL_LINES}, or all`,
  );
}

/** Short, because a longer text is no moment or duration. */
const MAX_SINCE_CHARACTERS = 40;
const DATE = /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d([.,]\d{1,9})?)?(Z|[+-]\d\d:\d\d)?)?$/i;
const SECONDS = /^\d{9,11}$/;

function parseSince(text: string, now: number): number {
  if (text.length <= MAX_SINCE_CHARACTERS) {
    const before = parseDuration(text);
    if (before !== undefined && before >= 0) return now - before;
    const at = SECONDS.test(text)
      ? Number(text) * 1_000
      : DATE.test(text)
        ? Date.parse(text.replace(",", "."))
        : Number.NaN;
    if (!Number.isNaN(at)) return at;
  }
  throw new ThvError(
    "INVALID_ARGUMENT",
    `since is "${text.slice(0, 100)}" but must be a duration like 10m or a moment like 2026-01-31T12:00:00Z`,
  );
}
