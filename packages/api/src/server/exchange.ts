/** A request and its answer, as the operations of the server use them. */
import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { readBody } from "@toolhive/http";
import { MAX_BODY_BYTES } from "../contract/parts/limits.ts";

export class Exchange {
  readonly id = randomUUID();
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** As it was sent, without its query. */
  readonly path: string;
  readonly search: string;
  /** Aborted when the caller has disconnected, or has the whole answer. */
  readonly signal: AbortSignal;
  readonly #startedAt = performance.now();

  constructor(request: IncomingMessage, response: ServerResponse) {
    this.request = request;
    this.response = response;
    // Proxies send the whole address.
    const target = (request.url ?? "").replace(/^https?:\/\/[^/]*/i, "");
    const [, path = "", search = ""] = /^([^?#]*)\??([^#]*)/.exec(target) ?? [];
    this.path = path;
    this.search = search;
    const gone = new AbortController();
    response.once("close", () => gone.abort());
    this.signal = gone.signal;
    // The log has it, too: so a caller can say which request it was.
    response.setHeader("X-Request-Id", this.id);
  }

  /** As it was sent. */
  get authorization(): string | undefined {
    return this.request.headers.authorization;
  }

  /** Milliseconds since the request arrived. */
  get elapsedMs(): number {
    return performance.now() - this.#startedAt;
  }

  /** @throws {BodyFailure} */
  async readBody(): Promise<string> {
    return (await readBody(this.request, { maxBytes: MAX_BODY_BYTES })).toString();
  }

  /** @param type Content type; absent for none. */
  send(status: number, type: string | undefined, text = ""): void {
    const { response } = this;
    if (response.headersSent || response.destroyed) return;
    if (status === 204) {
      response.writeHead(status).end();
      return;
    }
    if (type !== undefined) response.setHeader("Content-Type", type);
    response.writeHead(status, { "Content-Length": Buffer.byteLength(text) }).end(text);
  }

  /** A stream may stay empty for a long time, so the head is sent at once: the caller sees that the stream has begun. */
  async stream(status: number, type: string, parts: Readable | AsyncIterable<string>): Promise<void> {
    this.response.writeHead(status, { "Content-Type": type }).flushHeaders();
    // One part is read ahead: how things were is of no use to a reader that is slow.
    const readable = parts instanceof Readable ? parts : Readable.from(parts, { highWaterMark: 1 });
    await pipeline(readable, this.response);
  }
}
