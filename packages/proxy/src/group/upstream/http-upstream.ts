/** A session at a server's own endpoint over streamable HTTP (`/mcp`). */
import { Agent, type ClientRequest, type IncomingMessage, request } from "node:http";
import { messageOf } from "@toolhive/core/errors";
import { EventFilter } from "../../http/event-filter.ts";
import { readErrorCode } from "../../messages/error-code.ts";
import { readEnvelope } from "../../messages/json-rpc.ts";
import type { GroupLimits } from "../../options/group-limits.ts";
import { readErrorMessage, readInitializeResult, readRevision } from "./initialize-answer.ts";
import {
  createInitializeRequest,
  INITIALIZED_MESSAGE,
  type OpenUpstreamOptions,
  type RequestFailure,
  type Upstream,
  type UpstreamHandler,
} from "./upstream.ts";

const SESSION_HEADER = "mcp-session-id";
const POST_HEADERS = { "content-type": "application/json", accept: "application/json, text/event-stream" };
/** Milliseconds until a stream that ended is opened again. */
const LISTEN_PAUSE_MS = 1000;

/** One agent for all: it keeps connections by host and port. */
const AGENT = new Agent({ keepAlive: true });

/** What becomes of one POST. */
interface Exchange {
  onMessage(text: Buffer): void;
  /** @param failure `undefined` when the response has simply ended. */
  onDone(failure: RequestFailure | undefined): void;
}

export class HttpUpstream implements Upstream {
  readonly isAttributed = true;
  readonly #url: URL;
  readonly #handler: UpstreamHandler;
  readonly #limits: GroupLimits;
  /** Requests in flight, by the id of what they carry. */
  readonly #posts = new Map<number, ClientRequest>();
  #headers: Record<string, string> = {};
  #result: Buffer | undefined;
  #isOpen = true;
  #listening: ClientRequest | undefined;
  #listenTimer: NodeJS.Timeout | undefined;

  private constructor({ url, handler, limits }: OpenUpstreamOptions) {
    this.#url = url;
    this.#handler = handler;
    this.#limits = limits;
  }

  /** @throws When the server does not accept the session. */
  static async open(options: OpenUpstreamOptions): Promise<HttpUpstream> {
    const upstream = new HttpUpstream(options);
    await upstream.#initialize(options);
    return upstream;
  }

  get result(): Buffer {
    return this.#result ?? Buffer.from("{}");
  }

