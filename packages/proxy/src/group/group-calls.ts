/**
 * Requests of clients on their way to the servers of a group and back, and everything else that passes between a client's
 * session and its sessions there. An answer is accepted only from the session that its request went to.
 */
import type { Logger } from "@toolhive/core";
import { describeError } from "@toolhive/core/errors";
import { refuseAddresses } from "../elicitation/addresses.ts";
import type { ClientMessage } from "../messages/client-message.ts";
import { readErrorCode } from "../messages/error-code.ts";
import {
  copySpan,
  createErrorReply,
  createNotification,
  type Envelope,
  RPC_ERRORS,
  readAnswerId,
  readEnvelope,
} from "../messages/json-rpc.ts";
import { type Edit, findMembers, splice } from "../messages/json-scanner.ts";
import { CANCELLED, SUBSCRIBE } from "../messages/methods.ts";
import { type Line, measureLine } from "../messages/outgoing-line.ts";
import type { GroupLimits } from "../options/group-limits.ts";
import { type PendingRequest, PendingRequests, readRequestKey } from "../sessions/pending-requests.ts";
import type { Reply } from "../sessions/reply.ts";
import type { ServerRequests } from "../sessions/server-requests.ts";
import type { Session } from "../sessions/session.ts";
import type { AnsweredRequest } from "./answered-request.ts";
import type { CatalogTarget } from "./catalog/catalog.ts";
import { showUris } from "./catalog/uris.ts";
import { type Link, Links } from "./links.ts";
import type { Backend } from "./members/backend.ts";
import { GroupOwnRequests } from "./own-requests.ts";
import { createServerRequests } from "./server-requests.ts";
import type { SessionOffers } from "./session-offers.ts";
import { readErrorMessage } from "./upstream/initialize-answer.ts";
import type { RequestFailure, Upstream, UpstreamHandler } from "./upstream/upstream.ts";
import { UpstreamNotifications } from "./upstream-notifications.ts";

export interface GroupCallsOptions {
  readonly limits: GroupLimits;
  readonly log: Logger;
  readonly now: () => number;
  readonly firstRequestId: number;
  /** The one server that has a resource, and its own URI there. */
  readonly findResource: (uri: string) => CatalogTarget | undefined;
  readonly offers: SessionOffers;
  /** A server has answered a request of a client. Default: nobody wants to know. */
  readonly onAnswered?: ((answered: AnsweredRequest) => void) | undefined;
}

interface PendingCall {
  readonly request: PendingRequest;
  readonly backend: Backend;
  readonly outgoing: Line;
  readonly bytes: number;
  /** Of the resource it is about, as the client knows it. */
  readonly uri: string | undefined;
  readonly startedAt: number;
  link: Link;
  isSent: boolean;
  hasBeenRepeated: boolean;
}

export interface OutgoingCall {
  /** With the server's own names. */
  readonly message: ClientMessage;
  readonly reply: Reply;
  readonly uri: string | undefined;
}

/** Sweeps between two signs that sessions are still needed. */
const TOUCH_SWEEPS = 30;

export class GroupCalls {
  readonly #options: GroupCallsOptions;
  readonly #pending: PendingRequests;
  readonly #calls = new Map<number, PendingCall>();
  /** Requests of the endpoint's own. */
  readonly #own: GroupOwnRequests;
  readonly #links: Links;
  readonly #serverRequests: ServerRequests<Link>;
  readonly #notifications: UpstreamNotifications;
  #sweeps = 0;

