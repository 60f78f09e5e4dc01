/** The server behind an endpoint, while there is one: the way to it, whether it works, and what is under way there. */
import type { HttpConnection, Logger } from "@toolhive/core";
import { ThvError } from "@toolhive/core/errors";
import type { Dispatcher } from "undici";
import { Awaited } from "../http/awaited.ts";
import type { Limits } from "../options/limits.ts";
import type { ForwardSettings } from "./exchange/forward.ts";
import { openServerClient } from "./exchange/server-client.ts";
import { findTransport, type HttpTransport } from "./http-sessions.ts";
import { HttpWatch, probeHttp } from "./http-watch.ts";
import { openRemoteRoute, type RemoteRoute } from "./remote/agent.ts";
import { RemoteHandshake } from "./remote/handshake.ts";
import type { NamedServer } from "./remote/problems.ts";

interface ConnectedServerOptions {
  /** Of the workload. */
  readonly name: string;
  readonly transport: HttpTransport;
  readonly limits: Limits;
  readonly log: Logger;
  /** Exchanges that are being forwarded. */
  readonly open: ForwardSettings["open"];
  /** Called when the server stops answering and when it answers again. */
  readonly onHealth: ((isHealthy: boolean, reason: string) => void) | undefined;
  /** Called when the server has ended, or another one takes its place. */
  readonly onDisconnected: () => void;
}

export class ConnectedServer {
  readonly #options: ConnectedServerOptions;
  /** What requests wait for. */
  readonly target = new Awaited<HttpConnection>();
  #client: Dispatcher | undefined;
  /** The way to a remote server. */
  #route: RemoteRoute | undefined;
  /** Checks the remote server. */
  #handshake: RemoteHandshake | undefined;
  /** Whether the remote server did its work when it was asked last. */
  #hasShakenHands = false;
  #watch: HttpWatch | undefined;

  constructor(options: ConnectedServerOptions) {
    this.#options = options;
  }

  get isConnected(): boolean {
    return this.target.value !== undefined;
  }

  /** Whether the connected server has answered and not failed since. */
  get isReady(): boolean {
    return this.#watch?.isHealthy === true || this.#hasShakenHands;
  }

  /** Sends requests to it. Present while it is connected. */
  get client(): Dispatcher | undefined {
    return this.#client;
  }

  get handshake(): RemoteHandshake | undefined {
    return this.#handshake;
  }

  /** See `HttpEndpoint`. */
  connect(target: HttpConnection, resume: boolean): void {
    const reason = "another server took its place";
    this.disconnect(reason);
    // A container that was replaced may not have closed its connections; the same server may still answer on them.
    if (!resume) this.endExchanges(reason);
    const { remote, lookup } = target;
    const route = remote && openRemoteRoute(remote);
    const { connectMs } = this.#options.limits;
    this.#route = route;
    this.#client = openServerClient({ connectMs, lookup, connect: route?.connect, ...route?.tls });
    if (remote && route && !remote.isTransparent)
      this.#handshake = new RemoteHandshake({ remote, route, server: this.nameServer(remote.url, "/mcp") });
    else this.#watch = this.#openWatch(target);
    this.target.value = target;
  }

  /** The server has ended: further requests wait a bounded time for the next server. */
  disconnect(reason: string): void {
    if (this.target.value === undefined) return;
    this.#options.log.info({ workload: this.#options.name, reason }, "server disconnected");
    this.target.value = undefined;
    this.#watch?.[Symbol.dispose]();
    this.#watch = undefined;
    this.#handshake?.[Symbol.dispose]();
    this.#handshake = undefined;
    this.#hasShakenHands = false;
    this.#options.onDisconnected();
    // What a server of this machine still answers on its connections may arrive.
    if (this.#route === undefined) void this.#client?.close();
    else void this.#client?.destroy();
    this.#client = undefined;
    this.#route?.agent.destroy();
    this.#route = undefined;
  }

  /** Measures one round trip to the server. @returns Milliseconds. @throws {ThvError} `SERVER_NOT_READY`. */
  async probe(signal: AbortSignal): Promise<number> {
    const target = this.target.value;
    if (target === undefined) throw new ThvError("SERVER_NOT_READY", "The server is not connected.");
    const handshake = this.#handshake;
    if (handshake === undefined) return await probeHttp(target, signal, this.#route);
    const startedAt = performance.now();
    try {
      await handshake.check(signal);
      if (this.target.value === target) this.#hasShakenHands = true;
    } catch (error) {
      if (this.target.value === target) this.#hasShakenHands = false;
      throw error;
    }
    return performance.now() - startedAt;
  }

  /** @param path Of a client's request. */
  nameServer(url: URL, path: string): NamedServer {
    const { name, transport } = this.#options;
    return { name, url, proxy: this.#route?.proxy, transport: findTransport(transport, path) };
  }

  endExchanges(reason: string): void {
    for (const exchange of [...this.#options.open]) exchange.end(reason);
  }

  #openWatch(target: HttpConnection): HttpWatch {
    const { name, limits, log, open, onHealth } = this.#options;
    return new HttpWatch({
      target,
      route: this.#route,
      limits,
      now: () => performance.now(),
      onChange: (isHealthy, reason) => {
        log.info({ workload: name, isHealthy, reason }, "server health changed");
        onHealth?.(isHealthy, reason);
      },
      onCutOff: (reason) => {
        if (open.size === 0) return;
        log.warn({ workload: name, reason, exchanges: open.size }, "server is cut off");
        this.endExchanges(`it accepts no connections: ${reason}`);
      },
    });
  }
}
