/**
 * The endpoint of a server that speaks HTTP itself (`sse`, `streamable-http`): a transparent proxy whose listener
 * outlives the server, with a health watch that warns and recovers.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
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
import { prepareEndpoint } from "../access/prepare-endpoint.ts";
import { LiveRules } from "../authz/live-rules.ts";
import { meterUsage } from "../find/meter-usage.ts";
import type { Access } from "../http/access.ts";
import { BodyBudget } from "../http/body-budget.ts";
import { answerHealth, Health, type ProbedServer } from "../http/health.ts";
import { type Listener, openListener } from "../http/listener.ts";
import { OpenAnswers } from "../http/open-answers.ts";
import type { Caller } from "../messages/caller.ts";
import { DEFAULT_BOUNDS, type Limits } from "../options/limits.ts";
import { createPinLayer } from "../pins/pin-rules.ts";
import type { EndpointOptions } from "../transports/stdio-endpoint.ts";
import { ClientExchange, type EndpointParts } from "./client-exchange.ts";
import { ConnectedServer } from "./connected-server.ts";
import type { ForwardSettings } from "./exchange/forward.ts";
import { HttpFinding } from "./http-finding.ts";
import { openObservations } from "./http-observations.ts";
import { HttpSessions, type HttpTransport } from "./http-sessions.ts";
import { UnreadMessages } from "./http-unread.ts";
import { Replicas } from "./replicas.ts";

export interface HttpEndpointOptions extends Omit<EndpointOptions, "transport"> {
  readonly transport: HttpTransport;
  /** Called when the server stops answering and when it answers again. */
  readonly onHealth?: (isHealthy: boolean, reason: string) => void;
}

interface PreparedParts extends Omit<HttpEndpointOptions, "limits" | "log" | "access"> {
  readonly limits: Limits;
  readonly log: Logger;
  readonly access: Access | undefined;
}

export class HttpEndpoint implements AsyncDisposable, ProbedServer {
  /** A server that speaks HTTP can be probed before any client has initialized it. */
  readonly isInitialized = true;
  readonly #options: PreparedParts;
  readonly #parts: EndpointParts;
  readonly #health: Health;
  #listener: Listener | undefined;

  private constructor(options: PreparedParts) {
    this.#options = options;
    this.#parts = this.#createParts(options);
    const { limits, version, transport } = options;
    this.#health = new Health({
      server: this,
      limits,
      version,
      transport: transport === "any" ? "streamable-http" : transport,
      counts: () => this.counts,
      now: () => performance.now(),
      date: () => new Date(),
    });
  }

  #createParts({ limits, log, access, name, transport, onHealth, ...options }: PreparedParts): EndpointParts {
    const rules = new LiveRules(options, access?.rules);
    const observations = openObservations(meterUsage(access?.observer, options.usage, rules));
    const answers = new OpenAnswers(limits.maxRequests);
    const open: ForwardSettings["open"] = new Set();
    const { maxBodyBytes, maxLineBytes: maxMessageBytes, connectMs } = limits;
    const onDisconnected = (): void => answers.destroyBegun();
    const replicas = options.replicas && new Replicas(options.replicas, () => performance.now());
    return {
      ...{ transport, limits, access, rules, answers, observations, replicas },
      isRemote: options.isRemote === true,
      unread: new UnreadMessages(),
      finding: new HttpFinding({
        limits,
        admission: {
          observe: (caller, message) => observations?.observe(caller, message),
          findRefusal: (caller, message) => rules.findRefusal(caller, message),
        },
        answer: async (request, response, caller) =>
          await this.#handle(request, response, (request.url ?? "/").split("?", 1)[0] ?? "/", caller),
      }),
      bodyBudget: new BodyBudget({ maxBytes: limits.maxBodyBudgetBytes, backlogBytes: () => 0 }),
      sessions: new HttpSessions(transport, replicas !== undefined),
      server: new ConnectedServer({ name, transport, limits, log, open, onHealth, onDisconnected }),
      settings: {
        maxBodyBytes,
        maxMessageBytes,
        connectMs,
        open,
        log,
        keepsAuthorization: access?.needsToken !== true,
      },
    };
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
    const { answers } = this.#parts;
    return { sessions: 0, streams: answers.streamCount, pendingRequests: answers.pendingCount };
  }

  get isConnected(): boolean {
    return this.#parts.server.isConnected;
  }

  get listedTools(): readonly string[] | undefined {
    return this.#parts.rules.listedTools;
  }

  get recentCalls(): readonly ObservedCall[] | undefined {
    return this.#options.access?.recentCalls?.list();
  }

  get judge(): McpEndpoint["judge"] {
    return this.#options.access?.judge;
  }

  /** Whether the connected server has answered and not failed since. */
  get isReady(): boolean {
    return this.#parts.server.isReady;
  }

  /**
   * Sends further requests to a server; replaces the one before.
   *
   * @param options.resume It is the same server as before at the same address, which may still answer. Default false.
   */
  connect(target: HttpConnection, { resume = false }: { readonly resume?: boolean } = {}): void {
    this.#parts.server.connect(target, resume);
  }

  /** The server has ended: ends what is being forwarded; further requests wait a bounded time for the next server. */
  disconnect(reason: string): void {
    this.#parts.server.disconnect(reason);
  }

  /** Measures one round trip to the server. @returns Milliseconds. @throws {ThvError} `SERVER_NOT_READY`. */
  async probe(signal: AbortSignal): Promise<number> {
    return await this.#parts.server.probe(signal);
  }

  chooseTools(selection: ToolSelection): void {
    this.#parts.rules.choose(selection);
    this.#announceTools();
  }

  pinTools(pins: PinnedTools | undefined): void {
    if (this.#parts.rules.pin(pins && createPinLayer(pins))) this.#announceTools();
  }

  #announceTools(): void {
    this.#parts.answers.announceTools(this.#options.transport === "sse");
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
    const { server, answers } = this.#parts;
    const finish = (): void => {
      this.disconnect("the endpoint is closing");
      server.target.wake();
      answers.destroyBegun();
    };
    await this.#listener?.close(finish, () => server.endExchanges("the endpoint is closing"));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #handle(incoming: IncomingMessage, response: ServerResponse, path: string, caller: Caller): Promise<void> {
    if (path === "/health") return answerHealth(incoming, response, this.#health);
    const { sessions, answers } = this.#parts;
    if (this.#checksPaths) sessions.check(incoming, path, caller);
    answers.add(response);
    return new ClientExchange(this.#parts, { incoming, response, path, caller }).answer();
  }

  /** The paths of a remote server are its own, and it is not for clients to choose among them with its token. */
  get #checksPaths(): boolean {
    const { isRemote, transport, access, rules } = this.#parts;
    return (isRemote && transport === "sse") || access?.isRestricted === true || rules.areStrict;
  }
}
