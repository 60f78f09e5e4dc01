/**
 * Runs the operations of one workload, one at a time. A newer one cancels the current one and waits for it, so that two
 * operations never run at once.
 */
import type { Logger } from "../../ports/log.ts";
import type { WorkloadStatus } from "../../workload/workload-status.ts";
import type { WorkloadState } from "./workload-state.ts";

interface Operation {
  readonly abort: AbortController;
  readonly settled: Promise<void>;
  /** Works towards the desired state, as opposed to waiting for the engine. */
  readonly countsAsWork: boolean;
}

export class Operations {
  readonly #name: string;
  readonly #state: WorkloadState;
  readonly #log: Logger;
  #current: Operation | undefined;
  #isClosed = false;

  constructor(name: string, state: WorkloadState, log: Logger) {
    this.#name = name;
    this.#state = state;
    this.#log = log;
  }

  /** Whether an operation works towards the desired state. */
  get isWorking(): boolean {
    return this.#current?.countsAsWork ?? false;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Runs the last operation, which keeps the status. Settles with it. */
  async close(run: (signal: AbortSignal) => Promise<void>): Promise<void> {
    this.#isClosed = true;
    await this.#execute(undefined, run);
  }

  /**
   * Runs an operation. Resolves once it has ended; the status holds the result. Never rejects.
   *
   * @param status Set at once, also while the previous operation is still ending.
   */
  async run(status: WorkloadStatus, run: (signal: AbortSignal) => Promise<void>): Promise<void> {
    if (!this.#isClosed) await this.#execute(status, run);
  }

  async #execute(status: WorkloadStatus | undefined, run: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const previous = this.#current;
    previous?.abort.abort();
    if (status) this.#state.set(status, "");
    const abort = new AbortController();
    const settled = (async () => {
      await previous?.settled;
      if (abort.signal.aborted) return;
      try {
        await run(abort.signal);
      } catch (error) {
        this.#log.error({ workload: this.#name, err: error }, "operation broke off");
        this.#state.fail(error, "", abort.signal);
      }
    })();
    const operation = { abort, settled, countsAsWork: status !== "unknown" };
    this.#current = operation;
    await settled;
    if (this.#current === operation) this.#current = undefined;
  }
}
