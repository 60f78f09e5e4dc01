/**
 * Measures how long a server has had no calls, and holds calls while it sleeps. The last check and the moment from which calls
 * are held are one step, so that no call reaches a server that is being stopped.
 */
import type { ServerResponse } from "node:http";
import { HeldCalls, type HoldFailure } from "@toolhive/http";
import type { CallGate } from "../../ports/mcp-endpoint.ts";
import { ThvError } from "../../support/errors.ts";
import { WAKE_TIMEOUT_MS } from "../../support/supervision-limits.ts";

const MAX_HELD = 1_000;
/** Milliseconds after which a server that could not sleep is checked again. */
const LOOK_AGAIN_MS = 15_000;

interface SleepGateOptions {
  /** Name of the workload. */
  readonly name: string;
  /** There was no call for the configured time. */
  readonly onIdle: () => void;
  /** A call waits for the server. */
  readonly onWanted: () => void;
}

export class SleepGate implements CallGate {
  readonly #options: SleepGateOptions;
  readonly #held: HeldCalls;
  #isHolding = false;
  #open = 0;
  #lastCallAt = Date.now();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: SleepGateOptions) {
    this.#options = options;
    this.#held = new HeldCalls({
      max: MAX_HELD,
      holdMs: WAKE_TIMEOUT_MS,
      createRefusal: (failure) => createRefusal(options.name, failure),
    });
  }

  /** Whether calls wait. */
  get isWanted(): boolean {
    return this.#held.size > 0;
  }

  enter(response: ServerResponse): Promise<void> | undefined {
    if (!this.#isHolding) {
      this.#count(response);
      return undefined;
    }
    const wait = this.#held.hold(response).then(() => this.#count(response));
    this.#options.onWanted();
    return wait;
  }

  /** Calls pass, and idle time counts from now. @param afterMs Of idle time, after which `onIdle` is called. */
  watch(afterMs: number): void {
    clearTimeout(this.#timer);
    this.#isHolding = false;
    this.#lastCallAt = Date.now();
    this.#held.passAll();
    this.#look(afterMs);
  }

  /** Calls are held from now on. @returns False when there are open ones; then nothing has changed. */
  hold(): boolean {
    if (this.#open > 0) return false;
    clearTimeout(this.#timer);
    this.#isHolding = true;
    return true;
  }

  /** What waits is answered with the reason; later calls wait again. */
  refuse(reason: ThvError): void {
    this.#held.failAll(reason);
  }

  /** Calls pass, and nothing is watched any more. */
  close(): void {
    clearTimeout(this.#timer);
    this.#isHolding = false;
    this.#held.passAll();
  }

  #look(afterMs: number): void {
    const idleMs = this.#open > 0 ? 0 : Date.now() - this.#lastCallAt;
    if (idleMs < afterMs) {
      this.#timer = setTimeout(() => this.#look(afterMs), afterMs - idleMs);
      this.#timer.unref();
      return;
    }
    this.#options.onIdle();
    // Unless it sleeps now: the next check tries again.
    if (this.#isHolding) return;
    this.#timer = setTimeout(() => this.#look(afterMs), Math.min(afterMs, LOOK_AGAIN_MS));
    this.#timer.unref();
  }

  #count(response: ServerResponse): void {
    this.#open += 1;
    this.#lastCallAt = Date.now();
    const leave = () => {
      this.#open -= 1;
      this.#lastCallAt = Date.now();
    };
    if (response.destroyed) leave();
    else response.once("close", leave);
  }
}

function createRefusal(name: string, failure: HoldFailure): ThvError {
  switch (failure) {
    case "full":
      return new ThvError("LIMIT_REACHED", `Too many calls wait for "${name}" to wake up.`, { hint: "Try again." });
    case "gone":
      return new ThvError("SERVER_NOT_READY", "The caller has gone.");
    case "late":
      return new ThvError(
        "SERVER_NOT_READY",
        `"${name}" slept and did not wake up within ${WAKE_TIMEOUT_MS / 1_000} s.`,
        {
          hint: `Find the reason, then try again: thv status ${name}`,
        },
      );
  }
}
