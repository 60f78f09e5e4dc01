/**
 * Watches an HTTP server behind the endpoint: alive, unhealthy after several failures, alive again when it answers. A server
 * that is busy still takes connections; one that takes none is cut off, and will not answer what it was asked.
 */
import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { messageOf } from "@toolhive/core/errors";
import type { Limits } from "../options/limits.ts";

export interface HttpTarget {
  /** Where the server is reached, usually a published port on 127.0.0.1. */
  readonly host: string;
  readonly port: number;
  /** Present for a server of somebody else's, which is addressed by its own name. */
  readonly remote?: RemoteServer;
}

export interface RemoteServer {
  readonly isSecure: boolean;
  /**
   * What the server is told in place of what the caller said. Asked before each request.
   *
   * @returns The value of `Authorization`, or `undefined` when the caller's is handed on.
   * @throws When there is no token to be had: the request is refused with its message.
   */
  readonly authorize?: () => Promise<string | undefined>;
  /** Told when the server does not take the token. */
  readonly onRefused?: () => void;
}

export interface HttpWatchOptions {
  readonly target: HttpTarget;
  readonly limits: Limits;
  readonly now: () => number;
  /** Called when the verdict changes; the first verdict is a change. */
  readonly onChange: (isHealthy: boolean, reason: string) => void;
  /** Called while the server takes no connection, from the second look in a row on: one may hit a full backlog. */
  readonly onCutOff: (reason: string) => void;
}

/** No connection came about. */
class NoConnection extends Error {}

export class HttpWatch implements Disposable {
  readonly #options: HttpWatchOptions;
  readonly #startedAt: number;
  readonly #stop = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #failures = 0;
  #missedConnections = 0;
  #isHealthy: boolean | undefined;

  constructor(options: HttpWatchOptions) {
    this.#options = options;
    this.#startedAt = options.now();
    this.#check();
  }

  /** `undefined` until the server has answered or its time to start is over. */
  get isHealthy(): boolean | undefined {
    return this.#isHealthy;
  }

  [Symbol.dispose](): void {
    this.#stop.abort(new Error("the watch has ended"));
    clearTimeout(this.#timer);
  }

  #check(): void {
    const { limits, target } = this.#options;
    const signal = AbortSignal.any([this.#stop.signal, AbortSignal.timeout(limits.probeMs)]);
    probeHttp(target, signal).then(
      () => this.#updateHealth(undefined),
      (error: unknown) => {
        this.#recordConnection(error);
        this.#updateHealth(messageOf(error));
      },
    );
  }

  #recordConnection(error: unknown): void {
    this.#missedConnections = error instanceof NoConnection ? this.#missedConnections + 1 : 0;
    if (this.#missedConnections > 1 && !this.#stop.signal.aborted) this.#options.onCutOff(messageOf(error));
  }

  #updateHealth(failure: string | undefined): void {
    if (this.#stop.signal.aborted) return;
    if (failure === undefined) this.#missedConnections = 0;
    const { limits, now } = this.#options;
    this.#failures = failure === undefined ? 0 : this.#failures + 1;
    const isStarting = this.#isHealthy === undefined && now() - this.#startedAt < limits.watchGraceMs;
    if (failure === undefined) this.#set(true, "the server answers");
    else if (!isStarting && this.#failures >= limits.watchFailures) this.#set(false, failure);
    // A server that starts is looked at more often, so that it is ready for clients soon after it is.
    const pauseMs = this.#isHealthy === undefined ? Math.min(limits.watchMs, STARTING_PAUSE_MS) : limits.watchMs;
    this.#timer = setTimeout(() => this.#check(), pauseMs);
  }

  #set(isHealthy: boolean, reason: string): void {
    if (this.#isHealthy === isHealthy) return;
    this.#isHealthy = isHealthy;
    this.#options.onChange(isHealthy, reason);
  }
}

/** Milliseconds between two looks at a server that has not answered yet. */
const STARTING_PAUSE_MS = 250;

/** One look: any answer below 500 is a sign of life (reference behaviour 6.5). @returns Milliseconds it took. */
export function probeHttp({ host, port, remote }: HttpTarget, signal: AbortSignal): Promise<number> {
  const request = remote?.isSecure ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const startedAt = performance.now();
    const probe = request({ host, port, path: "/", method: "GET", signal, agent: false }, (response) => {
      // The body may be an endless stream; the status line is enough.
      response.destroy();
      const { statusCode = 0 } = response;
      if (statusCode >= 200 && statusCode < 500) resolve(performance.now() - startedAt);
      else reject(new Error(`The server answers with status ${statusCode}.`));
    });
    let isConnected = false;
    probe.on("socket", (socket) => socket.once("connect", () => (isConnected = true)));
    probe.on("error", (error) => reject(isConnected ? error : new NoConnection(messageOf(error), { cause: error })));
    probe.end();
  });
}
