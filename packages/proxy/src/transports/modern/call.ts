/**
 * One request of a client of revision 2026-07-28 at a server of an older one. Since 2026-07-28 servers send no
 * requests of their own: they answer `input_required`, and the client repeats its request with the input. So requests
 * of the older server become such answers, while its call stays open here until the client returns.
 */

import type { ServerResponse } from "node:http";
import { isRecord } from "@toolhive/http/values";
import { toCapabilities } from "../../elicitation/demand.ts";
import type { ClientMessage } from "../../messages/client-message.ts";
import { copySpan, createErrorReply, type Envelope, RPC_ERRORS, readEnvelope } from "../../messages/json-rpc.ts";
import { findPath, splice } from "../../messages/json-scanner.ts";
import { addResultMembers, toHttpStatus } from "../../messages/modern/adapt-messages.ts";
import type { PostReply } from "../../sessions/post-reply.ts";
import type { Reply } from "../../sessions/reply.ts";
import type { Session } from "../../sessions/session.ts";

export interface ModernCallOptions {
  /** Names the held call towards the client, without a dot; cannot be guessed. */
  readonly state: string;
  readonly session: Session;
  readonly method: string;
  readonly wantsLog: boolean;
  /** Whether the server itself speaks 2026-07-28; then its messages pass as they are. */
  readonly isNative: boolean;
  readonly serverInfo: Buffer | undefined;
  /** Sees every answer of the server. */
  readonly onAnswer: (answer: Buffer) => void;
  /** Forwards a client's answer to a request of the server. */
  readonly forwardAnswer: (session: Session, answer: Envelope) => void;
  /** The call has ended, or the client has left: no further callback follows. */
  readonly onEnd: (call: ModernCall, reason: string | undefined) => void;
  readonly now: () => number;
}

/**
 * Milliseconds to collect further requests after the first one. A server may write several at once, and the client
 * should get them in one round.
 */
const GATHER_MS = 10;

/** A request of the server: its raw id and the raw JSON that describes it to the client. */
interface InputRequest {
  readonly id: string;
  readonly description: string;
}

/** Between what names a call and the number of the round: each round has a `requestState` of its own. */
const ROUND_MARK = ".";

/** @returns The state of the call that a client's `requestState` belongs to. */
export function parseCallState(requestState: string): string {
  return requestState.split(ROUND_MARK, 1)[0] ?? "";
}

interface OpenResponse {
  readonly reply: PostReply;
  readonly id: Buffer;
}

export class ModernCall implements Reply {
  readonly #options: ModernCallOptions;
  readonly #inputRequests = new Map<string, InputRequest>();
  #openResponse: OpenResponse | undefined;
  /** The server's response, when it arrived while no HTTP response was open. */
  #last: Buffer | undefined;
  #heldSince: number | undefined;
  #gathering: NodeJS.Timeout | undefined;
  /** How often the client was asked. */
  #rounds = 0;

  constructor(options: ModernCallOptions) {
    this.#options = options;
  }

  get state(): string {
    return this.#options.state;
  }

  get session(): Session {
    return this.#options.session;
  }

  get method(): string {
    return this.#options.method;
  }

  /** Whether this call issued the client's `requestState`, unchanged. */
  issued(requestState: string): boolean {
    const round = Number(requestState.slice(this.state.length + ROUND_MARK.length));
    return round >= 1 && round <= this.#rounds && requestState === this.#formatState(round);
  }

