/**
 * Carries requests to the server and back: kept until a server is ready, sent under ids of our own, and ended by an
 * answer, a cancellation, a deadline, or the end of the server or of the session.
 */

import type { Logger } from "@toolhive/core";
import type { LiveRules } from "../authz/live-rules.ts";
import { refuseAddresses } from "../elicitation/addresses.ts";
import type { AskedAddresses } from "../elicitation/asked-addresses.ts";
import type { ClientMessage } from "../messages/client-message.ts";
import {
  copySpan,
  createErrorReply,
  createNotification,
  type Envelope,
  RPC_ERRORS,
  readAnswerId,
} from "../messages/json-rpc.ts";
import { findMembers, splice, spliceInPlace } from "../messages/json-scanner.ts";
import { CANCELLED, SUBSCRIBE } from "../messages/methods.ts";
import type { Line } from "../messages/outgoing-line.ts";
import type { Limits } from "../options/limits.ts";
import { type PendingRequest, type PendingRequests, readRequestKey } from "../sessions/pending-requests.ts";
import type { Reply } from "../sessions/reply.ts";
import type { Session } from "../sessions/session.ts";
import type { ServerUsers } from "./server-users.ts";
import { UnsentRequests } from "./unsent-requests.ts";

/** Where writers of JSON-RPC put the id of a response; in between is the result. */
const ID_AT_START = /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d{1,16})\s*,/;
const ID_AT_END = /,\s*"id"\s*:\s*(\d{1,16})\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/;

/** Below it a copy costs next to nothing. */
const LARGE_BYTES = 16 * 1024;

export interface RequestFlowOptions {
  readonly limits: Limits;
  readonly log: Logger;
  /** Milliseconds, monotonic. */
  readonly now: () => number;
  readonly rules: Pick<LiveRules, "current"> | undefined;
  readonly pending: PendingRequests;
  readonly users: ServerUsers;
  /** Writes to the server. @returns False when the server has stopped reading, `undefined` when none is connected. */
  readonly write: (line: Line) => boolean | undefined;
  /** Sends a notification to the server. */
  readonly notifyServer: (message: Buffer) => void;
  /** A request ended without a result. */
  readonly onRefused: (request: PendingRequest) => void;
  /** Remembers who was asked to open what. */
  readonly addresses: AskedAddresses<Session>;
}

export class RequestFlow {
  readonly #options: RequestFlowOptions;
  readonly #pending: PendingRequests;
  /** Requests not sent to a server yet, oldest first. */
  readonly #unsent: UnsentRequests;

  constructor(options: RequestFlowOptions) {
    this.#options = options;
    this.#pending = options.pending;
    this.#unsent = new UnsentRequests(options.limits.maxStdinBytes);
  }

