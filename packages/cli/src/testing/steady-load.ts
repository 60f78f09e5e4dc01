/** A light load of tool calls in one session that goes on through failures and remembers how each call ended. */
import { setTimeout as delay } from "node:timers/promises";
import { waitFor } from "@toolhive/testing";
import type { Outcome, SessionClient } from "./session-client.ts";

/** Milliseconds between two calls of one caller. */
const PAUSE_MS = 20;
/** Milliseconds for the endpoint to be there again. */
const RECOVERY_DEADLINE_MS = 60_000;

export class SteadyLoad implements AsyncDisposable {
  readonly outcomes: Outcome[] = [];
  readonly #client: SessionClient;
  readonly #healthUrl: URL;
  readonly #callers: Promise<void>;
  #answered: number[];
  #isOver = false;

  /** @param callers How many call at a time. */
  constructor(client: SessionClient, { url, callers }: { readonly url: string; readonly callers: number }) {
    this.#client = client;
    this.#healthUrl = new URL("/health", url);
    this.#answered = Array.from({ length: callers }, () => 0);
    this.#callers = Promise.all(this.#answered.map((_, caller) => this.#callOn(caller))).then(() => undefined);
    // `end` rethrows it; until then it must not count as unhandled.
    this.#callers.catch(() => undefined);
  }

  /** Waits until every caller has had `count` more answers than now. */
  async untilEachIsAnswered(count: number): Promise<void> {
    const before = [...this.#answered];
    await waitFor(() => this.#answered.every((answers, caller) => answers >= (before[caller] ?? 0) + count), {
      what: `${count} more answers for every caller`,
      deadlineMs: RECOVERY_DEADLINE_MS,
    });
  }

  countOutcomes(kind: Outcome["kind"]): number {
    return this.outcomes.filter((outcome) => outcome.kind === kind).length;
  }

  /** Ends the load when its last calls have ended. @throws {Error} What broke a caller off. */
  async end(): Promise<void> {
    this.#isOver = true;
    await this.#callers;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    await Promise.allSettled([this.#callers]);
  }

  async #callOn(caller: number): Promise<void> {
    for (let turn = 0; !this.#isOver; turn += 1) {
      const { sessionId } = this.#client;
      const text = `${caller}/${turn}`;
      const outcome = await this.#client.call("echo", { text });
      this.outcomes.push(outcome);
      if (outcome.kind === "answered") {
        if (outcome.text !== text) throw new Error(`The call "${text}" got the answer "${outcome.text}".`);
        this.#answered[caller] = (this.#answered[caller] ?? 0) + 1;
      }
      if (outcome.kind === "disconnected") await this.#untilReachable();
      if (outcome.kind === "unknown-session") await this.#client.reopen(sessionId);
      await delay(PAUSE_MS);
    }
  }

  async #untilReachable(): Promise<void> {
    await waitFor(async () => this.#isOver || (await fetch(this.#healthUrl)).ok, {
      what: "the endpoint to be there again",
      deadlineMs: RECOVERY_DEADLINE_MS,
    });
  }
}