  send(message: readonly Buffer[], id: number | undefined): void {
    if (id === undefined) {
      this.#post(message, { onMessage: (text) => this.#handler.onMessage(text, undefined), onDone: () => undefined });
      return;
    }
    const outgoing = this.#post(message, {
      onMessage: (text) => this.#handler.onMessage(text, id),
      onDone: (failure) => {
        if (this.#posts.get(id) !== outgoing) return;
        this.#posts.delete(id);
        // Of a request that was answered nobody hears that its response has ended.
        this.#handler.onFailed(id, failure ?? { reason: "its answer ended early" });
        if (failure?.isUnreceived) this.#end(failure.reason);
      },
    });
    this.#posts.set(id, outgoing);
  }

  forget(id: number): void {
    const outgoing = this.#posts.get(id);
    this.#posts.delete(id);
    outgoing?.destroy();
  }

  touch(): void {
    // Its open stream keeps the session.
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#stop();
    if (this.#headers[SESSION_HEADER] === undefined) return;
    const farewell = this.#request("DELETE", {});
    farewell.on("response", (response) => response.resume());
    // A server that is gone has no session to end.
    farewell.on("error", () => undefined);
    farewell.end();
  }

  async #initialize({ initialize, signal }: OpenUpstreamOptions): Promise<void> {
    const answer = await new Promise<Buffer>((resolve, reject) => {
      const outgoing = this.#post([createInitializeRequest(initialize)], {
        onMessage: (text) => {
          if (readEnvelope(text)?.kind === "response") resolve(text);
        },
        onDone: (failure) => reject(new Error(failure?.reason ?? "it did not answer initialize")),
      });
      outgoing.on("response", ({ headers }) => {
        const session = headers[SESSION_HEADER];
        if (typeof session === "string") this.#headers = { [SESSION_HEADER]: session };
      });
      const abort = () => {
        outgoing.destroy();
        reject(signal.reason);
      };
      if (signal.aborted) abort();
      else signal.addEventListener("abort", abort, { once: true });
    });
    this.#result = readInitializeResult(answer);
    const revision = readRevision(this.#result);
    if (revision !== undefined) this.#headers = { ...this.#headers, "mcp-protocol-version": revision };
    this.send([INITIALIZED_MESSAGE], undefined);
    this.#listen();
  }

  #post(message: readonly Buffer[], exchange: Exchange): ClientRequest {
    let length = 0;
    for (const piece of message) length += piece.length;
    const outgoing = this.#request("POST", { ...POST_HEADERS, "content-length": length });
    let isDone = false;
    const done = (failure: RequestFailure | undefined): void => {
      if (isDone) return;
      isDone = true;
      exchange.onDone(failure);
    };
    outgoing.on("response", (response) => this.#receive(response, exchange, done));
    outgoing.on("error", (error) => done({ reason: messageOf(error) }));
    for (const piece of message) outgoing.write(piece);
    outgoing.end();
    return outgoing;
  }

  #receive(response: IncomingMessage, exchange: Exchange, done: (failure: RequestFailure | undefined) => void): void {
    response.on("error", (error) => done({ reason: messageOf(error) }));
    if (isStream(response)) {
      readEvents(response, this.#limits.maxLineBytes, (text) => exchange.onMessage(text), done);
      return;
    }
    const pieces: Buffer[] = [];
    let bytes = 0;
    response.on("data", (piece: Buffer) => {
      bytes += piece.length;
      pieces.push(piece);
      if (bytes > this.#limits.maxLineBytes) response.destroy(new Error("its answer is too large"));
    });
    response.on("end", () => {
      const body = pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces);
      const { statusCode = 0 } = response;
      const isGone = statusCode === 404 && this.#headers[SESSION_HEADER] !== undefined;
      if (!isGone && readEnvelope(body)?.kind === "response") {
        exchange.onMessage(body);
        done(undefined);
      } else if (statusCode < 300) done(undefined);
      else {
        const reason = readErrorMessage(body) ?? `status ${statusCode}`;
        done({ reason, code: readErrorCode(body), isUnreceived: isGone });
      }
    });
  }

  /** Reads what the server says of its own accord. */
  #listen(): void {
    if (!this.#isOpen) return;
    const stream = this.#request("GET", { accept: "text/event-stream" });
    this.#listening = stream;
    const again = (): void => {
      if (!this.#isOpen || this.#listening !== stream) return;
      this.#listenTimer = setTimeout(() => this.#listen(), LISTEN_PAUSE_MS);
      this.#listenTimer.unref();
    };
    stream.on("error", again);
    stream.on("response", (response) => {
      const { statusCode = 0 } = response;
      if (isStream(response)) {
        const onMessage = (text: Buffer) => this.#handler.onMessage(text, undefined);
        readEvents(response, this.#limits.maxLineBytes, onMessage, again);
        return;
      }
      response.resume();
      if (statusCode === 404 && this.#headers[SESSION_HEADER] !== undefined) this.#end("its session has ended");
      // A server without such a stream says so with another 4xx, mostly 405.
      else if (statusCode >= 500) again();
    });
    stream.end();
  }

  #request(method: string, headers: Record<string, string | number>): ClientRequest {
    const { hostname, port, pathname } = this.#url;
    const host = hostname.replace(/^\[|\]$/g, "");
    return request({ host, port, path: pathname, method, agent: AGENT, headers: { ...headers, ...this.#headers } });
  }

  #end(reason: string): void {
    if (!this.#isOpen) return;
    this.#stop();
    this.#handler.onEnd(reason);
  }

  #stop(): void {
    this.#isOpen = false;
    clearTimeout(this.#listenTimer);
    this.#listening?.destroy();
    for (const outgoing of this.#posts.values()) outgoing.destroy();
    this.#posts.clear();
  }
}

export function isStream({ headers }: IncomingMessage): boolean {
  return headers["content-type"]?.startsWith("text/event-stream") === true;
}

/** Reads the messages of an event stream until it ends. */
export function readEvents(
  response: IncomingMessage,
  maxBytes: number,
  onMessage: (text: Buffer) => void,
  onEnd: (failure: RequestFailure | undefined) => void,
): void {
  const events = new EventFilter((text) => {
    onMessage(text);
    return text;
  }, maxBytes);
  events.on("error", (error) => {
    response.destroy();
    onEnd({ reason: messageOf(error) });
  });
  events.on("end", () => onEnd(undefined));
  response.on("error", (error) => onEnd({ reason: messageOf(error) }));
  response.on("close", () => onEnd(undefined));
  response.pipe(events).resume();
}
