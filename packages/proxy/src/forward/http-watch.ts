/**
 * Watches an HTTP server behind the endpoint: alive, unhealthy after several failures, alive again when it answers. A
 * busy server still accepts connections; a server that accepts none is cut off, and its open requests end.
 */
import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import type { HttpConnection } from "@toolhive/core";
import { describeError } from "@toolhive/core/errors";
import { startTimeout } from "@toolhive/core/timeout-signal";
import type { Limits } from "../options/limits.ts";
import type { RemoteRoute } from "./remote/agent.ts";

export interface HttpWatchOptions {
  readonly target: HttpConnection;
  /** The way to a remote server. */
  readonly route?: RemoteRoute | undefined;
  readonly limits: Limits;
  readonly now: () => number;
  /** Called when the health changes, and once with the first result. */
  readonly onChange: (isHealthy: boolean, reason: string) => void;
  /** Called on each failed connection from the second in a row: a single one may have hit a full backlog. */
  readonly onCutOff: (reason: string) => void;
}

/** The server accepted no connection. */
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

  /** `undefined` until the server has answered or its start timeout has passed. */
  get isHealthy(): boolean | undefined {
    return this.#isHealthy;
  }

  [Symbol.dispose](): void {
    this.#stop.abort(new Error("the watch has ended"));
    clearTimeout(this.#timer);
  }

  #check(): void {
    const { limits, target, route } = this.#options;
    const signal = AbortSignal.any([this.#stop.signal, startTimeout(limits.probeMs)]);
    probeHttp(target, signal, route).then(
      () => this.#updateHealth(undefined),
      (error: unknown) => {
        this.#recordConnection(error);
        this.#updateHealth(describeError(error));
      },
    );
  }

  #recordConnection(error: unknown): void {
    this.#missedConnections = error instanceof NoConnection ? this.#missedConnections + 1 : 0;
    if (this.#missedConnections > 1 && !this.#stop.signal.aborted) this.#options.onCutOff(describeError(error));
  }

  #updateHealth(failure: string | undefined): void {
    if (this.#stop.signal.aborted) return;
    if (failure === undefined) this.#missedConnections = 0;
    const { limits, now } = this.#options;
    this.#failures = failure === undefined ? 0 : this.#failures + 1;
    const isStarting = this.#isHealthy === undefined && now() - this.#startedAt < limits.watchGraceMs;
    if (failure === undefined) this.#set(true, "the server answers");
    else if (!isStarting && this.#failures >= limits.watchFailures) this.#set(false, failure);
    // A starting server is probed more often, so that clients reach it as soon as it is ready.
    const pauseMs = this.#isHealthy === undefined ? Math.min(limits.watchMs, STARTING_PAUSE_MS) : limits.watchMs;
    this.#timer = setTimeout(() => this.#check(), pauseMs);
  }

  #set(isHealthy: boolean, reason: string): void {
    if (this.#isHealthy === isHealthy) return;
    this.#isHealthy = isHealthy;
    this.#options.onChange(isHealthy, reason);
  }
}

/** Milliseconds between two probes of a server that has not answered yet. */
const STARTING_PAUSE_MS = 250;

/**
 * One probe: any status below 500 counts as alive (reference behaviour 6.5). @returns Milliseconds of the round trip.
 */
export function probeHttp(
  { host, port, lookup, remote }: HttpConnection,
  signal: AbortSignal,
  route?: RemoteRoute,
): Promise<number> {
  const request = remote?.url.protocol === "https:" ? requestHttps : requestHttp;
  const way = { agent: route?.agent ?? false, ...route?.tls };
  return new Promise((resolve, reject) => {
    const startedAt = performance.now();
    const probe = request({ host, port, path: "/", method: "GET", signal, lookup, ...way }, (response) => {
      // The body may be an endless stream; the status line is enough.
      response.destroy();
      const { statusCode = 0 } = response;
      if (statusCode >= 200 && statusCode < 500) resolve(performance.now() - startedAt);
      else reject(new Error(`The server answers with status ${statusCode}.`));
    });
    let isConnected = false;
    probe.on("socket", (socket) => socket.once("connect", () => (isConnected = true)));
    probe.on("error", (error) =>
      reject(isConnected ? error : new NoConnection(describeError(error), { cause: error })),
    );
    // After an answer that switches to another protocol, nothing else arrives.
    probe.on("close", () => reject(new Error("The server answers with something else than HTTP.")));
    probe.end();
  });
}
