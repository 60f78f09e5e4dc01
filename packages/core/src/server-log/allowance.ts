/** Rate limit for a server's standard error: output beyond it is omitted at almost no cost. */

import { LOG_BYTES_PER_SECOND } from "./log-limits.ts";

/** Bytes at once. */
const BURST_BYTES = LOG_BYTES_PER_SECOND;

export class Allowance {
  readonly #now: () => number;
  #left = BURST_BYTES;
  #lookedAt: number;

  /** @param now A monotonic clock in milliseconds. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#lookedAt = now();
  }

  /** @returns False when more than the rest is asked for; then nothing is spent. */
  spend(bytes: number): boolean {
    const now = this.#now();
    this.#left = Math.min(BURST_BYTES, this.#left + ((now - this.#lookedAt) / 1_000) * LOG_BYTES_PER_SECOND);
    this.#lookedAt = now;
    if (bytes > this.#left) return false;
    this.#left -= bytes;
    return true;
  }

  /** Spends bytes afterwards. The rest may become negative and must refill first. */
  charge(bytes: number): void {
    this.#left -= bytes;
  }
}
