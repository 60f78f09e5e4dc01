/**
 * The endpoint of a server that speaks HTTP itself (`sse`, `streamable-http`): a transparent proxy whose listener
 * outlives the server, with a health watch that warns and recovers.
 */
import { Agent, type IncomingMessage, type ServerResponse } from "node:http";
import type {
  CallGate,
  HttpConnection,
  Logger,
  McpEndpoint,
  McpEndpointCounts,
  ObservedCall,
  PinnedTools,
  ToolSelection,
} from "@toolhive/core";
import { ThvError } from "@toolhive/core/errors";
import { prepareEndpoint } from "../access/prepare-endpoint.ts";
import { LiveRules } from "../authz/live-rules.ts";
import { meterUsage } from "../find/meter-usage.ts";
import type { Access } from "../http/access.ts";
import { Awaited } from "../http/awaited.ts";
import { BodyBudget } from "../http/body-budget.ts";
import { answerHealth, Health, type ProbedServer } from "../http/health.ts";
import { HttpRefusal } from "../http/http-exchange.ts";
import { type Listener, openListener } from "../http/listener.ts";
import { OpenAnswers } from "../http/open-answers.ts";
import type { Caller } from "../messages/caller.ts";
import { RPC_ERRORS } from "../messages/json-rpc.ts";
import { DEFAULT_BOUNDS, type Limits } from "../options/limits.ts";
import { createPinLayer } from "../pins/pin-rules.ts";
import type { EndpointOptions } from "../transports/stdio-endpoint.ts";
import { type FindingExchange, HttpFinding } from "./http-finding.ts";
import { forward } from "./http-forward.ts";
import { type AdmittedBody, admitMessages, isInitialize, isJson, readRequestId } from "./http-messages.ts";
import { type HttpObservations, type ObservedExchange, openObservations } from "./http-observations.ts";
import { findTransport, HttpSessions, type HttpTransport } from "./http-sessions.ts";
import { UnreadMessages } from "./http-unread.ts";
import { HttpWatch, probeHttp } from "./http-watch.ts";
import { openRemoteRoute, type RemoteRoute } from "./remote/agent.ts";
import { openRemoteExchange, type RemoteExchange } from "./remote/exchange.ts";
import { RemoteHandshake } from "./remote/handshake.ts";
import type { NamedServer } from "./remote/problems.ts";
import { Replicas } from "./replicas.ts";

export interface HttpEndpointOptions extends Omit<EndpointOptions, "transport"> {
  readonly transport: HttpTransport;
  /** Called when the server stops answering and when it answers again. */
  readonly onHealth?: (isHealthy: boolean, reason: string) => void;
}

interface HttpEndpointParts extends Omit<HttpEndpointOptions, "limits" | "log" | "access"> {
  readonly limits: Limits;
  readonly log: Logger;
  readonly access: Access | undefined;
}

/** One request of a client, and the parts that read its messages. */
interface ClientExchange {
  readonly path: string;
  readonly caller: Caller;
  readonly observed: ObservedExchange | undefined;
  readonly finding: FindingExchange;
}

export class HttpEndpoint implements AsyncDisposable, ProbedServer {
  /** A server that speaks HTTP can be probed before any client has initialized it. */
  readonly isInitialized = true;
  readonly #options: Omit<HttpEndpointOptions, "limits" | "log" | "access">;
  readonly #limits: Limits;
  readonly #log: Logger;
  readonly #access: Access | undefined;
  readonly #rules: LiveRules;
  readonly #answers: OpenAnswers;
  /** Ends the exchanges that are being forwarded, with a reason. */
  readonly #onDisconnected = new Set<(reason: string) => void>();
  readonly #agent = new Agent({ keepAlive: true });
  readonly #bodyBudget: BodyBudget;
  readonly #observations: HttpObservations | undefined;
  readonly #unread = new UnreadMessages();
  readonly #finding: HttpFinding;
  readonly #sessions: HttpSessions;
  readonly #replicas: Replicas | undefined;
  readonly #health: Health;
  /** The server, which requests wait for. */
  readonly #target = new Awaited<HttpConnection>();
  #listener: Listener | undefined;
  /** The way to a remote server. */
  #route: RemoteRoute | undefined;
  /** Checks the remote server. */
  #handshake: RemoteHandshake | undefined;
  /** Whether the remote server did its work when it was asked last. */
  #hasShakenHands = false;
  #watch: HttpWatch | undefined;

