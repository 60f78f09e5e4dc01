/**
 * Requests of servers to clients (sampling, elicitation, roots): the client is the one in whose session the server asks, and
 * the answer goes back there and nowhere else.
 */
import {
  copySpan,
  createErrorReply,
  createNotification,
  createResultReply,
  type Envelope,
  RPC_ERRORS,
  readNumber,
} from "../messages/json-rpc.ts";
import { type Edit, findMembers, findPath, splice } from "../messages/json-scanner.ts";
import { CANCELLED, PING } from "../messages/methods.ts";
import type { GroupLimits } from "../options/group-limits.ts";
import { deliver, findCapability } from "../relay/server-requests.ts";
import type { PendingRequest } from "../sessions/pending-requests.ts";
import type { Session } from "../sessions/session.ts";
import type { Link } from "./links.ts";

interface PendingServerRequest {
  /** Under which the client knows it. */
  readonly id: number;
  readonly link: Link;
  /** Raw JSON of the server's id. */
  readonly serverId: Buffer;
  readonly session: Session;
  /** The client's request on whose stream it arrived. */
  readonly request: PendingRequest | undefined;
  /** Raw JSON of the token with which the server asked for progress notifications. */
  readonly progressToken: Buffer | undefined;
  readonly deadlineAt: number;
}

export interface GroupServerRequestsOptions {
  readonly limits: GroupLimits;
  readonly now: () => number;
}

export class GroupServerRequests {
  readonly #options: GroupServerRequestsOptions;
  readonly #open = new Map<number, PendingServerRequest>();
  #nextId = 1;

  constructor(options: GroupServerRequestsOptions) {
    this.#options = options;
  }

  /** @param request The client's request on whose stream it arrived, where that is known. */
  forward(link: Link, { text, id, method, params }: Envelope, request: PendingRequest | undefined): void {
    if (id === undefined) return;
    const { limits, now } = this.#options;
    const serverId = copySpan(text, id);
    if (method === PING) {
      sendToServer(link, createResultReply(serverId, "{}"));
      return;
    }
    const session = request?.session ?? link.session;
    const capability = findCapability(method);
    const isAble = session && (capability === undefined || session.client.capabilities.has(capability));
    if (!isAble || session.isClosed || this.#open.size >= limits.maxServerRequests) {
      sendToServer(
        link,
        createErrorReply(serverId, RPC_ERRORS.NO_CLIENT, `The client does not take ${method}, or not now.`),
      );
      // Servers ask for roots of their own accord, too; then the call is not at fault.
      if (session && !isAble && capability !== undefined && capability !== "roots") {
        request?.reply.failMissingCapability?.(capability);
      }
      return;
    }
    const own = this.#nextId++;
    const token = params && findPath(text, params.start, ["_meta", "progressToken"]);
    const bytes = Buffer.from(String(own));
    const edits: Edit[] = [{ span: id, bytes }, ...(token ? [{ span: token, bytes }] : [])];
    const deadlineAt = now() + limits.serverRequestMs;
    // A person may be thinking, and the call waits for that.
    if (request) request.deadlineAt = Math.max(request.deadlineAt, deadlineAt + limits.callMs);
    const progressToken = token && copySpan(text, token);
    this.#open.set(own, { id: own, link, serverId, session, request, progressToken, deadlineAt });
    const message = splice(text, edits);
    if (request?.reply.notify(message) !== true) deliver(session, message);
  }

  /** Passes a client's answer on. @returns False when no server has asked this session. */
  answer(session: Session, { text, id }: Envelope): boolean {
    const own = readNumber(text, id);
    const pending = own === undefined ? undefined : this.#open.get(own);
    if (id === undefined || pending?.session !== session) return false;
    this.#open.delete(pending.id);
    const { request } = pending;
    if (request) request.deadlineAt = this.#options.now() + this.#options.limits.callMs;
    sendToServer(pending.link, splice(text, [{ span: id, bytes: pending.serverId }]));
    return true;
  }

  /** Hands on how far a client is with its answer. */
  forwardProgress(session: Session, { text, params }: Envelope): void {
    const span = params && findMembers(text, params.start, ["progressToken"])?.spans[0];
    const own = readNumber(text, span);
    const pending = own === undefined ? undefined : this.#open.get(own);
    if (span === undefined || pending?.session !== session || pending.progressToken === undefined) return;
    sendToServer(pending.link, splice(text, [{ span, bytes: pending.progressToken }]));
  }

  /** The server needs no answer any more. @param serverId Raw JSON of its id. */
  cancelByServer(link: Link, serverId: Buffer, reason: string): void {
    for (const pending of this.#open.values()) {
      if (pending.link !== link || !pending.serverId.equals(serverId)) continue;
      this.#withdraw(pending, reason);
      return;
    }
  }

  /** The client has left. */
  endSession(session: Session): void {
    for (const pending of [...this.#open.values()]) {
      if (pending.session === session) this.#refuse(pending, RPC_ERRORS.NO_CLIENT, "The client has gone.");
    }
  }

  /** The server's session has ended. */
  endLink(link: Link, reason: string): void {
    for (const pending of [...this.#open.values()]) if (pending.link === link) this.#withdraw(pending, reason);
  }

  sweep(now: number): void {
    for (const pending of [...this.#open.values()]) {
      if (pending.deadlineAt > now) continue;
      this.#refuse(pending, RPC_ERRORS.TIMEOUT, "The client did not answer in time.");
      this.#withdraw(pending, "no answer in time");
    }
  }

  #refuse({ id, link, serverId }: PendingServerRequest, code: number, reason: string): void {
    this.#open.delete(id);
    sendToServer(link, createErrorReply(serverId, code, reason));
  }

  #withdraw({ id, session, request }: PendingServerRequest, reason: string): void {
    this.#open.delete(id);
    const message = createNotification(CANCELLED, { requestId: id, reason });
    if (request?.reply.notify(message) !== true) deliver(session, message);
  }
}

function sendToServer({ upstream }: Link, message: Buffer): void {
  upstream?.send([message], undefined);
}
