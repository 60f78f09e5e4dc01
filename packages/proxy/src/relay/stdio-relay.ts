/**
 * Many client sessions over one server process. Wires admission, request flow and the server's requests and
 * notifications together; independent of transports.
 */

import type { Logger, StdioConnection } from "@toolhive/core";
import type { LiveRules } from "../authz/live-rules.ts";
import { AskedAddresses } from "../elicitation/asked-addresses.ts";
import { BodyBudget } from "../http/body-budget.ts";
import type { Caller } from "../messages/caller.ts";
import type { ClientMessage } from "../messages/client-message.ts";
import { createNotification, type Envelope, readEnvelope } from "../messages/json-rpc.ts";
import { CANCELLED, INITIALIZED, PROGRESS, SUBSCRIBE } from "../messages/methods.ts";
import { formatLine } from "../messages/outgoing-line.ts";
import type { Observer } from "../observe/observer.ts";
import type { Limits } from "../options/limits.ts";
import { type PendingRequest, PendingRequests } from "../sessions/pending-requests.ts";
import type { Reply } from "../sessions/reply.ts";
import { type RequestingServer, ServerRequests } from "../sessions/server-requests.ts";
import type { Session } from "../sessions/session.ts";
import { SessionStore } from "../sessions/session-store.ts";
import { Subscriptions } from "../sessions/subscriptions.ts";
import { Admission } from "./admission.ts";
import { ClientChoice } from "./client-choice.ts";
import { Handshake } from "./handshake/handshake.ts";
import { replaceClientFacts } from "./handshake/shared-initialize.ts";
import { OwnRequests } from "./own-requests.ts";
import type { Relay } from "./relay.ts";
import { RequestFlow } from "./request-flow.ts";
import { ServerLink } from "./server-link.ts";
import { ServerNotifications } from "./server-notifications.ts";
import { ServerUsers } from "./server-users.ts";

export interface StdioRelayOptions {
  readonly limits: Limits;
  readonly log: Logger;
  /** Milliseconds, monotonic. */
  readonly now: () => number;
  /** What binds callers. Default: nothing. */
  readonly rules?: Pick<LiveRules, "current" | "findRefusal"> | undefined;
  /** Observes calls. Default: none. */
  readonly observer?: Observer | undefined;
  /** First id used towards the server. */
  readonly firstRequestId: number;
  /** Whether several callers share the server, isolated from each other. Default false. */
  readonly callersAreApart?: boolean;
}

export class StdioRelay implements Relay {
  readonly sessions: SessionStore;
  /** Reserves memory before a client's body is read. */
  readonly bodyBudget: BodyBudget;
  /** Decides which messages reach the server. */
  readonly admission: Admission;
  readonly #options: StdioRelayOptions;
  readonly #pending: PendingRequests;
  readonly #handshake: Handshake;
  readonly #addresses = new AskedAddresses<Session>();
  readonly #serverRequests: ServerRequests<RequestingServer>;
  readonly #server: RequestingServer = { send: (message) => this.#notifyServer(message) };
  readonly #notifications: ServerNotifications;
  readonly #subscriptions: Subscriptions;
  readonly #requestFlow: RequestFlow;
  readonly #ownRequests: OwnRequests;
  readonly #users: ServerUsers;
  #wasConnected = false;
  #link: ServerLink | undefined;
  #isInitializedSent = false;

