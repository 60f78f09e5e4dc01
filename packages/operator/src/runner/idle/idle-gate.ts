/**
 * Holds calls while an idle server is stopped, and measures how long it has been idle. The operator stops and starts the server;
 * the gate only answers its questions, so that a call is never sent to a server that is being stopped.
 */

import type { ServerResponse } from "node:http";
import type { CallGate, Logger } from "@toolhive/core";
import { startTimeout } from "@toolhive/core/timeout-signal";
import { HeldCalls, type HoldFailure } from "@toolhive/http";
import { Listeners } from "@toolhive/http/listeners";
import { HttpRefusal, RPC_ERRORS } from "@toolhive/proxy";
import { type IdleAnswer, type IdleQuestion, MAX_WAIT_MS } from "../../contract/index.ts";

/** Milliseconds that the proxy holds calls after `ask`, in which the operator stops the server or sends nothing more. */
const PROMISE_MS = 10_000;
/** Milliseconds that a call is held at most: a node may have to be added and an image to be pulled. */
const HOLD_MS = 120_000;
const MAX_HELD = 1_000;
/** Milliseconds without a question of the operator after which calls pass: the server may run nevertheless. */
const SILENCE_MS = MAX_WAIT_MS + 15_000;
/** Milliseconds in which a server that is reported ready has to answer. */
const SERVED_MS = 30_000;

export interface IdleGateOptions {
  readonly name: string;
  readonly log: Logger;
  /** Milliseconds, monotonic. Default `performance.now`. */
  readonly now?: () => number;
}

export interface IdleGateHooks {
  /** Addresses of the server's pods are known. */
  readonly onServers: (addresses: readonly string[]) => void;
  /** Resolves when the server answers, or the signal fires. Never rejects. */
  readonly untilServed: (signal: AbortSignal) => Promise<void>;
  /** Calls are held from now on. */
  readonly onSleep: () => void;
  /** Calls pass again. */
  readonly onAwake: () => void;
}

export class IdleGate implements CallGate {
  readonly #options: IdleGateOptions;
  readonly #now: () => number;
  #hooks: IdleGateHooks = { untilServed: async () => undefined, onServers: ignore, onSleep: ignore, onAwake: ignore };
  #state: "awake" | "promised" | "asleep" = "awake";
  #isOpening = false;
  #open = 0;
  #lastCallAt: number;
  #heardAt: number;
  #promise: NodeJS.Timeout | undefined;
  readonly #held: HeldCalls;
  /** Questions that are answered when somebody calls. */
  readonly #waiting = new Listeners();
  readonly #over = new AbortController();

