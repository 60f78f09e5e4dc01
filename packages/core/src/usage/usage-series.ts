/** Calls of one thing (a server, a tool, a client) day by day, for the last 30 days, and all of them together. */
import { findBucket, LATENCY_BUCKETS } from "./latency.ts";

/** Days whose calls are kept apart, the present one included. */
export const USAGE_DAYS = 30;
const DAY_MS = 86_400_000;

export interface CallCount {
  calls: number;
  /** Those of them that ended with an error or were refused. */
  failures: number;
  /** Calls by their duration; see `LATENCY_BOUNDS_MS`. */
  readonly latency: number[];
}

/** The number of a day in UTC. @param at Milliseconds since 1970. */
export function findDay(at: number): number {
  return Math.floor(at / DAY_MS);
}

/** For example `2026-11-26`. */
export function formatDay(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

/** @returns `undefined` for a text that `formatDay` does not write. */
export function parseDay(text: string): number | undefined {
  const at = Date.parse(`${text}T00:00:00Z`);
  return Number.isNaN(at) ? undefined : findDay(at);
}

export class UsageSeries {
  /** Milliseconds since 1970; 0 for never. */
  lastUsedAt = 0;
  /** Every call that was ever counted. */
  readonly total: CallCount = createCount();
  /** Milliseconds that all of these took together. */
  sumMs = 0;
  /** By the number of the day. */
  readonly days = new Map<number, CallCount>();

  /** @param at When the call ended. @param ms Its duration. */
  record(at: number, { isFailure, ms }: { readonly isFailure: boolean; readonly ms: number }): void {
    const bucket = findBucket(ms);
    const day = findDay(at);
    let ofDay = this.days.get(day);
    if (ofDay === undefined) {
      ofDay = createCount();
      this.days.set(day, ofDay);
      this.#forgetBefore(day - USAGE_DAYS + 1);
    }
    for (const count of [this.total, ofDay]) {
      count.calls += 1;
      if (isFailure) count.failures += 1;
      count.latency[bucket] = (count.latency[bucket] ?? 0) + 1;
    }
    this.sumMs += ms;
    if (at > this.lastUsedAt) this.lastUsedAt = at;
  }

  /** Adds what was counted elsewhere, for example before this process began. */
  add({ total, sumMs, days, lastUsedAt }: Pick<UsageSeries, "total" | "sumMs" | "days" | "lastUsedAt">): void {
    addCount(this.total, total);
    this.sumMs += sumMs;
    for (const [day, count] of days) {
      const ofDay = this.days.get(day);
      if (ofDay === undefined) this.days.set(day, copyCount(count));
      else addCount(ofDay, count);
    }
    this.lastUsedAt = Math.max(this.lastUsedAt, lastUsedAt);
  }

  /** @returns The calls of the last 30 days together. */
  sum(today: number): CallCount {
    const sum = createCount();
    for (const [day, count] of this.days) if (isRecent(day, today)) addCount(sum, count);
    return sum;
  }

  /** @returns Calls and failures of each of the last 30 days, the oldest first. */
  listDays(today: number): { readonly date: string; readonly calls: number; readonly failures: number }[] {
    return Array.from({ length: USAGE_DAYS }, (_, index) => {
      const day = today - USAGE_DAYS + 1 + index;
      const { calls = 0, failures = 0 } = this.days.get(day) ?? {};
      return { date: formatDay(day), calls, failures };
    });
  }

  /** Whether it was used in the last 30 days. */
  isRecent(today: number): boolean {
    return this.lastUsedAt > 0 && isRecent(findDay(this.lastUsedAt), today);
  }

  #forgetBefore(first: number): void {
    for (const day of [...this.days.keys()]) if (day < first) this.days.delete(day);
  }
}

function isRecent(day: number, today: number): boolean {
  // A clock that was set back leaves days of the future: they count until they are old.
  return day > today - USAGE_DAYS;
}

export function createCount(): CallCount {
  return { calls: 0, failures: 0, latency: new Array<number>(LATENCY_BUCKETS).fill(0) };
}

function copyCount({ calls, failures, latency }: CallCount): CallCount {
  return { calls, failures, latency: [...latency] };
}

function addCount(to: CallCount, from: CallCount): void {
  to.calls += from.calls;
  to.failures += from.failures;
  for (const [index, count] of from.latency.entries()) to.latency[index] = (to.latency[index] ?? 0) + count;
}
