/** Waiting, cancellably, and for how long between attempts. */
import { setTimeout as delay } from "node:timers/promises";

/** Doubles from `firstMs` up to `maxMs`. @param attempt Counts from 1. */
export function computeBackoffMs(attempt: number, { firstMs, maxMs }: { firstMs: number; maxMs: number }): number {
  return Math.min(maxMs, firstMs * 2 ** Math.min(attempt - 1, 30));
}

/** Rejects with the signal's reason when it fires first. The timer does not keep the process alive. */
export async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  try {
    await delay(ms, undefined, { signal, ref: false });
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}
