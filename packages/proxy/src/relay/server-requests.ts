/**
 * Requests of the server to its client (sampling, elicitation, roots): chooses the session and returns its answer.
 *
 * Stdio does not say for which client a server asks, so the rule is:
 * 1. `ping` is answered here: the endpoint is the server's client.
 * 2. While sessions have requests in flight, only one of those receives it: the one that sent last among those that declared the
 *    capability. The question travels on that request's stream.
 * 3. Otherwise the session that was active last among those with the capability, first those that listen right now.
 * 4. No session remains: the server gets an error at once.
 *
 * Once the process has worked for more than one caller, a request must not reach the wrong one. MCP ties sampling and elicitation
 * to the request that they are asked for, so these pass while all work of the server belongs to one caller. Everything else, and
 * everything at other times, could concern any caller: the server gets an error.
 */
import {
  copySpan,
  createErrorReply,
  createNotification,
  createResultReply,
  type Envelope,
  RPC_ERRORS,
} from "../messages/json-rpc.ts";
import { findMembers, findPath, splice } from "../messages/json-scanner.ts";
import type { Limits } from "../options/limits.ts";
import type { PendingRequest } from "../sessions/pending-requests.ts";
import type { Session } from "../sessions/session.ts";
import type { ServerUsers } from "./server-users.ts";

interface ServerRequest {
  readonly clientSideId: number;
  /** Raw JSON of the server's id. */
  readonly serverId: Buffer;
  readonly session: Session;
  readonly deadlineAt: number;
  /** Raw JSON of the token with which the server asked for progress notifications. */
  readonly progressToken: Buffer | undefined;
}

export interface ServerRequestsOptions {
  readonly limits: Limits;
  readonly now: () => number;
  readonly sessions: Iterable<Session>;
  /** Sessions with requests in flight, the one that sent last at the end. */
  readonly busySessions: ReadonlySet<Session>;
  readonly users: ServerUsers;
  readonly sendToServer: (message: Buffer) => void;
}

/** The capability a client must have declared to be asked. */
export function findCapability(method: string): string | undefined {
  if (method.startsWith("sampling/")) return "sampling";
  if (method.startsWith("elicitation/")) return "elicitation";
  if (method.startsWith("roots/")) return "roots";
  if (method.startsWith("tasks/")) return "tasks";
  return undefined;
}

/** Requests that a server sends only while it works on a request of a client. */
const TIED_CAPABILITIES = new Set(["sampling", "elicitation"]);

export class ServerRequests {
  readonly #options: ServerRequestsOptions;
  readonly #open = new Map<number, ServerRequest>();
  #nextId = 1;

  constructor(options: ServerRequestsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#open.size;
  }

  route(envelope: Envelope): void {
    const { text, id, method, params } = envelope;
    if (id === undefined) return;
    const { limits, now, sendToServer } = this.#options;
    const serverId = copySpan(text, id);
    if (method === "ping") {
      sendToServer(createResultReply(serverId, "{}"));
      return;
    }
    const capability = findCapability(method);
    const session = this.#choose(capability);
    if (session === undefined || this.#open.size >= limits.maxServerRequests) {
      const reason = session === undefined ? `No connected client takes ${method}.` : "Too many requests are open.";
      // Servers request roots spontaneously, too; then the call in flight is not at fault.
      if (session === undefined && capability !== undefined && capability !== "roots")
        this.#failMissingCapability(capability);
      sendToServer(
        createErrorReply(serverId, session === undefined ? RPC_ERRORS.NO_CLIENT : RPC_ERRORS.TOO_MANY, reason),
      );
      return;
    }
    const clientSideId = this.#nextId++;
    const token = params === undefined ? undefined : findPath(text, params.start, ["_meta", "progressToken"]);
    const progressToken = token && copySpan(text, token);
    const deadlineAt = now() + limits.serverRequestMs;
    this.#open.set(clientSideId, { clientSideId, serverId, session, deadlineAt, progressToken });
    deliver(session, splice(text, [{ span: id, bytes: Buffer.from(String(clientSideId)) }]));
  }

  /** Forwards a client's answer. @returns False when the server asked nothing of this session. */
  answer(session: Session, envelope: Envelope): boolean {
    const { text, id } = envelope;
    if (id === undefined) return false;
    const clientSideId = Number(text.toString("latin1", id.start, id.end));
    const request = this.#open.get(clientSideId);
    if (request === undefined || request.session !== session) return false;
    this.#open.delete(clientSideId);
    this.#options.users.record(session.caller.id);
    this.#options.sendToServer(splice(text, [{ span: id, bytes: request.serverId }]));
    return true;
  }

