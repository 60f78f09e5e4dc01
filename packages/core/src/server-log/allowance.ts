/** How much of its standard error a server may have written down: what is more is left out, so that it costs next to nothing. */

import { LOG_BYTES_PER_SECOND } from "./log-limits.ts";

/** Bytes at once. */
const BURST_BYTES = LOG_BYTES_PER_SECOND;

export class Allowance {
  readonly #now: () => number;
  #left = BURST_BYTES;
  #lookedAt: number;

  /** @param now Milliseconds that never go back. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#lookedAt = now();
  }

  /** @returns False when that is more than is left; then nothing is taken. */
  spend(bytes: number): boolean {
    const now = this.#now();
    this.#left = Math.min(BURST_BYTES, this.#left + ((now - this.#lookedAt) / 1_000) * LOG_BYTES_PER_SECOND);
    this.#lookedAt = now;
    if (bytes > this.#left) return false;
    this.#left -= bytes;
    return true;
  }

  /** Takes what was not known before; more than is left has to be made up for first. */
  charge(bytes: number): void {
    this.#left -= bytes;
  }
}
