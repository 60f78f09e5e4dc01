/**
 * Many client sessions over one server process: sends requests under ids of its own, brings every reply to whoever
 * asked, and answers itself when the server cannot. No transport is known here.
 */
import type { Logger, StdioConnection } from "@toolhive/core";
import type { Caller } from "./access/caller.ts";
import type { Policy } from "./authz/policy.ts";
import { type ClientMessage, isRecord } from "./client-message.ts";
import { Handshake } from "./handshake.ts";
import { Inflow } from "./inflow.ts";
import { copyOf, type Envelope, errorReply, notification, numberAt, RPC_ERRORS, resultReply } from "./json-rpc.ts";
import { findMembers, splice } from "./json-scanner.ts";
import type { Limits } from "./limits.ts";
import { CANCELLED, INITIALIZED, SUBSCRIBE, UNSUBSCRIBE } from "./methods.ts";
import { type Observation, type Observer, observedReply } from "./observe/observer.ts";
import { OwnRequests } from "./own-requests.ts";
import { keyOf, type PendingRequest, PendingRequests, type Reply } from "./pending-requests.ts";
import { ServerLink } from "./server-link.ts";
import { ServerNotifications } from "./server-notifications.ts";
import { ServerRequests } from "./server-requests.ts";
import type { Session } from "./session.ts";
import { SessionStore } from "./session-store.ts";
import { Subscriptions } from "./subscriptions.ts";
import { UnsentRequests } from "./unsent-requests.ts";

/** Where writers of JSON-RPC put the id of a response; in between is the result. */
const ID_AT_START = /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d{1,16})\s*,/;
const ID_AT_END = /,\s*"id"\s*:\s*(\d{1,16})\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/;

export interface MuxOptions {
  readonly limits: Limits;
  readonly log: Logger;
  /** Milliseconds, monotonic. */
  readonly now: () => number;
  /** What callers may do. Default: everything. */
  readonly policy?: Policy | undefined;
  /** Hears of calls. Default: nobody. */
  readonly observer?: Observer | undefined;
  /** First id used towards the server. */
  readonly firstRequestId: number;
}

export class Mux {
  readonly sessions: SessionStore;
  /** Asked before a client's body is read. */
  readonly inflow: Inflow;
  readonly #options: MuxOptions;
  readonly #pending: PendingRequests;
  readonly #handshake: Handshake;
  readonly #serverRequests: ServerRequests;
  readonly #notifications: ServerNotifications;
  readonly #subscriptions: Subscriptions;
  /** Requests that no server has got yet, oldest first. */
  readonly #unsent: UnsentRequests;
  readonly #own: OwnRequests;
  #link: ServerLink | undefined;
  #isInitializedSent = false;

