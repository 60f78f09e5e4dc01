/**
 * One request of a client of revision 2026-07-28 at a server of an older one. Since 2026-07-28 servers ask nothing in
 * between: they answer that input is required, and the client sends the request again with the input. So the older
 * server's questions become such answers, while its call is held open here until the client comes back.
 */
import type { ServerResponse } from "node:http";
import { type ClientMessage, isRecord } from "./client-message.ts";
import { copyOf, type Envelope, errorReply, RPC_ERRORS, readEnvelope } from "./json-rpc.ts";
import { findPath, splice } from "./json-scanner.ts";
import { statusOf, withResultMembers } from "./modern-messages.ts";
import type { Reply } from "./pending-requests.ts";
import type { PostReply } from "./post-reply.ts";
import type { Session } from "./session.ts";

export interface ModernCallOptions {
  /** Names the held call towards the client; cannot be guessed. */
  readonly state: string;
  readonly session: Session;
  readonly method: string;
  readonly wantsLog: boolean;
  /** Whether the server itself speaks 2026-07-28; then its messages pass as they are. */
  readonly isNative: boolean;
  readonly serverInfo: Buffer | undefined;
  /** Sees every answer of the server. */
  readonly onAnswer: (answer: Buffer) => void;
  /** Passes an answer to a question of the server on. */
  readonly answer: (session: Session, answer: Envelope) => void;
  /** The call is over, or the client has left: nothing more will be said about it. */
  readonly onEnd: (call: ModernCall, reason: string | undefined) => void;
  readonly now: () => number;
}

/** A question of the server: its raw id and the raw JSON that describes it to the client. */
interface Question {
  readonly id: string;
  readonly description: string;
}

interface Exchange {
  readonly reply: PostReply;
  readonly id: Buffer;
}

export class ModernCall implements Reply {
  readonly #options: ModernCallOptions;
  readonly #questions = new Map<string, Question>();
  #exchange: Exchange | undefined;
  /** The server's last word, when it came while the client was away. */
  #last: Buffer | undefined;
  #heldSince: number | undefined;

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

  /** Since when the client has not come back; `undefined` while it waits for us. */
  get heldSince(): number | undefined {
    return this.#heldSince;
  }

  /** Answers through an HTTP response from now on. @param id Raw JSON of the request's id. */
  attach(reply: PostReply, id: Buffer, response: ServerResponse): void {
    const exchange = { reply, id };
    this.#exchange = exchange;
    this.#heldSince = undefined;
    response.on("close", () => {
      // Since 2026-07-28 closing the response is how a client cancels.
      if (this.#exchange === exchange) this.#options.onEnd(this, "the client closed the response");
    });
    if (this.#last !== undefined) this.respond(this.#last);
    else if (this.#questions.size > 0) this.#ask();
  }

  /** Takes the input that came with a repeated request. */
  takeInput({ envelope, params }: ClientMessage): void {
    const given = isRecord(params.inputResponses) ? params.inputResponses : {};
    for (const [key, question] of [...this.#questions]) {
      const span =
        key in given && envelope.params !== undefined
          ? findPath(envelope.text, envelope.params.start, ["inputResponses", key])
          : undefined;
      if (span === undefined) continue;
      this.#questions.delete(key);
      const result = envelope.text.toString("utf8", span.start, span.end);
      const answer = readEnvelope(Buffer.from(`{"jsonrpc":"2.0","id":${question.id},"result":${result}}`));
      if (answer !== undefined) this.#options.answer(this.#options.session, answer);
    }
  }

  notify(message: Buffer): boolean {
    const envelope = readEnvelope(message);
    if (envelope?.kind === "request") {
      this.#addQuestion(envelope);
      return true;
    }
    if (envelope?.method === "notifications/cancelled") {
      this.#dropQuestion(envelope);
      return true;
    }
    // Log messages come only to those who asked for them in this request; nobody else may have them either.
    if (envelope?.method === "notifications/message" && !this.#options.wantsLog) return true;
    return this.#exchange?.reply.notify(message) ?? true;
  }

  respond(message: Buffer, status?: number): void {
    const exchange = this.#exchange;
    if (exchange === undefined) {
      this.#last = message;
      return;
    }
    this.#exchange = undefined;
    const { method, serverInfo, isNative, onAnswer } = this.#options;
    onAnswer(message);
    const own = withId(message, exchange.id);
    exchange.reply.respond(isNative ? own : withResultMembers(own, method, serverInfo), status ?? statusOf(own));
    this.#options.onEnd(this, undefined);
  }

  cancel(): void {
    this.#exchange?.reply.cancel();
    this.#exchange = undefined;
  }

  lack(capability: string): void {
    const exchange = this.#exchange;
    if (exchange === undefined) return;
    this.#exchange = undefined;
    const message = `The request needs the client capability "${capability}", which was not declared.`;
    const data = { requiredCapabilities: { [capability]: {} } };
    exchange.reply.respond(errorReply(exchange.id, RPC_ERRORS.MISSING_CAPABILITY, message, data), 400);
    this.#options.onEnd(this, "the client lacks a capability");
  }

  /** Says that the call cannot be continued. */
  refuse(reason: string): void {
    const exchange = this.#exchange;
    this.#exchange = undefined;
    exchange?.reply.respond(errorReply(exchange.id, RPC_ERRORS.SERVER_GONE, reason));
  }

  #addQuestion({ text, id, method, params }: Envelope): void {
    if (id === undefined) return;
    const raw = text.toString("utf8", id.start, id.end);
    const body = params === undefined ? "" : `,"params":${text.toString("utf8", params.start, params.end)}`;
    this.#questions.set(`request-${raw}`, { id: raw, description: `{"method":${JSON.stringify(method)}${body}}` });
    if (this.#exchange !== undefined) this.#ask();
  }

  #dropQuestion({ text, params }: Envelope): void {
    const span = params === undefined ? undefined : findPath(text, params.start, ["requestId"]);
    if (span !== undefined) this.#questions.delete(`request-${text.toString("utf8", span.start, span.end)}`);
  }

  /** Ends the HTTP response with all open questions; the call itself goes on. */
  #ask(): void {
    const exchange = this.#exchange;
    if (exchange === undefined) return;
    this.#exchange = undefined;
    this.#heldSince = this.#options.now();
    const questions = [...this.#questions].map(([key, { description }]) => `${JSON.stringify(key)}:${description}`);
    const result = `{"resultType":"input_required","inputRequests":{${questions.join(",")}},"requestState":${JSON.stringify(this.state)}}`;
    exchange.reply.respond(
      Buffer.concat([Buffer.from('{"jsonrpc":"2.0","id":'), exchange.id, Buffer.from(`,"result":${result}}`)]),
    );
  }
}

/** A repeated request has an id of its own, and the answer carries that one. */
function withId(message: Buffer, id: Buffer): Buffer {
  const span = readEnvelope(message)?.id;
  if (span === undefined || copyOf(message, span).equals(id)) return message;
  return splice(message, [{ span, bytes: id }]);
}