  private constructor({ limits, log, access, ...options }: HttpEndpointParts) {
    this.#options = options;
    this.#limits = limits;
    this.#log = log;
    this.#answers = new OpenAnswers(limits.maxRequests);
    this.#access = access;
    this.#rules = new LiveRules(options, access?.rules);
    this.#observations = openObservations(meterUsage(access?.observer, options.usage, this.#rules));
    this.#finding = new HttpFinding({
      limits,
      admission: {
        observe: (caller, message) => this.#observations?.observe(caller, message),
        findRefusal: (caller, message) => this.#rules.findRefusal(caller, message),
      },
      answer: (request, response, caller) =>
        this.#handle(request, response, (request.url ?? "/").split("?", 1)[0] ?? "/", caller),
    });
    this.#bodyBudget = new BodyBudget({ maxBytes: limits.maxBodyBudgetBytes, backlogBytes: () => 0 });
    const { replicas, transport } = options;
    this.#replicas = replicas && new Replicas(replicas, () => performance.now());
    this.#sessions = new HttpSessions(transport, replicas !== undefined);
    this.#health = new Health({
      server: this,
      limits,
      version: options.version,
      transport: options.transport === "any" ? "streamable-http" : options.transport,
      counts: () => this.counts,
      now: () => performance.now(),
      date: () => new Date(),
    });
  }

  /**
   * @throws {ThvError} `PORT_IN_USE`, `INVALID_ARGUMENT` when the address is not one of this machine or an access rule is
   * wrong, `ISSUER_UNAVAILABLE`.
   */
  static async open(options: HttpEndpointOptions): Promise<HttpEndpoint> {
    const prepared = await prepareEndpoint(options, options.transport, DEFAULT_BOUNDS);
    const endpoint = new HttpEndpoint({ ...options, ...prepared });
    endpoint.#listener = await openListener({
      ...options,
      ...prepared,
      handle: (request, response, path, caller) => endpoint.#handle(request, response, path, caller),
    });
    return endpoint;
  }

  get port(): number {
    return this.#listener?.port ?? this.#options.port;
  }

  /** Streams and requests that are being forwarded; sessions are the server's own and not counted. */
  get counts(): McpEndpointCounts {
    return { sessions: 0, streams: this.#answers.streamCount, pendingRequests: this.#answers.pendingCount };
  }

  get isConnected(): boolean {
    return this.#target.value !== undefined;
  }

  get listedTools(): readonly string[] | undefined {
    return this.#rules.listedTools;
  }

  get recentCalls(): readonly ObservedCall[] | undefined {
    return this.#access?.recentCalls?.list();
  }

  get judge(): McpEndpoint["judge"] {
    return this.#access?.judge;
  }

  /** Whether the connected server has answered and not failed since. */
  get isReady(): boolean {
    return this.#watch?.isHealthy === true || this.#hasShakenHands;
  }

  /**
   * Sends further requests to a server; replaces the one before.
   *
   * @param options.resume It is the same server as before at the same address, which may still answer. Default false.
   */
  connect(target: HttpConnection, { resume = false }: { readonly resume?: boolean } = {}): void {
    const reason = "another server took its place";
    this.disconnect(reason);
    // A container that was replaced may not have closed its connections; the same server may still answer on them.
    if (!resume) this.#endExchanges(reason);
    const { remote } = target;
    const route = remote && openRemoteRoute(remote);
    this.#route = route;
    if (remote && route && !remote.isTransparent)
      this.#handshake = new RemoteHandshake({ remote, route, server: this.#nameServer(remote.url, route, "/mcp") });
    else this.#watch = this.#openWatch(target);
    this.#target.value = target;
  }

  #openWatch(target: HttpConnection): HttpWatch {
    return new HttpWatch({
      target,
      route: this.#route,
      limits: this.#limits,
      now: () => performance.now(),
      onChange: (isHealthy, reason) => {
        this.#log.info({ workload: this.#options.name, isHealthy, reason }, "server health changed");
        this.#options.onHealth?.(isHealthy, reason);
      },
      onCutOff: (reason) => {
        const exchanges = this.#onDisconnected.size;
        if (exchanges === 0) return;
        this.#log.warn({ workload: this.#options.name, reason, exchanges }, "server is cut off");
        this.#endExchanges(`it accepts no connections: ${reason}`);
      },
    });
  }

  /** The server has ended: ends what is being forwarded; further requests wait a bounded time for the next server. */
  disconnect(reason: string): void {
    if (this.#target.value === undefined) return;
    this.#log.info({ workload: this.#options.name, reason }, "server disconnected");
    this.#target.value = undefined;
    this.#watch?.[Symbol.dispose]();
    this.#watch = undefined;
    this.#handshake?.[Symbol.dispose]();
    this.#handshake = undefined;
    this.#hasShakenHands = false;
    this.#answers.destroyBegun();
    this.#route?.agent.destroy();
    this.#route = undefined;
  }

  /** Measures one round trip to the server. @returns Milliseconds. @throws {ThvError} `SERVER_NOT_READY`. */
  async probe(signal: AbortSignal): Promise<number> {
    const target = this.#target.value;
    if (target === undefined) throw new ThvError("SERVER_NOT_READY", "The server is not connected.");
    const handshake = this.#handshake;
    if (handshake === undefined) return await probeHttp(target, signal, this.#route);
    const startedAt = performance.now();
    try {
      await handshake.check(signal);
      if (this.#target.value === target) this.#hasShakenHands = true;
    } catch (error) {
      if (this.#target.value === target) this.#hasShakenHands = false;
      throw error;
    }
    return performance.now() - startedAt;
  }

  chooseTools(selection: ToolSelection): void {
    this.#rules.choose(selection);
    this.#announceTools();
  }

  pinTools(pins: PinnedTools | undefined): void {
    if (this.#rules.pin(pins && createPinLayer(pins))) this.#announceTools();
  }

  #announceTools(): void {
    this.#answers.announceTools(this.#options.transport === "sse");
  }

  guard(gate: CallGate | undefined): void {
    this.#listener?.guard(gate);
  }

  /** Only the server knows the subscriptions of a session; their messages arrive on a stream, which counts as a call. */
  get hasSubscribers(): boolean {
    return false;
  }

  leave(): void {
    this.#listener?.leave();
  }

  async close(): Promise<void> {
    const finish = (): void => {
      this.disconnect("the endpoint is closing");
      this.#target.wake();
      this.#answers.destroyBegun();
    };
    await this.#listener?.close(finish, () => this.#agent.destroy());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #handle(request: IncomingMessage, response: ServerResponse, path: string, caller: Caller): Promise<void> {
    if (path === "/health") {
      await answerHealth(request, response, this.#health);
      return;
    }
    if (this.#checksPaths) this.#sessions.check(request, path, caller);
    this.#answers.add(response);
    try {
      const observed = this.#observations?.begin(request, response, caller);
      const isSse = findTransport(this.#options.transport, path) === "sse";
      const finding = this.#finding.begin({ request, response, caller, isSse });
      const isRead = this.#options.isRemote || this.#judgesAll || (this.#rules.mayRefuse && isJson(request));
      const mustRead = isRead && request.method === "POST";
      const admitted = mustRead ? await this.#admit(request, response, { path, caller, observed, finding }) : undefined;
      if (mustRead && admitted === undefined) return;
      await this.#forward(request, response, { path, caller, observed, finding, admitted });
    } finally {
      this.#answers.delete(response);
    }
  }

  async #admit(
    request: IncomingMessage,
    response: ServerResponse,
    { path, caller, observed, finding }: ClientExchange,
  ): Promise<AdmittedBody | undefined> {
    const rules = this.#rules.current;
    return await admitMessages(request, response, {
      bodyBudget: this.#bodyBudget,
      limits: this.#limits,
      hasMirrorHeaders: findTransport(this.#options.transport, path) !== "sse",
      intercept: this.#rules.isFinding ? finding.intercept : undefined,
      passesUnread: !this.#options.isRemote && !this.#judgesAll,
      findRefusal: (message) => {
        const refusal = this.#rules.findRefusal(caller, message);
        if (message.envelope.kind !== "response") observed?.recordMessage(message, refusal !== undefined);
        return refusal;
      },
      rewrite: rules?.rewrite && ((message) => rules.rewrite?.(message) ?? message),
    });
  }

  async #forward(
    request: IncomingMessage,
    response: ServerResponse,
    { path, caller, observed, finding, admitted }: ClientExchange & { readonly admitted: AdmittedBody | undefined },
  ): Promise<void> {
    const { transport } = this.#options;
    const filterAndRecord = (message: Buffer): Buffer | undefined => {
      const shown = this.#rules.current?.filter(caller, message) ?? message;
      observed?.recordAnswer(shown);
      return finding.change(shown);
    };
    const target = await this.#waitForTarget(response);
    const owner = this.#isRestricted ? caller.id : "";
    const replicas = this.#replicas;
    const { port } = target;
    const route = await replicas?.route(request, { transport: findTransport(transport, path), port, caller: owner });
    await forward(request, response, {
      route,
      sealId: replicas && route && ((id) => replicas.sealId(id, route.address, owner)),
      sealPostAddress: replicas && route && ((address) => replicas.sealPostAddress(address, route.address, owner)),
      body: admitted?.bytes,
      called: admitted?.called,
      change: this.#rules.current || this.#judgesAll ? filterAndRecord : undefined,
      passesUnread: !this.#judgesAll,
      maxMessageBytes: this.#limits.maxLineBytes,
      target: route ? { ...target, host: route.address } : target,
      agent: this.#route?.agent ?? this.#agent,
      tls: this.#route?.tls,
      remote: this.#openExchange(request, response, target, { path, admitted }),
      maxBodyBytes: this.#limits.maxBodyBytes,
      hasEndpointEvent: transport === "sse" || (transport === "any" && request.method === "GET" && path !== "/mcp"),
      // The answer to a call may be a stream, too: it is pending until it ends.
      onStream: (filter) => {
        finding.recordStream(filter);
        if (request.method === "GET") this.#answers.addStream(request, response, filter);
      },
      connectMs: this.#limits.connectMs,
      onDisconnected: this.#onDisconnected,
      // Also while no path is checked: tools may be chosen later, and the sessions stay.
      sessionOwners: replicas ? undefined : this.#sessions.createOwners(request, caller),
      keepsAuthorization: this.#access?.needsToken !== true,
      along: observed && this.#unread.follow(observed),
      onAddress: (address) => {
        observed?.recordPostAddress(address);
        finding.recordPostAddress(address);
      },
      log: this.#log,
    });
  }

  /** The paths of a remote server are its own, and it is not for clients to choose among them with its token. */
  get #checksPaths(): boolean {
    const isSse = this.#options.isRemote && this.#options.transport === "sse";
    return this.#isRestricted || isSse === true;
  }

  /** Whether the endpoint distinguishes callers, or restricts them by rules. */
  get #isRestricted(): boolean {
    return this.#access?.isRestricted === true || this.#rules.areStrict;
  }

  /** Whether nothing passes that cannot be read. Pins of known tools read what clients take for messages, and nothing else. */
  get #judgesAll(): boolean {
    return this.#access?.observer !== undefined || this.#rules.areStrict || this.#rules.isFinding;
  }

  #openExchange(
    request: IncomingMessage,
    response: ServerResponse,
    { remote }: HttpConnection,
    { path, admitted }: { readonly path: string; readonly admitted: AdmittedBody | undefined },
  ): RemoteExchange | undefined {
    const route = this.#route;
    if (!remote || !route) return undefined;
    const server = this.#nameServer(remote.url, route, path);
    return openRemoteExchange(request, response, {
      ...{ remote, server, path },
      isRead: admitted !== undefined,
      id: admitted && readRequestId(admitted),
      givesSession: admitted && isInitialize(admitted) ? this.#handshake : undefined,
    });
  }

  #nameServer(url: URL, { proxy }: RemoteRoute, path: string): NamedServer {
    return { name: this.#options.name, url, proxy, transport: findTransport(this.#options.transport, path) };
  }

  /** Waits until a server is connected, the time is over, the client has left, or the endpoint closes. */
  async #waitForTarget(response: ServerResponse): Promise<HttpConnection> {
    const target = await this.#target.wait(response, this.#limits.queueWaitMs);
    if (target !== undefined) return target;
    throw new HttpRefusal(502, RPC_ERRORS.SERVER_UNAVAILABLE, "No server is running behind this endpoint.");
  }

  #endExchanges(reason: string): void {
    for (const end of [...this.#onDisconnected]) end(reason);
  }
}