  constructor(options: MuxOptions) {
    const { limits, now } = options;
    this.#options = options;
    this.#pending = new PendingRequests(options.firstRequestId);
    this.sessions = new SessionStore({ limits, now, onEnd: (session, reason) => this.#forget(session, reason) });
    this.inflow = new Inflow({
      maxBytes: limits.maxInflowBytes,
      backlogBytes: () => this.#link?.backlogBytes ?? 0,
    });
    this.#unsent = new UnsentRequests(limits.maxStdinBytes);
    this.#own = new OwnRequests({ limits, now, pending: this.#pending, send: (request) => this.#send(request) });
    this.#handshake = new Handshake({
      limits,
      now,
      send: (envelope, reply) => this.#own.send(envelope, reply, limits.initializeMs),
      onReady: (again) => this.#becomeReady(again),
      onRefused: (reason) => this.#loseSessions(reason),
    });
    this.#serverRequests = new ServerRequests({
      limits,
      now,
      sessions: this.sessions,
      busySessions: this.#pending.busySessions,
      sendToServer: (message) => this.#tellServer(message),
    });
    this.#notifications = new ServerNotifications({
      sessions: this.sessions,
      pending: this.#pending,
      serverRequests: this.#serverRequests,
    });
    this.#subscriptions = new Subscriptions({
      sessions: this.sessions,
      maxPerSession: limits.maxSessionSubscriptions,
      send: (method, params) => {
        if (this.isInitialized) this.#own.tell(method, params);
      },
    });
  }

  get isConnected(): boolean {
    return this.#link !== undefined;
  }

  /** Whether the connected process has sent a valid message. */
  get hasServerSpoken(): boolean {
    return this.#link?.hasSpoken ?? false;
  }

  /** Whether the connected process has a session of ours. */
  get isInitialized(): boolean {
    return this.isConnected && this.#handshake.isReady;
  }

  get pendingCount(): number {
    return this.#pending.size + this.#handshake.waitingCount;
  }

  connect(connection: StdioConnection, { resume = false }: { resume?: boolean } = {}): void {
    this.disconnect("Another server process took its place.");
    const { limits, log } = this.#options;
    const link = new ServerLink({
      connection,
      limits,
      log,
      onMessage: (envelope) => this.#receive(envelope),
      onOversize: (head, tail) => this.#failOversize(head, tail),
      onDrain: () => this.inflow.wake(),
      onGone: (reason) => {
        log.warn({ reason }, "server connection lost");
        this.disconnect(reason);
      },
    });
    this.#link = link;
    this.#isInitializedSent = false;
    this.#handshake.connect({ hasSessions: this.sessions.hasEstablished, isSameProcess: resume });
  }

  disconnect(reason: string): void {
    const link = this.#link;
    if (link === undefined) return;
    this.#link = undefined;
    link.close();
    this.#handshake.disconnect();
    for (const request of [...this.#pending]) {
      if (request.outgoing === undefined)
        this.#fail(request, RPC_ERRORS.SERVER_GONE, `The server went away: ${reason}`);
    }
    this.#serverRequests.disconnect(reason);
    this.inflow.wake();
  }

  /** @returns Why policies do not let a message pass; `undefined` when they do. */
  refusalOf(caller: Caller, message: ClientMessage): string | undefined {
    return this.#options.policy?.refusalOf(caller, message);
  }

  /** Begins to watch a call that is answered without `request`. @returns `undefined` when nobody watches. */
  observe(caller: Caller, message: ClientMessage): Observation | undefined {
    return this.#options.observer?.begin(caller, message);
  }

  #observed(caller: Caller, message: ClientMessage, reply: Reply): Reply {
    const observation = this.observe(caller, message);
    return observation === undefined ? reply : observedReply(reply, observation);
  }

  /** Takes any message but `initialize`. @param reply For requests. */
  take(session: Session, message: ClientMessage, reply: Reply | undefined): void {
    if (message.envelope.kind === "notification") this.notify(session, message);
    else if (message.envelope.kind === "response") this.respond(session, message);
    else if (reply !== undefined) this.request(session, message, reply);
  }

  /**
   * Answers a client's `initialize`; the session is created by the transport when the reply is a result.
   *
   * @param caller Whoever sent it; absent when it is the endpoint's own.
   */
  initialize(message: ClientMessage, given: Reply, caller?: Caller): void {
    const reply = caller === undefined ? given : this.#observed(caller, message, given);
    if (this.pendingCount >= this.#options.limits.maxRequests) refuse(message, reply, "Too many requests are open.");
    else this.#handshake.initialize(message, reply);
  }

  /** Forwards a client's request. The reply gets a response in every case, unless the client cancels. */
  request(session: Session, message: ClientMessage, given: Reply): void {
    const { limits, now } = this.#options;
    const reply = this.#observed(session.caller, message, given);
    const { envelope, params } = message;
    if (envelope.id === undefined) return;
    const id = copyOf(envelope.text, envelope.id);
    session.touch();
    if (session.requests.has(keyOf(id))) {
      reply.respond(errorReply(id, RPC_ERRORS.INVALID_REQUEST, "A request with this id is still in flight."));
      return;
    }
    if (session.requests.size >= limits.maxSessionRequests || this.pendingCount >= limits.maxRequests) {
      refuse(message, reply, "Too many requests are open.");
      return;
    }
    const refusal = this.refusalOf(session.caller, message);
    if (refusal !== undefined) {
      reply.respond(errorReply(id, RPC_ERRORS.DENIED, refusal), 403);
      return;
    }
    const uri = typeof params.uri === "string" ? params.uri : undefined;
    if (uri !== undefined && (envelope.method === SUBSCRIBE || envelope.method === UNSUBSCRIBE)) {
      const verdict = this.#subscriptions.note(session, envelope.method, uri);
      if (verdict === "answer") reply.respond(resultReply(id, "{}"));
      if (verdict === "refuse") refuse(message, reply, "The session has too many subscriptions.");
      if (verdict !== "forward") return;
    }
    const request = this.#pending.add(envelope, {
      session,
      reply,
      deadlineAt: now() + (this.isInitialized ? limits.requestMs : limits.queueWaitMs),
      hasProgressToken: isRecord(params._meta) && isToken(params._meta.progressToken),
      isTask: params.task !== undefined,
      uri: envelope.method === SUBSCRIBE ? uri : undefined,
    });
    if (request === undefined) return;
    if (this.isInitialized) this.#send(request);
    else if (!this.#unsent.add(request)) {
      this.#fail(request, RPC_ERRORS.TOO_MANY, "Too much is waiting for the server.");
    }
  }

  /** Forwards a client's notification. */
  notify(session: Session, message: ClientMessage): void {
    const { envelope } = message;
    session.touch();
    const refusal = this.refusalOf(session.caller, message);
    const outcome = refusal === undefined ? "success" : "denied";
    this.#options.observer?.begin(session.caller, message).end({ outcome, response: undefined });
    if (refusal !== undefined) {
      this.#options.log.info({ method: envelope.method, refusal }, "notification denied");
      return;
    }
    switch (envelope.method) {
      case INITIALIZED:
        this.completeInitialization(envelope.text);
        return;
      case CANCELLED:
        this.#cancelByClient(session, envelope);
        return;
      default:
        if (!this.isInitialized) return;
    }
    this.#tellServer(envelope.text);
  }

  /** Passes on a client's answer to a request of the server. */
  respond(session: Session, { envelope }: ClientMessage): void {
    session.touch();
    if (!this.#serverRequests.answer(session, envelope)) {
      this.#options.log.debug({ session: session.id }, "client answered a request that is not open");
    }
  }

  /** Raw JSON of the server's answer to `initialize`, once there is one. */
  get initializeResult(): Buffer | undefined {
    return this.#handshake.result;
  }

  /** Whether the server knows no sessions, so that requests of revision 2026-07-28 go to it as they are. */
  get isServerSessionless(): boolean {
    return this.#handshake.isSessionless;
  }

  /** The server hears once that initialization is over, from whoever says so first. */
  completeInitialization(message: Buffer = notification(INITIALIZED)): void {
    if (this.#isInitializedSent || !this.isInitialized || this.isServerSessionless) return;
    this.#isInitializedSent = true;
    this.#tellServer(message);
  }

  /** Ends what a session without a place in the store has going on. */
  abandon(session: Session, reason: string): void {
    this.#forget(session, reason);
  }

  /** Subscribes a session to resources in the endpoint's own name. */
  subscribe(session: Session, uris: readonly string[]): void {
    for (const uri of uris) {
      if (this.#subscriptions.add(session, uri)) this.#own.tell(SUBSCRIBE, { uri });
    }
  }

  /** One round trip to the server. @returns Milliseconds. @throws {ThvError} `SERVER_NOT_READY`. */
  probe(signal: AbortSignal): Promise<number> {
    return this.#own.probe(signal);
  }

  /** Applies every deadline. */
  sweep(): void {
    const now = this.#options.now();
    for (const request of [...this.#pending]) {
      if (request.deadlineAt > now) continue;
      if (request.outgoing !== undefined)
        this.#fail(request, RPC_ERRORS.SERVER_UNAVAILABLE, "No server was ready in time.");
      else {
        this.#cancelAtServer(request, "no answer in time");
        this.#fail(request, RPC_ERRORS.TIMEOUT, "The server did not answer in time.");
      }
    }
    this.#handshake.sweep(now);
    this.#serverRequests.sweep(now);
    this.sessions.sweep(now);
  }

  close(): void {
    this.disconnect("The endpoint is closing.");
    this.#handshake.close();
    this.sessions.endAll("the endpoint is closing");
    for (const request of [...this.#pending]) this.#fail(request, RPC_ERRORS.SERVER_GONE, "The endpoint is closing.");
  }

  #receive(envelope: Envelope): void {
    if (envelope.kind === "request") this.#serverRequests.route(envelope);
    else if (envelope.kind === "notification") this.#notifications.route(envelope);
    else this.#receiveResponse(envelope);
  }

  #receiveResponse({ text, id, result }: Envelope): void {
    const serverSideId = numberAt(text, id);
    const request = serverSideId === undefined ? undefined : this.#pending.find(serverSideId);
    if (id === undefined || request === undefined || request.outgoing !== undefined) {
      this.#options.log.debug({ id: serverSideId }, "server answered a request that is not open");
      return;
    }
    this.#pending.remove(request);
    if (result === undefined) this.#revokeSubscription(request);
    const response = splice(text, [{ span: id, bytes: request.clientId }]);
    const { policy } = this.#options;
    const shown = policy && request.session ? policy.filter(request.session.caller, response) : response;
    request.reply.respond(shown);
  }

  /** An answer was too long to be kept: its request fails, if the first or last bytes tell which one it is. */
  #failOversize(head: Buffer, tail: Buffer): void {
    this.#options.log.warn({ maxLineBytes: this.#options.limits.maxLineBytes }, "server wrote a line that is too long");
    const match = ID_AT_START.exec(head.toString("latin1")) ?? ID_AT_END.exec(tail.toString("latin1"));
    const request = match === null ? undefined : this.#pending.find(Number(match[1]));
    if (request === undefined) return;
    this.#fail(request, RPC_ERRORS.INTERNAL, "The server's answer is too large.");
  }

  #send(request: PendingRequest): void {
    const { outgoing } = request;
    if (outgoing === undefined) return;
    // Before the write, because an answer may come within it.
    request.outgoing = undefined;
    if (this.#link?.send(outgoing) === true) return;
    const reason = this.#link === undefined ? "No server is running." : "The server has stopped reading.";
    this.#fail(request, RPC_ERRORS.SERVER_UNAVAILABLE, reason);
  }

  #fail(request: PendingRequest, code: number, message: string): void {
    this.#unsent.remove(request);
    this.#pending.remove(request);
    this.#revokeSubscription(request);
    if (request.reply.fail === undefined) request.reply.respond(errorReply(request.clientId, code, message));
    else request.reply.fail(message);
  }

  #revokeSubscription({ session, uri }: PendingRequest): void {
    if (session !== undefined && uri !== undefined) this.#subscriptions.revoke(session, uri);
  }

  #becomeReady(again: boolean): void {
    const { limits, now } = this.#options;
    if (again) {
      this.completeInitialization();
      this.#subscriptions.restore();
    }
    for (const request of this.#unsent.takeAll()) {
      request.deadlineAt = now() + limits.requestMs;
      this.#send(request);
    }
  }

  #loseSessions(reason: string): void {
    this.#options.log.warn({ reason }, "sessions ended");
    this.sessions.endAll(reason);
  }

  #forget(session: Session, reason: string): void {
    for (const request of [...session.requests.values()]) {
      this.#cancelAtServer(request, reason);
      this.#fail(request, RPC_ERRORS.SERVER_GONE, `The session has ended: ${reason}.`);
    }
    this.#pending.forgetSession(session);
    this.#serverRequests.endSession(session);
    this.#subscriptions.endSession(session);
  }

  #cancelByClient(session: Session, { text, params }: Envelope): void {
    const span = params === undefined ? undefined : findMembers(text, params.start, ["requestId"])?.spans[0];
    const request = span === undefined ? undefined : session.requests.get(keyOf(copyOf(text, span)));
    // A cancellation may cross the response on the way; then there is nothing left to do.
    if (span === undefined || request === undefined) return;
    if (request.outgoing === undefined) {
      this.#tellServer(splice(text, [{ span, bytes: Buffer.from(String(request.serverSideId)) }]));
    }
    this.#unsent.remove(request);
    this.#pending.remove(request);
    request.reply.cancel();
  }

  #cancelAtServer({ outgoing, serverSideId }: PendingRequest, reason: string): void {
    if (outgoing === undefined) this.#tellServer(notification(CANCELLED, { requestId: serverSideId, reason }));
  }

  #tellServer(message: Buffer): void {
    if (this.#link?.send(message) === false) this.#options.log.warn({}, "server has stopped reading");
  }
}

function refuse({ envelope }: ClientMessage, reply: Reply, reason: string): void {
  const id = envelope.id === undefined ? undefined : copyOf(envelope.text, envelope.id);
  reply.respond(errorReply(id, RPC_ERRORS.TOO_MANY, reason));
}

function isToken(value: unknown): boolean {
  return typeof value === "string" || typeof value === "number";
}
