/** Waiting for a condition with a deadline: what tests do instead of sleeping. */
import { setTimeout as delay } from "node:timers/promises";

export interface WaitOptions {
  /** Milliseconds until the wait fails. Default 10,000. */
  readonly deadlineMs?: number;
  /** What is waited for, for the message of a failure: `the container to be gone`. */
  readonly what: string;
  /** Milliseconds between two checks; the first pauses are shorter. After a longer check, the pause is as long. Default 25. */
  readonly intervalMs?: number;
  readonly signal?: AbortSignal | undefined;
}

export type Truthy<T> = Exclude<T, false | 0 | "" | null | undefined>;

/** Longest pause after a check that took long, milliseconds. */
const LONGEST_PAUSE_MS = 500;

/**
 * Calls `condition` until it returns something truthy.
 *
 * @returns What the condition returned.
 * @throws {Error} At the deadline, naming what was waited for; the condition's last error is the cause.
 */
export async function waitFor<T>(
  condition: () => T | Promise<T>,
  { deadlineMs = 30_000, what, intervalMs = 25, signal }: WaitOptions,
): Promise<Truthy<T>> {
  const end = performance.now() + deadlineMs;
  let cause: unknown;
  for (let leastMs = 1; ; leastMs = Math.min(2 * leastMs, intervalMs)) {
    signal?.throwIfAborted();
    const begin = performance.now();
    try {
      const value = await condition();
      if (value) return value as Truthy<T>;
      cause = undefined;
    } catch (error) {
      cause = error; // the condition may not be answerable yet; the last reason is reported at the deadline
    }
    if (performance.now() >= end) throw new Error(`Waited ${deadlineMs} ms in vain for ${what}.`, { cause });
    // A check that starts a program would otherwise take a whole processor from what it waits for.
    const pauseMs = Math.max(leastMs, Math.min(performance.now() - begin, LONGEST_PAUSE_MS));
    await delay(pauseMs, undefined, { signal });
  }
}
