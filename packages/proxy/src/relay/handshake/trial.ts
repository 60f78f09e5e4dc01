/** Whether a server process has answered its first `initialize`, and who waits to know. */
import { Deferred } from "@toolhive/core/deferred";
import { ThvError } from "@toolhive/core/errors";
import { untilAborted } from "@toolhive/core/until-aborted";

type State =
  | { readonly kind: "none" | "running" }
  /** It has answered. `result` is raw JSON, and absent after an error or when another one asked. */
  | { readonly kind: "over"; readonly isPassed: boolean; readonly result?: Buffer | undefined };

export class Trial {
  #state: State = { kind: "none" };
  #answered = createHandledDeferred();
  #isGivenUp = false;

  get isRunning(): boolean {
    return this.#state.kind === "running";
  }

  get isOver(): boolean {
    return this.#state.kind === "over";
  }

  /** Whether the process has accepted an `initialize`. */
  get wasPassed(): boolean {
    return this.#state.kind === "over" && this.#state.isPassed;
  }

  /** Raw JSON of what it answered to the endpoint's own `initialize`. */
  get result(): Buffer | undefined {
    return this.#state.kind === "over" ? this.#state.result : undefined;
  }

  /** A process is connected. @param isSameProcess An earlier supervisor has initialized it. */
  begin({ isSameProcess }: { readonly isSameProcess: boolean }): void {
    this.#state = isSameProcess || this.#isGivenUp ? { kind: "over", isPassed: isSameProcess } : { kind: "none" };
  }

  /** The endpoint's own `initialize` is on its way. */
  start(): void {
    this.#state = { kind: "running" };
  }

  /** It was answered. @param result Absent after an error. */
  finish(result: Buffer | undefined): void {
    this.#state = { kind: "over", isPassed: result !== undefined, result };
    this.#answered.resolve();
  }

  /** A client's `initialize` was answered. */
  skip(): void {
    if (this.#state.kind !== "over") this.#state = { kind: "over", isPassed: false };
    this.#answered.resolve();
  }

  /** The process went away before it answered. */
  end(reason: string): void {
    this.#state = { kind: "none" };
    this.#answered.reject(new ThvError("SERVER_NOT_READY", reason));
    this.#answered = createHandledDeferred();
  }

  /** Later processes get no `initialize` before a client connects. */
  giveUp(): void {
    this.#isGivenUp = true;
  }

  /** Settles once the process has answered. @throws {ThvError} `SERVER_NOT_READY`. */
  async wait(signal: AbortSignal): Promise<void> {
    await untilAborted(this.#answered.promise, signal);
  }
}

/** Its rejection does not end the program when no caller awaits it. */
function createHandledDeferred(): Deferred<void> {
  const deferred = new Deferred<void>();
  deferred.promise.catch(() => undefined);
  return deferred;
}