  /** Whether a client reports progress on a request that was sent to its own session. */
  ownsProgress(session: Session, { text, params }: Envelope): boolean {
    const token = params === undefined ? undefined : findMembers(text, params.start, ["progressToken"])?.spans[0];
    if (token === undefined) return false;
    const raw = copySpan(text, token);
    for (const request of this.#open.values()) {
      if (request.session === session && request.progressToken?.equals(raw) === true) return true;
    }
    return false;
  }

  /** The server cancels a request. @param serverId Raw JSON of the server's id. */
  cancelByServer(serverId: Buffer, reason: string): void {
    for (const request of this.#open.values()) {
      if (!request.serverId.equals(serverId)) continue;
      this.#open.delete(request.clientSideId);
      notifyCancelled(request, reason);
      return;
    }
  }

  /** The session has ended: answers the server's open requests with an error. */
  endSession(session: Session): void {
    for (const request of [...this.#open.values()]) {
      if (request.session === session) this.#refuse(request, RPC_ERRORS.NO_CLIENT, "The client has gone.");
    }
  }

  /** The server has ended: asks clients to cancel their answers. */
  disconnect(reason: string): void {
    const open = [...this.#open.values()];
    this.#open.clear();
    for (const request of open) notifyCancelled(request, reason);
  }

  sweep(now: number): void {
    for (const request of [...this.#open.values()]) {
      if (request.deadlineAt > now) continue;
      this.#refuse(request, RPC_ERRORS.TIMEOUT, "The client did not answer in time.");
      notifyCancelled(request, "no answer in time");
    }
  }

  /** When only one session is eligible, its call fails with the missing capability. */
  #failMissingCapability(capability: string): void {
    const { busySessions, users } = this.#options;
    const [only] = busySessions;
    if (users.isShared && !this.#isAboutOneCaller(capability)) return;
    if (only === undefined || busySessions.size > 1 || only.requests.size > 1) return;
    for (const { reply } of only.requests.values()) reply.failMissingCapability?.(capability);
  }

  #refuse(request: ServerRequest, code: number, message: string): void {
    this.#open.delete(request.clientSideId);
    this.#options.sendToServer(createErrorReply(request.serverId, code, message));
  }

  #choose(capability: string | undefined): Session | undefined {
    const { busySessions, sessions, users } = this.#options;
    const isAble = (session: Session): boolean =>
      capability === undefined || session.client.capabilities.has(capability);
    if (users.isShared)
      return this.#isAboutOneCaller(capability) ? [...busySessions].reverse().find(isAble) : undefined;
    const isPossible = (session: Session): boolean => isAble(session) && users.isSole(session.caller.id);
    if (busySessions.size > 0) return [...busySessions].reverse().find(isPossible);
    const able = [...sessions].filter(isPossible);
    const listening = able.filter(({ standalone }) => standalone.isAttached);
    const candidates = listening.length > 0 ? listening : able;
    return candidates.reduce<Session | undefined>(
      (best, session) => (best === undefined || session.lastUsedAt >= best.lastUsedAt ? session : best),
      undefined,
    );
  }

  /** Whether a request can only come from work for the one caller that has requests in flight. */
  #isAboutOneCaller(capability: string | undefined): boolean {
    const { busySessions, users, now } = this.#options;
    if (capability === undefined || !TIED_CAPABILITIES.has(capability)) return false;
    let only: string | undefined;
    for (const { caller } of busySessions) {
      if (only !== undefined && only !== caller.id) return false;
      only = caller.id;
    }
    return only !== undefined && !users.isAtWorkForOthers(only, now());
  }
}

function notifyCancelled({ session, clientSideId }: ServerRequest, reason: string): void {
  deliver(session, createNotification("notifications/cancelled", { requestId: clientSideId, reason }));
}

/** Sends a message on the stream of the session's newest request, else on its standalone stream. */
export function deliver(session: Session, message: Buffer): void {
  if (session.isClosed) return;
  let newest: PendingRequest | undefined;
  for (const request of session.requests.values()) newest = request;
  if (newest?.reply.notify(message) !== true) session.standalone.push(message);
}
