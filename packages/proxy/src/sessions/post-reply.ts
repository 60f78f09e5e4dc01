/**
 * The HTTP response to one POST: plain JSON when there is only the answer; an event stream once other messages belong
 * to the request, when the answer takes long, or when the client accepts nothing else.
 */
import type { ServerResponse } from "node:http";
import type { EventStream } from "../http/event-stream.ts";
import { sendEmpty, sendJson } from "../http/http-exchange.ts";
import { hasPrimingEvents } from "../messages/protocol-revisions.ts";
import type { Reply } from "./reply.ts";
import type { Session } from "./session.ts";

export interface PostReplyOptions {
  readonly response: ServerResponse;
  readonly session: Session;
  /** Responses that will follow: one for each request in the body. */
  readonly expected: number;
  readonly isBatch: boolean;
  /** What the client's Accept header allows. */
  readonly acceptsJson: boolean;
  readonly acceptsStream: boolean;
  readonly headers: Record<string, string>;
  /** Called when the last response is sent or the client can no longer receive it. */
  readonly onDone: (reply: PostReply) => void;
  readonly startedAt: number;
}

export class PostReply implements Reply {
  readonly #options: PostReplyOptions;
  readonly #collected: Buffer[] = [];
  #open: number;
  #stream: EventStream | undefined;
  #status = 200;

  constructor(options: PostReplyOptions) {
    this.#options = options;
    this.#open = options.expected;
    if (!options.acceptsJson) this.becomeStream();
  }

  get startedAt(): number {
    return this.#options.startedAt;
  }

  notify(message: Buffer): boolean {
    if (!this.becomeStream()) return false;
    this.#stream?.push(message);
    return true;
  }

  /** @param status For a plain answer; a stream has had its status. */
  respond(message: Buffer, status = 200): void {
    this.#open--;
    this.#status = status;
    if (this.#stream !== undefined) this.#stream.push(message);
    else this.#collected.push(message);
    this.#endIfDone();
  }

  cancel(): void {
    this.#open--;
    this.#endIfDone();
  }

  /** @returns False when the response has to stay JSON. */
  becomeStream(): boolean {
    const { response, session, acceptsStream, headers } = this.#options;
    if (this.#stream !== undefined) return true;
    if (!acceptsStream || response.headersSent || response.destroyed || session.isClosed) return false;
    const stream = session.openStream();
    this.#stream = stream;
    stream.attach(response, { headers });
    if (hasPrimingEvents(session.client.revision)) stream.prime();
    for (const message of this.#collected.splice(0)) stream.push(message);
    return true;
  }

  #endIfDone(): void {
    if (this.#open > 0) return;
    const { response, isBatch, headers, onDone } = this.#options;
    onDone(this);
    if (this.#stream !== undefined) {
      this.#stream.finish();
      return;
    }
    const [only] = this.#collected;
    if (only === undefined) sendEmpty(response, 202, headers);
    else sendJson(response, this.#status, isBatch ? formatArray(this.#collected) : only, headers);
  }
}

function formatArray(messages: readonly Buffer[]): Buffer {
  const parts: Buffer[] = [];
  for (const message of messages) parts.push(Buffer.from(parts.length === 0 ? "[" : ","), message);
  return Buffer.concat([...parts, Buffer.from("]")]);
}
