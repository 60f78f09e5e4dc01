/** The status of one workload and the reason for it; every change goes through the state machine. */

import type { PullLayer, PullProgress } from "../../ports/container-engine.ts";
import type { Logger } from "../../ports/log.ts";
import { describeError, ThvError } from "../../support/errors.ts";
import { endSentence } from "../../support/one-line.ts";
import { canFollow, type WorkloadStatus } from "../../workload/workload-status.ts";

const ASLEEP_REASON = "asleep: the next call starts its server";

export interface WorkloadStateOptions {
  readonly name: string;
  readonly status: WorkloadStatus;
  readonly reason: string;
  /** Called after the status has changed. */
  readonly onChange: () => void;
  /** Called after the status stayed and something else has changed: its reason, or how far a pull has got. */
  readonly onProgress: () => void;
  readonly log: Logger;
}

export class WorkloadState {
  readonly #options: WorkloadStateOptions;
  #status: WorkloadStatus;
  #isAsleep = false;
  #reason: string;
  /** Kept while the status shows side work instead. */
  #reasonBefore: string | undefined;
  #error: ThvError | undefined;
  #pull: PullProgress | undefined;
  #startedAt: Date | undefined;

  constructor(options: WorkloadStateOptions) {
    this.#options = options;
    this.#status = options.status;
    this.#reason = options.reason;
  }

  get status(): WorkloadStatus {
    return this.#status;
  }

  /** Reason of the status; may be empty. */
  get reason(): string {
    return this.#reason;
  }

  /** Present while the status is `error`, and while a server is up and does not do its work. */
  get error(): ThvError | undefined {
    return this.#error;
  }

  /** Layers of the image that is being pulled. */
  get pull(): readonly PullLayer[] | undefined {
    return this.#pull?.layers;
  }

  /** Time of the server's last start; absent while it does not run. */
  get startedAt(): Date | undefined {
    return this.isUp ? this.#startedAt : undefined;
  }

  /** @param at Default: now. One that ran before has an earlier moment. */
  markStart(at: Date = new Date()): void {
    this.#startedAt = at;
  }

  /** Whether its server runs. */
  get isUp(): boolean {
    return !this.#isAsleep && ["running", "unhealthy", "unauthenticated"].includes(this.#status);
  }

  /** Whether it is `running` for its clients, and its server is stopped until the next call. */
  get isAsleep(): boolean {
    return this.#isAsleep;
  }

  /** @returns Whether it was set. */
  sleep(signal: AbortSignal): boolean {
    return this.#change("running", { reason: ASLEEP_REASON, logged: "asleep" }, signal, true);
  }

  /**
   * @param signal Of the operation that sets it. Ignored when the operation was cancelled. @returns Whether it was set.
   */
  set(status: WorkloadStatus, reason: string, signal?: AbortSignal): boolean {
    return this.#change(status, { reason, logged: reason }, signal);
  }

  #change(
    status: WorkloadStatus,
    { reason, logged }: { readonly reason: string; readonly logged: string },
    signal: AbortSignal | undefined,
    isAsleep = false,
  ): boolean {
    if (signal?.aborted) return false;
    const { name, log, onChange, onProgress } = this.#options;
    const before = this.#status;
    if (!canFollow(before, status)) {
      log.error({ workload: name, from: before, to: status }, "impossible status change");
      return false;
    }
    const isOther = before !== status || this.#isAsleep !== isAsleep;
    if (isOther) log.info({ workload: name, from: before, to: status, reason: logged }, "status");
    this.#isAsleep = isAsleep;
    this.#status = status;
    this.#reason = reason;
    this.#reasonBefore = undefined;
    this.#error = undefined;
    this.#pull = undefined;
    if (isOther) onChange();
    else onProgress();
    return true;
  }

  /** Sets the status of a server that is up and does not do its work, with the problem and its way out. */
  report(status: "unhealthy" | "unauthenticated", problem: ThvError, signal?: AbortSignal): void {
    const { message, hint } = problem;
    const reason = hint === undefined ? message : `${endSentence(message)} ${hint}`;
    if (this.#change(status, { reason, logged: message }, signal)) this.#error = problem;
  }

  /** Shows the progress of long work before `running`. */
  showProgress(message: string, { pull, signal }: { pull: PullProgress | undefined; signal: AbortSignal }): void {
    if (this.set("starting", message, signal)) this.#pull = pull;
  }

  /** Shows the progress of work that the server that runs does not notice. An empty message ends it. */
  showSideWork(message: string, pull: PullProgress | undefined): void {
    if (!this.isUp) return;
    this.#reasonBefore ??= this.#reason;
    this.#reason = message === "" ? this.#reasonBefore : message;
    if (message === "") this.#reasonBefore = undefined;
    this.#pull = pull;
    this.#options.onProgress();
  }

  /** Sets the status to a failure. */
  fail(error: unknown, prefix: string, signal?: AbortSignal): void {
    const known = error instanceof ThvError ? error : new ThvError("INTERNAL", describeError(error), { cause: error });
    const logged = `${prefix}${known.message}`;
    const reason = [logged, known.detail].filter(Boolean).join(" ");
    // The detail may be what the server wrote last, which has a log of its own or is in no file.
    if (this.#change("error", { reason, logged }, signal)) this.#error = known;
  }
}
