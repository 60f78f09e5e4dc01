/** Notifies those who follow the workloads that one of them has changed. */

import { Listeners } from "@toolhive/http/listeners";
import { Deferred } from "../../support/deferred.ts";

/** Milliseconds in which the progress of pulls counts as one change. */
const PROGRESS_INTERVAL_MS = 50;

export class ChangeFeed {
  readonly #followers = new Listeners();
  #progressTimer: NodeJS.Timeout | undefined;
  #isClosed = false;

  /** A workload was added or removed, or has another status. */
  announce(): void {
    this.#followers.notify();
  }

  /** Only the reason for a status has changed, or how far a pull has got: many such changes are one. */
  announceProgress(): void {
    if (this.#followers.size === 0) return;
    this.#progressTimer ??= setTimeout(() => {
      this.#progressTimer = undefined;
      this.announce();
    }, PROGRESS_INTERVAL_MS).unref();
  }

  /**
   * Yields at once, then after changes, until the signal is aborted or the feed is closed. Changes that happen while the
   * reader is busy count as one.
   */
  async *follow(signal: AbortSignal): AsyncGenerator<void> {
    let change = new Deferred<void>();
    const wake = () => change.resolve();
    const leave = this.#followers.add(wake);
    signal.addEventListener("abort", wake, { once: true });
    try {
      while (!signal.aborted && !this.#isClosed) {
        yield;
        await change.promise;
        change = new Deferred();
      }
    } finally {
      leave();
      signal.removeEventListener("abort", wake);
    }
  }

  /** Ends every follower. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#progressTimer);
    this.announce();
  }
}