  /** Sends an admitted request, or keeps it until a server is ready. @param isReady Whether one is ready now. */
  enqueue(session: Session, message: ClientMessage, reply: Reply, isReady: boolean): void {
    const { envelope, params } = message;
    const { limits, now } = this.#options;
    const request = this.#pending.add(envelope, {
      session,
      reply,
      deadlineAt: now() + (isReady ? limits.requestMs : limits.queueWaitMs),
      progressToken: message.progressToken,
      isTask: params.task !== undefined,
      uri: envelope.method === SUBSCRIBE && typeof params.uri === "string" ? params.uri : undefined,
    });
    if (request === undefined) return;
    if (isReady) this.send(request);
    else this.#keep(request);
  }

  #keep(request: PendingRequest): void {
    if (!this.#unsent.add(request)) this.#fail(request, RPC_ERRORS.TOO_MANY, "Too much is waiting for the server.");
  }

  /** Sends the kept messages. */
  sendKept(): void {
    const { limits, now } = this.#options;
    for (const request of this.#unsent.takeAll()) {
      request.deadlineAt = now() + limits.requestMs;
      this.send(request);
    }
  }

  /** Its reply gets an answer in every case. */
  send(request: PendingRequest): void {
    const { outgoing } = request;
    if (outgoing === undefined) return;
    // Before the write, because an answer may arrive during it.
    request.outgoing = undefined;
    if (request.session !== undefined) this.#options.users.record(request.session.caller.id);
    const wasSent = this.#options.write(outgoing);
    if (wasSent === true) return;
    const reason = wasSent === undefined ? "No server is running." : "The server has stopped reading.";
    this.#fail(request, RPC_ERRORS.SERVER_UNAVAILABLE, reason);
  }

  /** Delivers a response of the server to the client that sent the request. */
  receive(envelope: Envelope): void {
    const { text, id, result } = envelope;
    const serverSideId = readAnswerId(text, id);
    const request = serverSideId === undefined ? undefined : this.#pending.find(serverSideId);
    if (id === undefined || request === undefined || request.outgoing !== undefined) {
      this.#options.log.debug({ id: serverSideId }, "server answered a request that is not open");
      if (serverSideId !== undefined) this.#options.users.settle(serverSideId);
      return;
    }
    this.#pending.remove(request);
    // The server works on a task after it has answered the request.
    if (request.isTask) this.#abandon(request);
    if (result === undefined) this.#options.onRefused(request);
    const refusal = refuseAddresses(envelope, request.clientId);
    if (refusal !== undefined) {
      request.reply.respond(refusal);
      return;
    }
    if (request.session !== undefined) this.#options.addresses.recordAnswer(request.session, envelope);
    const edit = { span: id, bytes: request.clientId };
    const response = isLargeAndAlone(text) ? spliceInPlace(text, edit) : splice(text, [edit]);
    const rules = this.#options.rules?.current;
    const shown = rules && request.session ? rules.filter(request.session.caller, response) : response;
    request.reply.respond(shown);
  }

  /**
   * An answer is too long to be kept, malformed, or too deep to be read: its request fails, if the first or last bytes contain
   * its id.
   */
  failOversize(head: Buffer, tail: Buffer): void {
    const { maxLineBytes } = this.#options.limits;
    this.#options.log.warn({ maxLineBytes }, "server wrote a line that is too long or cannot be read");
    const match = ID_AT_START.exec(head.toString("latin1")) ?? ID_AT_END.exec(tail.toString("latin1"));
    const request = match === null ? undefined : this.#pending.find(Number(match[1]));
    if (request === undefined) return;
    this.#fail(request, RPC_ERRORS.INTERNAL, "The server's answer is too large, or cannot be read.");
  }

  cancelByClient(session: Session, { text, params }: Envelope): void {
    const span = params === undefined ? undefined : findMembers(text, params.start, ["requestId"])?.spans[0];
    const request = span === undefined ? undefined : session.requests.get(readRequestKey(copySpan(text, span)));
    // The cancellation may cross the response; then the request is done.
    if (span === undefined || request === undefined) return;
    if (request.outgoing === undefined) {
      this.#options.notifyServer(splice(text, [{ span, bytes: Buffer.from(String(request.serverSideId)) }]));
      this.#abandon(request);
    }
    this.#unsent.remove(request);
    this.#pending.remove(request);
    request.reply.cancel();
  }

  /** The server has ended: no request that it received will be answered. */
  failSent(message: string): void {
    for (const request of [...this.#pending]) {
      if (request.outgoing === undefined) this.#fail(request, RPC_ERRORS.SERVER_GONE, message);
    }
  }

  failAll(message: string): void {
    for (const request of [...this.#pending]) this.#fail(request, RPC_ERRORS.SERVER_GONE, message);
  }

  endSession(session: Session, reason: string): void {
    for (const request of [...session.requests.values()]) {
      this.#cancelAtServer(request, reason);
      this.#fail(request, RPC_ERRORS.SERVER_GONE, `The session has ended: ${reason}.`);
    }
    this.#pending.forgetSession(session);
  }

  /** Applies deadlines. */
  sweep(now: number): void {
    for (const request of [...this.#pending]) {
      if (request.deadlineAt > now) continue;
      if (request.outgoing !== undefined)
        this.#fail(request, RPC_ERRORS.SERVER_UNAVAILABLE, "No server was ready in time.");
      else {
        this.#cancelAtServer(request, "no answer in time");
        this.#fail(request, RPC_ERRORS.TIMEOUT, "The server did not answer in time.");
      }
    }
  }

  #fail(request: PendingRequest, code: number, message: string): void {
    if (request.outgoing === undefined) this.#abandon(request);
    this.#unsent.remove(request);
    this.#pending.remove(request);
    this.#options.onRefused(request);
    if (request.reply.failUnanswered === undefined)
      request.reply.respond(createErrorReply(request.clientId, code, message));
    else request.reply.failUnanswered(message);
  }

  /** No client waits for it any more, but the server may still work on it. */
  #abandon({ serverSideId, session }: PendingRequest): void {
    if (session !== undefined) this.#options.users.abandon(serverSideId, session.caller.id, this.#options.now());
  }

  #cancelAtServer({ outgoing, serverSideId }: PendingRequest, reason: string): void {
    if (outgoing === undefined)
      this.#options.notifyServer(createNotification(CANCELLED, { requestId: serverSideId, reason }));
  }
}

/**
 * Whether a line of the server may be forwarded without a copy: what is kept of it (for a slow reader, say) is
 * counted by its length, and must not hold much more.
 */
function isLargeAndAlone(text: Buffer): boolean {
  return text.length >= LARGE_BYTES && text.buffer.byteLength <= 2 * text.length;
}