  constructor(options: GroupCallsOptions) {
    const { now, limits, findResource, firstRequestId } = options;
    this.#options = options;
    this.#pending = new PendingRequests(firstRequestId);
    this.#own = new GroupOwnRequests({ limits, now, pending: this.#pending });
    this.#serverRequests = createServerRequests({ limits, now });
    this.#notifications = new UpstreamNotifications({
      ...{ limits, now, serverRequests: this.#serverRequests },
      findRequest: (link, via) => this.#findRequest(link, via),
      findById: (backend, id) => {
        const call = this.#calls.get(id);
        return call?.backend === backend ? call.request : undefined;
      },
      onListChanged: (link) =>
        void options.offers.refresh(link, (message, reply) => this.#own.sendMessage(link, message, reply)),
    });
    this.#links = new Links({
      now,
      findResource,
      createHandler: (link) => this.#createHandler(link),
      sendUnawaited: (link, method, params) => this.#own.send(link, method, params),
    });
  }

  get size(): number {
    return this.#pending.size;
  }

  /** The reply gets an answer in every case. */
  send(session: Session, backend: Backend, { message, reply, uri }: OutgoingCall): void {
    const { limits, now } = this.#options;
    const { envelope, progressToken } = message;
    if (envelope.id === undefined) return;
    const refusal = backend.findRefusal();
    if (refusal !== undefined) {
      reply.respond(createErrorReply(copySpan(envelope.text, envelope.id), refusal.code, refusal.reason));
      if (envelope.method === SUBSCRIBE && uri !== undefined) session.subscriptions.delete(uri);
      return;
    }
    const isSubscription = envelope.method === SUBSCRIBE;
    const request = this.#pending.add(envelope, {
      session,
      reply,
      deadlineAt: now() + limits.callMs,
      progressToken,
      isTask: false,
      uri: isSubscription ? uri : undefined,
    });
    if (request?.outgoing === undefined) return;
    this.#start(request, { session, backend, outgoing: request.outgoing, uri });
  }

  /** Sends a request of the endpoint's own in a session's name. */
  sendOwn(session: Session, backend: Backend, method: string, params: Readonly<Record<string, unknown>>): void {
    if (backend.findRefusal() !== undefined) return;
    const link = this.#links.open(session, backend, true);
    link.opening.then(
      () => this.#own.send(link, method, params),
      (error) => this.#recordFailure(backend, describeError(error)),
    );
  }

  setLevel(session: Session, level: string): void {
    this.#links.setLevel(session, level);
  }

  /** Sends a notification to the servers that a session has used. */
  notifyServers(session: Session, message: Buffer): void {
    for (const link of this.#links.list(session)) link.send(message);
  }

  receiveProgress(backend: Backend, envelope: Envelope): void {
    this.#notifications.receiveProgress(backend, envelope);
  }

  answerQuestion(session: Session, envelope: Envelope): void {
    if (this.#serverRequests.answer(session, envelope)) return;
    this.#options.log.debug({ session: session.id }, "client answered a request that is not open");
  }

  forwardProgress(session: Session, envelope: Envelope): void {
    this.#serverRequests.forwardProgress(session, envelope);
  }

  cancelByClient(session: Session, { text, params }: Envelope): void {
    const span = params && findMembers(text, params.start, ["requestId"])?.spans[0];
    const request = span && session.requests.get(readRequestKey(copySpan(text, span)));
    const call = request && this.#calls.get(request.serverSideId);
    // The cancellation may cross the response; then the request is done.
    if (span === undefined || request === undefined || call === undefined) return;
    const own = splice(text, [{ span, bytes: Buffer.from(String(request.serverSideId)) }]);
    this.#withdraw(call, own);
    request.reply.cancel();
  }

  /** The client has left. */
  endSession(session: Session, reason: string): void {
    for (const request of [...session.requests.values()]) {
      const call = this.#calls.get(request.serverSideId);
      if (call === undefined) continue;
      this.#cancel(call, reason);
      this.#respond(request, RPC_ERRORS.SERVER_GONE, `The session has ended: ${reason}.`);
    }
    this.#serverRequests.endSession(session);
    for (const link of this.#links.list(session)) this.#links.drop(link);
  }

  /** The server was removed, or replaced by another one. */
  endBackend(backend: Backend, reason: string): void {
    for (const link of [...this.#links]) if (link.backend === backend) this.#endLink(link, reason);
  }

  /** A server answers again: clients that are subscribed there must not miss what changes. */
  restoreSubscriptions(backend: Backend, sessions: Iterable<Session>): void {
    for (const session of sessions) {
      const isConcerned = [...session.subscriptions].some(
        (uri) => this.#options.findResource(uri)?.server === backend.name,
      );
      // Opening restores; one that is open has them.
      if (isConcerned) this.#links.open(session, backend, true).opening.catch(() => undefined);
    }
  }

  sweep(now: number): void {
    for (const call of [...this.#calls.values()]) {
      if (call.request.deadlineAt > now) continue;
      this.#cancel(call, "no answer in time");
      const reason = `it has not answered ${call.request.method} in time`;
      this.#recordFailure(call.backend, reason);
      this.#respond(call.request, RPC_ERRORS.TIMEOUT, call.backend.describeFailure(reason));
    }
    for (const request of [...this.#pending]) if (request.deadlineAt <= now) this.#pending.remove(request);
    this.#serverRequests.sweep(now);
    this.#sweeps += 1;
    if (this.#sweeps % TOUCH_SWEEPS === 0) this.#tendLinks(now);
  }

  #tendLinks(now: number): void {
    for (const link of [...this.#links]) {
      const isIdle = link.session === undefined && link.pendingIds.size === 0;
      if (isIdle && now - link.usedAt >= this.#options.limits.sessionIdleMs) this.#links.drop(link);
      else link.upstream?.touch();
    }
  }

  #start(
    request: PendingRequest,
    {
      session,
      backend,
      outgoing,
      uri,
    }: Pick<PendingCall, "backend" | "outgoing" | "uri"> & { readonly session: Session },
  ): void {
    const bytes = measureLine(outgoing);
    const link = this.#links.open(session, backend);
    const call: PendingCall = {
      request,
      backend,
      outgoing,
      bytes,
      uri,
      startedAt: this.#options.now(),
      link,
      isSent: false,
      hasBeenRepeated: false,
    };
    request.outgoing = undefined;
    this.#calls.set(request.serverSideId, call);
    backend.pendingCalls += 1;
    backend.pendingBytes += bytes;
    this.#dispatch(call);
  }

  #dispatch(call: PendingCall): void {
    const { link, request } = call;
    const id = request.serverSideId;
    link.pendingIds.add(id);
    const send = (upstream: Upstream): void => {
      call.isSent = true;
      upstream.send(call.outgoing, id, request.session?.client.logLevel);
    };
    if (link.upstream !== undefined) {
      send(link.upstream);
      return;
    }
    link.opening.then(
      (upstream) => {
        // It may have been cancelled meanwhile.
        if (this.#calls.get(id) === call) send(upstream);
      },
      (error) => this.#fail(call, { reason: describeError(error) }),
    );
  }

  #createHandler(link: Link): UpstreamHandler {
    return {
      onMessage: (text, via) => this.#receive(link, text, via),
      isAwaited: (id) => this.#calls.get(id)?.link === link || this.#own.isAwaited(link, id),
      onFailed: (id, failure) => {
        const call = this.#calls.get(id);
        if (call?.link === link) this.#fail(call, failure);
      },
      onEnd: (reason) => this.#endLink(link, reason),
    };
  }

  #receive(link: Link, text: Buffer, via: number | undefined): void {
    const envelope = readEnvelope(text);
    if (envelope === undefined) {
      this.#options.log.debug({ server: link.backend.name }, "server sent what is no message");
      return;
    }
    if (envelope.kind === "response") this.#receiveAnswer(link, envelope);
    else if (envelope.kind === "request") this.#serverRequests.route(link, envelope, this.#findRequest(link, via));
    else this.#notifications.receive(link, envelope, via);
  }

  /** The client's request on whose stream a message arrived. */
  #findRequest(link: Link, via: number | undefined): PendingRequest | undefined {
    // When the stream does not identify the request, the message belongs to the only request under way, if there is just one.
    const [only] = link.pendingIds;
    const isClear = link.session === undefined && link.upstream?.isAttributed === false && link.pendingIds.size === 1;
    const id = via ?? (isClear ? only : undefined);
    const call = id === undefined ? undefined : this.#calls.get(id);
    return call?.link === link ? call.request : undefined;
  }

  #receiveAnswer(link: Link, envelope: Envelope): void {
    const { text, id, result } = envelope;
    const own = readAnswerId(text, id);
    const call = own === undefined ? undefined : this.#calls.get(own);
    if (own === undefined || id === undefined || call?.link !== link) {
      if (!this.#own.receive(link, envelope))
        this.#options.log.debug({ server: link.backend.name }, "server answered a request that is not open");
      return;
    }
    this.#release(call);
    const { request, uri } = call;
    this.#options.onAnswered?.({
      server: call.backend.name,
      method: request.method,
      client: request.session?.client.name,
      answer: text,
      hasResult: result !== undefined,
      ms: this.#options.now() - call.startedAt,
    });
    const isUnavailable = result === undefined && readErrorCode(text) === RPC_ERRORS.SERVER_UNAVAILABLE;
    if (isUnavailable) this.#recordFailure(call.backend, readErrorMessage(text) ?? "it is not there");
    else call.backend.recordSuccess();
    if (result === undefined) this.#revokeSubscription(request);
    const edits: Edit[] = [{ span: id, bytes: request.clientId }];
    if (uri !== undefined && result !== undefined) edits.push(...showUris(text, result.start, uri));
    request.reply.respond(refuseAddresses(envelope, request.clientId) ?? splice(text, edits));
  }

  #fail(call: PendingCall, { reason, code, isUnreceived = false }: RequestFailure): void {
    const { backend, request } = call;
    if (this.#calls.get(request.serverSideId) !== call) return;
    if (isUnreceived && !call.hasBeenRepeated && request.session !== undefined && !request.session.isClosed) {
      call.hasBeenRepeated = true;
      this.#repeat(call, request.session);
      return;
    }
    this.#release(call);
    // A refusal in words is the server's own business; everything else is a failure of the way to it.
    const isRefusal = code !== undefined && code !== RPC_ERRORS.SERVER_UNAVAILABLE && code !== RPC_ERRORS.INTERNAL;
    if (isRefusal) backend.recordSuccess();
    else this.#recordFailure(backend, reason);
    this.#respond(request, code ?? RPC_ERRORS.SERVER_UNAVAILABLE, backend.describeFailure(reason));
  }

  /** The session there has ended, and the server has not received the request: sends it again, in a new one. */
  #repeat(call: PendingCall, session: Session): void {
    const before = call.link;
    before.pendingIds.delete(call.request.serverSideId);
    this.#links.drop(before);
    this.#options.offers.endLink(before);
    call.link = this.#links.open(session, call.backend);
    call.isSent = false;
    this.#dispatch(call);
  }

  #endLink(link: Link, reason: string): void {
    this.#links.drop(link);
    this.#serverRequests.endServer(link, reason);
    for (const id of [...link.pendingIds]) {
      const call = this.#calls.get(id);
      if (call?.link === link) this.#fail(call, { reason, code: RPC_ERRORS.SERVER_GONE });
    }
    this.#own.endLink(link);
    this.#options.offers.endLink(link);
  }

  #recordFailure(backend: Backend, reason: string): void {
    this.#options.log.debug({ server: backend.name, reason }, "request to a server of a group failed");
    backend.recordFailure(reason);
  }

  #cancel(call: PendingCall, reason: string): void {
    const { serverSideId: requestId } = call.request;
    this.#withdraw(call, createNotification(CANCELLED, { requestId, reason }));
  }

  /** The client stops waiting for its answer. @param message Informs the server. */
  #withdraw(call: PendingCall, message: Buffer): void {
    this.#release(call);
    if (!call.isSent) return;
    call.link.send(message);
    call.link.upstream?.forget(call.request.serverSideId);
  }

  #release({ request, backend, bytes, link }: PendingCall): void {
    this.#calls.delete(request.serverSideId);
    this.#pending.remove(request);
    link.pendingIds.delete(request.serverSideId);
    backend.pendingCalls -= 1;
    backend.pendingBytes -= bytes;
  }

  #respond(request: PendingRequest, code: number, reason: string): void {
    this.#revokeSubscription(request);
    request.reply.respond(createErrorReply(request.clientId, code, reason));
  }

  #revokeSubscription({ session, uri }: PendingRequest): void {
    if (uri !== undefined) session?.subscriptions.delete(uri);
  }
}