  #formatState(round: number): string {
    return `${this.state}${ROUND_MARK}${round}`;
  }

  /** When the call began to wait for the client; `undefined` while an HTTP response is open. */
  get heldSince(): number | undefined {
    return this.#heldSince;
  }

  /** Answers through an HTTP response from now on. @param id Raw JSON of the request's id. */
  attach(reply: PostReply, id: Buffer, response: ServerResponse): void {
    const open = { reply, id };
    this.#openResponse = open;
    this.#heldSince = undefined;
    response.on("close", () => {
      // Since 2026-07-28 closing the response is how a client cancels.
      if (this.#openResponse === open) this.#options.onEnd(this, "the client closed the response");
    });
    if (this.#last !== undefined) this.respond(this.#last);
    else if (this.#inputRequests.size > 0) this.#sendInputRequests();
  }

  /** Forwards the input of a repeated request to the server. */
  acceptInput({ envelope, params }: ClientMessage): void {
    const given = isRecord(params.inputResponses) ? params.inputResponses : {};
    for (const [key, request] of [...this.#inputRequests]) {
      const span =
        key in given && envelope.params !== undefined
          ? findPath(envelope.text, envelope.params.start, ["inputResponses", key])
          : undefined;
      if (span === undefined) continue;
      this.#inputRequests.delete(key);
      const result = envelope.text.toString("utf8", span.start, span.end);
      const answer = readEnvelope(Buffer.from(`{"jsonrpc":"2.0","id":${request.id},"result":${result}}`));
      if (answer !== undefined) this.#options.forwardAnswer(this.#options.session, answer);
    }
  }

  notify(message: Buffer): boolean {
    const envelope = readEnvelope(message);
    if (envelope?.kind === "request") {
      this.#addInputRequest(envelope);
      return true;
    }
    if (envelope?.method === "notifications/cancelled") {
      this.#dropInputRequest(envelope);
      return true;
    }
    // Only clients that asked for log messages in this request receive them; no other session may have them either.
    if (envelope?.method === "notifications/message" && !this.#options.wantsLog) return true;
    return this.#openResponse?.reply.notify(message) ?? true;
  }

  respond(message: Buffer, status?: number): void {
    const open = this.#detachResponse();
    if (open === undefined) {
      this.#last = message;
      return;
    }
    const { method, serverInfo, isNative, onAnswer } = this.#options;
    onAnswer(message);
    const own = withId(message, open.id);
    open.reply.respond(isNative ? own : addResultMembers(own, method, serverInfo), status ?? toHttpStatus(own));
    this.#options.onEnd(this, undefined);
  }

  cancel(): void {
    this.#detachResponse()?.reply.cancel();
  }

  failMissingCapability(capability: string): void {
    const open = this.#detachResponse();
    if (open === undefined) return;
    const message = `The request needs the client capability "${capability}", which was not declared.`;
    const data = { requiredCapabilities: toCapabilities(capability) };
    open.reply.respond(createErrorReply(open.id, RPC_ERRORS.MISSING_CAPABILITY, message, data), 400);
    this.#options.onEnd(this, "the client lacks a capability");
  }

  /** Says that the call cannot be continued. */
  refuse(reason: string): void {
    const open = this.#detachResponse();
    open?.reply.respond(createErrorReply(open.id, RPC_ERRORS.SERVER_GONE, reason));
  }

  /** Takes ownership of the open response; the taker must answer it. */
  #detachResponse(): OpenResponse | undefined {
    const open = this.#openResponse;
    this.#openResponse = undefined;
    clearTimeout(this.#gathering);
    this.#gathering = undefined;
    return open;
  }

  #addInputRequest({ text, id, method, params }: Envelope): void {
    if (id === undefined) return;
    const raw = text.toString("utf8", id.start, id.end);
    const body = params === undefined ? "" : `,"params":${text.toString("utf8", params.start, params.end)}`;
    this.#inputRequests.set(`request-${raw}`, { id: raw, description: `{"method":${JSON.stringify(method)}${body}}` });
    if (this.#openResponse !== undefined) this.#gathering ??= setTimeout(() => this.#sendInputRequests(), GATHER_MS);
  }

  #dropInputRequest({ text, params }: Envelope): void {
    const span = params === undefined ? undefined : findPath(text, params.start, ["requestId"]);
    if (span !== undefined) this.#inputRequests.delete(`request-${text.toString("utf8", span.start, span.end)}`);
  }

  /** Ends the HTTP response with all open input requests; the call itself continues. */
  #sendInputRequests(): void {
    // The server may have cancelled its requests while more were collected.
    this.#gathering = undefined;
    if (this.#inputRequests.size === 0) return;
    const open = this.#detachResponse();
    if (open === undefined) return;
    this.#rounds += 1;
    this.#heldSince = this.#options.now();
    const requests = [...this.#inputRequests].map(([key, { description }]) => `${JSON.stringify(key)}:${description}`);
    const result = `{"resultType":"input_required","inputRequests":{${requests.join(",")}},"requestState":"${this.#formatState(this.#rounds)}"}`;
    open.reply.respond(
      Buffer.concat([Buffer.from('{"jsonrpc":"2.0","id":'), open.id, Buffer.from(`,"result":${result}}`)]),
    );
  }
}

/** A repeated request has an id of its own, and the answer carries that one. */
function withId(message: Buffer, id: Buffer): Buffer {
  const span = readEnvelope(message)?.id;
  if (span === undefined || copySpan(message, span).equals(id)) return message;
  return splice(message, [{ span, bytes: id }]);
}
