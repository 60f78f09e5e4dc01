/** Whether clients may be sent to this proxy: only while its server answers a client through it. */
import { createServer, type Server } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { describeError } from "@toolhive/core/errors";
import { startTimeout } from "@toolhive/core/timeout-signal";
import { listen } from "@toolhive/http";
import type { RequestAnswerer } from "./idle/idle-answerer.ts";

/** Milliseconds between two checks: of a server that has not answered yet, and of one that has. */
const FIRST_MS = 250;
const NEXT_MS = 10_000;
const ANSWER_MS = 10_000;
/** Checks in a row without an answer after which a server that was ready is not. */
const MISSED = 3;

interface ReadinessOptions {
  /** Initializes and lists the tools as a client, through the proxy. */
  readonly askAsClient: (signal: AbortSignal) => Promise<unknown>;
  /** A cheap sign of life. */
  readonly ping: (signal: AbortSignal) => Promise<unknown>;
}

export class Readiness {
  readonly #options: ReadinessOptions;
  #isReady = false;
  #reason = "the server has not answered yet";
  #isEnding = false;
  #isPaused = false;
  /** Ends the wait for the next check. */
  #wake = new AbortController();

  constructor(options: ReadinessOptions) {
    this.#options = options;
  }

  get state(): { readonly isReady: boolean; readonly reason: string } {
    if (this.#isEnding) return { isReady: false, reason: "the proxy ends" };
    return { isReady: this.#isReady, reason: this.#reason };
  }

  /** The server has ended: no client is sent here until it has answered again. */
  lose(reason: string): void {
    if (this.#isPaused) return;
    this.#isReady = false;
    this.#reason = reason;
    this.#wake.abort();
  }

  /** Takes the result of a check that somebody else made. @param reason Why the server does not answer; `undefined`: it does. */
  report(reason: string | undefined): void {
    this.#isReady = reason === undefined;
    this.#reason = reason ?? "";
  }

  /** The server is stopped until somebody calls: clients are sent here, and nothing is checked. */
  pause(): void {
    this.#isPaused = true;
    this.#isReady = true;
    this.#reason = "";
  }

  /** The server is ready again: it counts as ready until a check fails. */
  resume(): void {
    this.#isPaused = false;
    this.#wake.abort();
  }

  end(): void {
    this.#isEnding = true;
  }

  /** Checks the server until the signal fires. Never rejects. */
  async watch(signal: AbortSignal): Promise<void> {
    let missed = 0;
    while (!signal.aborted) {
      if (this.#isPaused) {
        await this.#rest(signal);
        continue;
      }
      const check = this.#isReady ? this.#options.ping : this.#options.askAsClient;
      try {
        await check(AbortSignal.any([signal, startTimeout(ANSWER_MS)]));
        this.#isReady = true;
        this.#reason = "";
        missed = 0;
      } catch (error) {
        if (signal.aborted) return;
        if (this.#isPaused) continue;
        missed += 1;
        if (!this.#isReady || missed >= MISSED) {
          this.#isReady = false;
          this.#reason = describeError(error).slice(0, 500);
        }
      }
      await this.#rest(signal);
    }
  }

  async #rest(signal: AbortSignal): Promise<void> {
    this.#wake = new AbortController();
    const ms = this.#isReady ? NEXT_MS : FIRST_MS;
    await delay(ms, undefined, { signal: AbortSignal.any([signal, this.#wake.signal]) }).catch(() => undefined);
  }

  /**
   * Answers the kubelet: `/readyz` with 200 or 503 and the reason.
   *
   * @param answerOther Answers what is not the kubelet's. @returns Whether it does.
   */
  async serve(host: string, port: number, answerOther: RequestAnswerer = () => false): Promise<Server> {
    const server = createServer((request, response) => {
      if (answerOther(request, response)) return;
      const { isReady, reason } = this.state;
      const isAsked = request.url === "/readyz";
      const status = isAsked ? (isReady ? 200 : 503) : 404;
      response.writeHead(status, { "content-type": "text/plain; charset=utf-8" });
      response.end(isAsked ? `${isReady ? "ok" : reason}\n` : "Only /readyz is here.\n");
    });
    server.maxConnections = 16;
    await listen(server, { host, port });
    return server;
  }
}