  constructor(options: StdioRelayOptions) {
    const { limits, now } = options;
    this.#options = options;
    this.#pending = new PendingRequests(options.firstRequestId);
    this.#users = new ServerUsers(limits);
    this.sessions = new SessionStore({
      limits,
      now,
      callersAreApart: options.callersAreApart ?? false,
      onEnd: (session, reason) => this.#forget(session, reason),
    });
    this.bodyBudget = new BodyBudget({
      maxBytes: limits.maxBodyBudgetBytes,
      backlogBytes: () => this.#link?.backlogBytes ?? 0,
    });
    this.#requestFlow = new RequestFlow({
      limits,
      log: options.log,
      now,
      rules: options.rules,
      pending: this.#pending,
      users: this.#users,
      write: (line) => this.#link?.send(line),
      notifyServer: (message) => this.#notifyServer(message),
      onRefused: (request) => this.#revokeSubscription(request),
      addresses: this.#addresses,
    });
    this.#ownRequests = new OwnRequests({
      limits,
      now,
      pending: this.#pending,
      send: (request) => this.#requestFlow.send(request),
    });
    this.#handshake = new Handshake({
      limits,
      now,
      send: (envelope, reply, timeoutMs = limits.initializeMs) => this.#ownRequests.send(envelope, reply, timeoutMs),
      onReady: (again) => this.#becomeReady(again),
      onTried: () => this.#notifyServer(createNotification(INITIALIZED)),
      onRefused: (reason) => this.#loseSessions(reason),
    });
    const { busySessions } = this.#pending;
    const clients = new ClientChoice({ now, sessions: this.sessions, busySessions, users: this.#users });
    this.#serverRequests = new ServerRequests({
      ...{ limits, now, replacesTokens: false },
      choose: (capability) => clients.choose(capability),
      failMissingCapability: (capability) => clients.failMissingCapability(capability),
      onSent: ({ session }, envelope) => this.#addresses.record(session, envelope),
      onAnswered: ({ session }) => this.#users.record(session.caller.id),
    });
    this.#notifications = new ServerNotifications({
      sessions: this.sessions,
      pending: this.#pending,
      server: this.#server,
      serverRequests: this.#serverRequests,
      users: this.#users,
      addresses: this.#addresses,
    });
    this.#subscriptions = new Subscriptions({
      sessions: this.sessions,
      maxPerSession: limits.maxSessionSubscriptions,
      send: (method, params) => {
        if (this.isInitialized) this.#ownRequests.sendUnawaited(method, params);
      },
    });
    this.admission = new Admission({
      limits,
      log: options.log,
      rules: options.rules,
      observer: options.observer,
      subscriptions: this.#subscriptions,
      pendingCount: () => this.pendingCount,
    });
  }

  get isConnected(): boolean {
    return this.#link !== undefined;
  }

  /** Whether the connected process has sent a valid message. */
  get hasServerSpoken(): boolean {
    return this.#link?.hasSpoken ?? false;
  }

  /** Whether the connected process has been initialized. */
  get isInitialized(): boolean {
    return this.isConnected && this.#handshake.isReady;
  }

  /** Whether a session has subscribed to a resource. */
  get hasSubscribers(): boolean {
    return this.#subscriptions.hasAny;
  }

  get pendingCount(): number {
    return this.#pending.size + this.#handshake.waitingCount;
  }

  connect(connection: StdioConnection, { resume = false }: { resume?: boolean } = {}): void {
    this.disconnect("Another server process took its place.");
    const { limits, log, now, callersAreApart = false } = this.#options;
    if (!resume) this.#users.reset();
    // An earlier supervisor has connected unknown callers to this process.
    else if (callersAreApart && !this.#wasConnected) this.#users.assumeOthers(now());
    this.#wasConnected = true;
    const link = new ServerLink({
      connection,
      limits,
      log,
      onMessage: (envelope) => this.#receive(envelope),
      isShared: () => this.sessions.size > 1 || this.#pending.size > 1,
      onOversize: (head, tail) => this.#requestFlow.failOversize(head, tail),
      onDrain: () => this.bodyBudget.drain(),
      onGone: (reason) => {
        log.warn({ reason }, "server connection lost");
        this.disconnect(reason);
      },
    });
    this.#link = link;
    this.#isInitializedSent = false;
    this.#ownRequests.connect({ answersPings: resume });
    this.#handshake.connect({ hasSessions: this.sessions.hasEstablished, isSameProcess: resume });
  }

  disconnect(reason: string): void {
    const link = this.#link;
    if (link === undefined) return;
    this.#link = undefined;
    link.close();
    this.#handshake.disconnect();
    this.#requestFlow.failSent(`The server went away: ${reason}`);
    this.#serverRequests.endServer(this.#server, reason);
    this.bodyBudget.drain();
  }

  /** Dispatches any message except `initialize`. @param reply For requests. */
  dispatch(session: Session, message: ClientMessage, reply: Reply | undefined): void {
    if (message.envelope.kind === "notification") this.notify(session, message);
    else if (message.envelope.kind === "response") this.respond(session, message);
    else if (reply !== undefined) this.request(session, message, reply);
  }

  /**
   * Answers a client's `initialize`; the session is created by the transport when the reply is a result.
   *
   * @param caller Its sender; absent when it is the endpoint's own.
   */
  initialize(message: ClientMessage, given: Reply, caller?: Caller): void {
    const reply = this.admission.admitInitialize(message, given, caller);
    if (reply === undefined) return;
    this.#handshake.initialize(this.#options.callersAreApart ? replaceClientFacts(message) : message, reply);
  }

  /** Forwards a client's request. The reply gets a response in every case, unless the client cancels. */
  request(session: Session, message: ClientMessage, given: Reply): void {
    session.touch();
    const reply = this.admission.admitRequest(session, message, given);
    if (reply === undefined) return;
    const known = this.#options.rules?.current?.rewrite?.(message) ?? message;
    this.#requestFlow.enqueue(session, known, reply, this.isInitialized);
  }

  /** Forwards a client's notification. */
  notify(session: Session, message: ClientMessage): void {
    const { envelope } = message;
    session.touch();
    if (!this.admission.admitNotification(session, message)) return;
    switch (envelope.method) {
      case INITIALIZED:
        this.completeInitialization(this.#options.callersAreApart ? undefined : envelope.text);
        return;
      case CANCELLED:
        this.#requestFlow.cancelByClient(session, envelope);
        return;
      case PROGRESS:
        if (this.#serverRequests.forwardProgress(session, envelope)) {
          this.#users.record(session.caller.id);
          return;
        }
        // The server chose the token, and it could belong to a request to another caller.
        if (!this.#users.isSole(session.caller.id)) return;
    }
    if (!this.isInitialized) return;
    this.#users.record(session.caller.id);
    this.#notifyServer(envelope.text);
  }

  /** Forwards a client's answer to a request of the server. */
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

  /** Sends `notifications/initialized` once, on behalf of the first client that does. */
  completeInitialization(message: Buffer = createNotification(INITIALIZED)): void {
    if (this.#isInitializedSent || !this.isInitialized || this.isServerSessionless) return;
    this.#isInitializedSent = true;
    this.#notifyServer(message);
  }

  /** Ends the requests and subscriptions of a session outside the store. */
  abandon(session: Session, reason: string): void {
    this.#forget(session, reason);
  }

  /** Notifies every client that the tools are others now. */
  announceTools(): void {
    const change = readEnvelope(createNotification("notifications/tools/list_changed"));
    if (change !== undefined) this.#notifications.route(change);
  }

  /** Subscribes a session to resources with the endpoint's own requests. */
  subscribe(session: Session, uris: readonly string[]): void {
    for (const uri of uris) {
      if (this.#subscriptions.add(session, uri)) this.#ownRequests.sendUnawaited(SUBSCRIBE, { uri });
    }
  }

  /**
   * Settles once the server is known to answer: a new process by its answer to `initialize`, later by a ping. A process that has
   * never answered a ping is not expected to.
   *
   * @returns Milliseconds. @throws {ThvError} `SERVER_NOT_READY`.
   */
  async probe(signal: AbortSignal): Promise<number> {
    const { now } = this.#options;
    const startedAt = now();
    await this.#handshake.tryOut(signal);
    if (this.#handshake.mayPing) {
      if (this.#ownRequests.answersPings) return await this.#ownRequests.probe(signal);
      this.#ownRequests.tryPing();
    }
    return now() - startedAt;
  }

  /** Applies every deadline. */
  sweep(): void {
    const now = this.#options.now();
    this.#requestFlow.sweep(now);
    this.#handshake.sweep(now);
    this.#serverRequests.sweep(now);
    this.sessions.sweep(now);
  }

  close(): void {
    this.disconnect("The endpoint is closing.");
    this.#handshake.close();
    this.sessions.endAll("the endpoint is closing");
    this.#requestFlow.failAll("The endpoint is closing.");
  }

  #receive(envelope: Envelope): void {
    if (envelope.kind === "request") this.#serverRequests.route(this.#server, envelope);
    else if (envelope.kind === "notification") this.#notifications.route(envelope);
    else this.#requestFlow.receive(envelope);
  }

  #revokeSubscription({ session, uri }: PendingRequest): void {
    if (session !== undefined && uri !== undefined) this.#subscriptions.revoke(session, uri);
  }

  #becomeReady(again: boolean): void {
    if (again) {
      this.completeInitialization();
      this.#subscriptions.restore();
    }
    this.#requestFlow.sendKept();
  }

  #loseSessions(reason: string): void {
    this.#options.log.warn({ reason }, "sessions ended");
    this.sessions.endAll(reason);
  }

  #forget(session: Session, reason: string): void {
    this.#requestFlow.endSession(session, reason);
    this.#serverRequests.endSession(session);
    this.#subscriptions.endSession(session);
  }

  #notifyServer(message: Buffer): void {
    if (this.#link?.send(formatLine(message)) === false) this.#options.log.warn({}, "server has stopped reading");
  }
}
