/**
 * Requests of servers to clients (sampling, elicitation, roots): each is sent, under an id of our own, to the client that is chosen
 * for it, and the answer goes to the server that sent it. `ping` is answered here: the endpoint is the server's client.
 */
import { ADDRESS_REFUSAL, readAddressRequest } from "../elicitation/addresses.ts";
import { declares, findCapability, isUrlElicitation } from "../elicitation/demand.ts";
import {
  copySpan,
  createErrorReply,
  createNotification,
  createResultReply,
  type Envelope,
  RPC_ERRORS,
  readAnswerId,
} from "../messages/json-rpc.ts";
import { type Edit, findMembers, findPath, splice } from "../messages/json-scanner.ts";
import { CANCELLED, PING } from "../messages/methods.ts";
import type { Limits } from "../options/limits.ts";
import type { PendingRequest } from "./pending-requests.ts";
import type { Session } from "./session.ts";

/** A server that sends requests, as far as it gets anything back. */
export interface RequestingServer {
  send(message: Buffer): void;
}

export interface ServerRequest<Server> {
  /** Under which the client knows it. */
  readonly id: number;
  readonly server: Server;
  /** Raw JSON of the server's id. */
  readonly serverId: Buffer;
  readonly session: Session;
  /** The client's request on whose stream it arrived, where that is known. */
  readonly via: PendingRequest | undefined;
  /** Raw JSON of the tokens for progress notifications, when the server asked for those. */
  readonly progressTokens: { readonly client: Buffer; readonly server: Buffer } | undefined;
  readonly deadlineAt: number;
}

export interface ServerRequestsOptions<Server> {
  readonly limits: Pick<Limits, "maxServerRequests" | "serverRequestMs">;
  readonly now: () => number;
  /** Whether several servers may use the same progress token, so that clients get our id in its place. */
  readonly replacesTokens: boolean;
  /** @param capability Which the client must have declared. @returns The session that receives a request. */
  readonly choose: (
    capability: string | undefined,
    server: Server,
    via: PendingRequest | undefined,
  ) => Session | undefined;
  /** Fails the call that a request came from, because no client has the capability. */
  readonly failMissingCapability: (capability: string, via: PendingRequest | undefined) => void;
  readonly onSent?: (request: ServerRequest<Server>, envelope: Envelope) => void;
  /** Called before an answer is passed on. */
  readonly onAnswered: (request: ServerRequest<Server>) => void;
}

export class ServerRequests<Server extends RequestingServer> {
  readonly #options: ServerRequestsOptions<Server>;
  readonly #open = new Map<number, ServerRequest<Server>>();
  #nextId = 1;

  constructor(options: ServerRequestsOptions<Server>) {
    this.#options = options;
  }

  get size(): number {
    return this.#open.size;
  }

  /** @param via The client's request on whose stream it arrived, where that is known. */
  route(server: Server, envelope: Envelope, via?: PendingRequest): void {
    const { text, id, method, params } = envelope;
    if (id === undefined) return;
    const { limits, now, replacesTokens, choose, failMissingCapability, onSent } = this.#options;
    const serverId = copySpan(text, id);
    if (method === PING) {
      server.send(createResultReply(serverId, "{}"));
      return;
    }
    if (isUrlElicitation(envelope) && !readAddressRequest(envelope).isSafe) {
      server.send(createErrorReply(serverId, RPC_ERRORS.INVALID_PARAMS, ADDRESS_REFUSAL));
      return;
    }
    const capability = findCapability(envelope);
    const session = choose(capability, server, via);
    if (session === undefined) {
      // Servers request roots spontaneously, too; then the call in flight is not at fault.
      if (capability !== undefined && capability !== "roots") failMissingCapability(capability, via);
      server.send(createErrorReply(serverId, RPC_ERRORS.NO_CLIENT, `No connected client takes ${method}.`));
      return;
    }
    if (this.#open.size >= limits.maxServerRequests) {
      server.send(createErrorReply(serverId, RPC_ERRORS.TOO_MANY, "Too many requests are open."));
      return;
    }
    const ownId = this.#nextId++;
    const bytes = Buffer.from(String(ownId));
    const edits: Edit[] = [{ span: id, bytes }];
    const token = params && findPath(text, params.start, ["_meta", "progressToken"]);
    if (token !== undefined && replacesTokens) edits.push({ span: token, bytes });
    const given = token && copySpan(text, token);
    const progressTokens = given && { server: given, client: replacesTokens ? bytes : given };
    const deadlineAt = now() + limits.serverRequestMs;
    const request = { id: ownId, server, serverId, session, via, progressTokens, deadlineAt };
    this.#open.set(ownId, request);
    onSent?.(request, envelope);
    deliver(session, splice(text, edits), via);
  }

