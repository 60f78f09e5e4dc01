/**
 * Whether a remote server does its work: asked from time to time, more often while it does not, and at once when a client's
 * call shows that something has changed. Questions never overlap.
 */
import { computeBackoffMs, sleep } from "../../support/backoff.ts";
import { describeError, hasCode, ThvError } from "../../support/errors.ts";
import {
  FIRST_REMOTE_PROBE_TIMEOUT_MS,
  REMOTE_BACKOFF,
  REMOTE_INTERVAL_MS,
  REMOTE_MIN_PAUSE_MS,
  REMOTE_PROBE_TIMEOUT_MS,
  UNHEALTHY_AFTER_PROBES,
} from "../../support/supervision-limits.ts";
import { startTimeout } from "../../support/timeout-signal.ts";

export interface RemoteWatchOptions {
  /** A handshake with a list. @throws {ThvError} What is wrong. */
  readonly probe: (signal: AbortSignal) => Promise<unknown>;
  /** Called with each result that counts. */
  readonly onResult: (problem: ThvError | undefined) => void;
  /** A number from 0 up to 1, which spreads the requests of many supervisors. */
  readonly random?: () => number;
}

export class RemoteWatch implements Disposable {
  readonly #options: RemoteWatchOptions;
  readonly #stop = new AbortController();
  #wake = new AbortController();
  /** Whether something was noticed since the last request. */
  #isWoken = false;
  #problem: ThvError | undefined;
  #isKnown = false;
  #failures = 0;
  #askedAt = 0;

  constructor(options: RemoteWatchOptions) {
    this.#options = options;
  }

  /** Asks until it is disposed. @returns Settles with the first result. */
  async start(): Promise<void> {
    await this.#check();
    void this.#run();
  }

  /** A client's call has ended. What is known may be outdated: after a failure, and after a success while it does not work. */
  notice(problem: ThvError | undefined): void {
    if (this.#problem === undefined && problem === undefined) return;
    this.#isWoken = true;
    this.#wake.abort();
  }

  [Symbol.dispose](): void {
    this.#stop.abort(new Error("the watch has ended"));
  }

  async #run(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      try {
        await this.#pause();
        await this.#check();
      } catch (error) {
        // Ended while it waited.
        if (!this.#stop.signal.aborted) throw error;
      }
    }
  }

  async #pause(): Promise<void> {
    this.#wake = new AbortController();
    const stop = this.#stop.signal;
    const random = this.#options.random ?? Math.random;
    const ms = this.#failures === 0 ? REMOTE_INTERVAL_MS : computeBackoffMs(this.#failures, REMOTE_BACKOFF);
    if (!this.#isWoken)
      await sleep(ms * (0.5 + random() / 2), AbortSignal.any([stop, this.#wake.signal])).catch(() => undefined);
    // Many calls that fail one after the other ask no more often than this.
    await sleep(Math.max(0, this.#askedAt + REMOTE_MIN_PAUSE_MS - Date.now()), stop);
  }

  async #check(): Promise<void> {
    const { probe, onResult } = this.#options;
    this.#askedAt = Date.now();
    this.#isWoken = false;
    const limit = startTimeout(this.#isKnown ? REMOTE_PROBE_TIMEOUT_MS : FIRST_REMOTE_PROBE_TIMEOUT_MS);
    const problem = await probe(AbortSignal.any([this.#stop.signal, limit])).then(
      () => undefined,
      (error: unknown) =>
        error instanceof ThvError ? error : new ThvError("SERVER_NOT_READY", `${describeError(error)}.`),
    );
    if (this.#stop.signal.aborted) return;
    this.#failures = problem === undefined ? 0 : this.#failures + 1;
    // One failure of a server that worked may be a packet that was lost; a refusal is none.
    const isDoubtful = problem !== undefined && this.#isKnown && this.#problem === undefined;
    if (isDoubtful && this.#failures < UNHEALTHY_AFTER_PROBES && !hasCode(problem, "UNAUTHENTICATED")) return;
    this.#isKnown = true;
    this.#problem = problem;
    onResult(problem);
  }
}