  constructor(options: IdleGateOptions) {
    this.#options = options;
    this.#held = new HeldCalls({
      max: MAX_HELD,
      holdMs: HOLD_MS,
      createRefusal: (failure) => refuse(REFUSALS[failure](options.name)),
    });
    this.#now = options.now ?? (() => performance.now());
    this.#lastCallAt = this.#now();
    this.#heardAt = this.#now();
  }

  start(hooks: IdleGateHooks): void {
    this.#hooks = hooks;
  }

  enter(response: ServerResponse): Promise<void> | undefined {
    if (this.#state === "awake") {
      this.#count(response);
      return undefined;
    }
    if (this.#held.size >= MAX_HELD) throw refuse(REFUSALS.full(this.#options.name));
    return this.#hold(response).then(() => this.#count(response));
  }

  /** Whether calls wait for a server that the operator has stopped. */
  get isAwaited(): boolean {
    return this.#state === "asleep" && this.#held.size > 0;
  }

  /**
   * The server answers, in a pod that was made after it was stopped: calls that wait for it pass before the operator reports it.
   * Without any such call, the operator decides whether the server is needed.
   */
  reportAnswer(): void {
    if (this.isAwaited) this.#letPass();
  }

  /** @param signal Fires when the operator stops waiting for the answer. */
  async answer({ phase, afterMs, waitMs, servers }: IdleQuestion, signal: AbortSignal): Promise<IdleAnswer> {
    this.#heardAt = this.#now();
    if (phase === "awake") {
      this.#hooks.onServers(servers);
      this.#wake();
    }
    if (phase === "ask") this.#promiseToHold(afterMs);
    if (phase === "asleep") {
      this.#sleep();
      if (this.#held.size === 0) await this.#untilWanted(Math.min(waitMs, MAX_WAIT_MS), signal);
      this.#heardAt = this.#now();
    }
    return {
      idleForMs: this.#open > 0 ? 0 : Math.floor(this.#now() - this.#lastCallAt),
      isHolding: this.#state !== "awake",
      isWanted: this.#held.size > 0 || (phase === "asleep" && this.#open > 0),
    };
  }

  close(): void {
    this.#over.abort();
    clearTimeout(this.#promise);
    this.#held.passAll();
    this.#waiting.notify();
  }

  #count(response: ServerResponse): void {
    this.#open += 1;
    this.#lastCallAt = this.#now();
    const leave = () => {
      this.#open -= 1;
      this.#lastCallAt = this.#now();
    };
    if (response.destroyed) leave();
    else response.once("close", leave);
  }

  async #hold(response: ServerResponse): Promise<void> {
    const { name, log } = this.#options;
    log.info({ name }, "a call waits for the server to start");
    const lonely = setTimeout(() => this.#openIfAlone(), SILENCE_MS);
    const held = this.#held.hold(response);
    this.#waiting.notify();
    try {
      await held;
    } finally {
      clearTimeout(lonely);
    }
  }

  #openIfAlone(): void {
    if (this.#now() - this.#heardAt < SILENCE_MS) return;
    this.#options.log.warn({ name: this.#options.name }, "operator is not heard of, calls are not held any longer");
    this.#letPass();
  }

  #promiseToHold(afterMs: number): void {
    if (this.#state !== "awake") return;
    if (this.#open > 0 || this.#now() - this.#lastCallAt < afterMs) return;
    this.#state = "promised";
    this.#hooks.onSleep();
    this.#promise = setTimeout(() => {
      if (this.#state === "promised") this.#letPass();
    }, PROMISE_MS);
  }

  #sleep(): void {
    clearTimeout(this.#promise);
    // A call that is being answered is one that wants the server.
    if (this.#state === "awake" && this.#open > 0) return;
    if (this.#state === "awake") this.#hooks.onSleep();
    this.#state = "asleep";
  }

  #wake(): void {
    if (this.#state === "awake" || this.#isOpening) return;
    this.#isOpening = true;
    const signal = AbortSignal.any([this.#over.signal, startTimeout(SERVED_MS)]);
    void this.#hooks.untilServed(signal).then(() => {
      this.#isOpening = false;
      this.#letPass();
    });
  }

  #letPass(): void {
    clearTimeout(this.#promise);
    if (this.#state === "awake") return;
    this.#state = "awake";
    this.#lastCallAt = this.#now();
    this.#hooks.onAwake();
    this.#held.passAll();
  }

  async #untilWanted(waitMs: number, signal: AbortSignal): Promise<void> {
    if (this.#open > 0 || waitMs <= 0) return;
    await new Promise<void>((resolve) => {
      const end = () => {
        clearTimeout(timer);
        leave();
        signal.removeEventListener("abort", end);
        resolve();
      };
      const timer = setTimeout(end, waitMs);
      const leave = this.#waiting.add(end);
      signal.addEventListener("abort", end, { once: true });
      if (signal.aborted) end();
    });
  }
}

const ignore = (): void => undefined;

const REFUSALS: Readonly<Record<HoldFailure, (name: string) => string>> = {
  full: () => "Too many calls wait for the server to start. Try again.",
  gone: () => "The caller has gone.",
  late: (name) =>
    `The server did not start within ${HOLD_MS / 1_000} s. kubectl describe mcpserver ${name} says why. Then try again.`,
};

function refuse(message: string): HttpRefusal {
  return new HttpRefusal(503, RPC_ERRORS.SERVER_UNAVAILABLE, message, { headers: { "retry-after": "5" } });
}