  /** Passes a client's answer on. @returns False when no server asked anything of this session. */
  answer(session: Session, { text, id }: Envelope): boolean {
    const ownId = readAnswerId(text, id);
    const request = ownId === undefined ? undefined : this.#open.get(ownId);
    if (id === undefined || request?.session !== session) return false;
    this.#open.delete(request.id);
    this.#options.onAnswered(request);
    request.server.send(splice(text, [{ span: id, bytes: request.serverId }]));
    return true;
  }

  /** Passes on how far a client is with its answer. @returns False when its session has no request with that token. */
  forwardProgress(session: Session, { text, params }: Envelope): boolean {
    const span = params && findMembers(text, params.start, ["progressToken"])?.spans[0];
    if (span === undefined) return false;
    const raw = copySpan(text, span);
    for (const { session: owner, progressTokens, server } of this.#open.values()) {
      if (owner !== session || progressTokens?.client.equals(raw) !== true) continue;
      server.send(splice(text, [{ span, bytes: progressTokens.server }]));
      return true;
    }
    return false;
  }

  /** The server needs no answer any more. @param serverId Raw JSON of its id. */
  cancelByServer(server: Server, serverId: Buffer, reason: string): void {
    for (const request of this.#open.values()) {
      if (request.server !== server || !request.serverId.equals(serverId)) continue;
      this.#withdraw(request, reason);
      return;
    }
  }

  /** The session has ended: answers the servers' open requests with an error. */
  endSession(session: Session): void {
    for (const request of [...this.#open.values()]) {
      if (request.session === session) this.#refuse(request, RPC_ERRORS.NO_CLIENT, "The client has gone.");
    }
  }

  /** The server has ended, or its session: clients need not answer. */
  endServer(server: Server, reason: string): void {
    for (const request of [...this.#open.values()]) if (request.server === server) this.#withdraw(request, reason);
  }

  sweep(now: number): void {
    for (const request of [...this.#open.values()]) {
      if (request.deadlineAt > now) continue;
      this.#refuse(request, RPC_ERRORS.TIMEOUT, "The client did not answer in time.");
      this.#withdraw(request, "no answer in time");
    }
  }

  #refuse({ id, server, serverId }: ServerRequest<Server>, code: number, reason: string): void {
    this.#open.delete(id);
    server.send(createErrorReply(serverId, code, reason));
  }

  #withdraw({ id, session, via }: ServerRequest<Server>, reason: string): void {
    this.#open.delete(id);
    deliver(session, createNotification(CANCELLED, { requestId: id, reason }), via);
  }
}

export function hasCapability({ client }: Session, capability: string | undefined): boolean {
  return declares(client, capability);
}

/** Sends a message on the stream of a request, of the session's newest one by default, else on its standalone stream. */
export function deliver(session: Session, message: Buffer, via?: PendingRequest): void {
  if (via?.reply.notify(message) === true || session.isClosed) return;
  let newest: PendingRequest | undefined;
  for (const request of session.requests.values()) newest = request;
  if (newest?.reply.notify(message) !== true) session.standalone.push(message);
}
