/** A session at a server's own endpoint, over streamable HTTP or HTTP with SSE. */
import { Agent } from "node:http";
import { type ClientSession, openSession, type Post, RefusedMessage } from "@toolhive/mcp-client";
import { isSessionlessServer, readErrorCode, saysAlreadyInitialized } from "../../messages/error-code.ts";
import { readEnvelope } from "../../messages/json-rpc.ts";
import { HasOneSession, readErrorMessage, readInitializeResult, readRevision } from "./initialize-answer.ts";
import { discover } from "./modern-requests.ts";
import { ModernUpstream } from "./modern-upstream.ts";
import { describeFailure, isOfLostSession } from "./request-failure.ts";
import {
  createInitializeRequest,
  INITIALIZED_MESSAGE,
  type OpenUpstreamOptions,
  type Upstream,
  type UpstreamHandler,
} from "./upstream.ts";

/** One agent for all: it keeps connections by host and port. */
const AGENT = new Agent({ keepAlive: true });

export class HttpUpstream implements Upstream {
  readonly isAttributed: boolean;
  readonly result: Buffer;
  readonly #session: ClientSession;
  readonly #handler: UpstreamHandler;
  /** Requests in flight, by the id of what they carry. */
  readonly #posts = new Map<number, Post>();
  #isOpen = true;

  private constructor(session: ClientSession, handler: UpstreamHandler, result: Buffer) {
    this.isAttributed = session.answersInPlace;
    this.#session = session;
    this.#handler = handler;
    this.result = result;
  }

  /** @throws When the server does not accept the session. */
  static async open(options: OpenUpstreamOptions): Promise<Upstream> {
    const { url, initialize, handler, limits, signal, server } = options;
    let upstream: HttpUpstream | undefined;
    const session = await openSession(
      { url, agent: AGENT, maxMessageBytes: limits.maxLineBytes },
      {
        // Messages that arrive before the session is accepted belong to no request.
        onMessage: (text) => upstream && handler.onMessage(text, undefined),
        onLost: (reason) => {
          if (upstream) upstream.#end(reason);
        },
      },
      { signal },
    );
    try {
      if (server.discovered !== undefined) return new ModernUpstream(session, server.discovered, options);
      const answer = await askInitialize(session, initialize, signal);
      if (session.answersInPlace && readErrorCode(answer) !== undefined) {
        server.discovered = await discover(session, { ...options, isCertain: isSessionlessServer(answer) });
        if (server.discovered !== undefined) return new ModernUpstream(session, server.discovered, options);
      }
      const result = readInitializeResult(answer);
      upstream = new HttpUpstream(session, handler, result);
      session.establish(readRevision(result));
      upstream.send([INITIALIZED_MESSAGE], undefined);
      session.listen();
      return upstream;
    } catch (error) {
      void session.close();
      throw error;
    }
  }

  send(message: readonly Buffer[], id: number | undefined): void {
    if (id === undefined) {
      this.#session.post({ body: message, onMessage: () => undefined }).done.catch(() => undefined);
      return;
    }
    const post = this.#session.post({
      body: message,
      onMessage: (text) => this.#handler.onMessage(text, id),
      isAnswered: () => !this.#handler.isAwaited(id),
    });
    this.#posts.set(id, post);
    post.done.then(
      () => this.#finish(id, post),
      (error: unknown) => this.#fail(id, post, error),
    );
  }

  forget(id: number): void {
    const post = this.#posts.get(id);
    this.#posts.delete(id);
    post?.cancel();
  }

  touch(): void {
    // Its open stream keeps the session.
  }

  close(): void {
    this.#isOpen = false;
    this.#posts.clear();
    void this.#session.close();
  }

  /** The server sends nothing more for a request, or has accepted it where answers arrive on another stream. */
  #finish(id: number, post: Post): void {
    if (this.#posts.get(id) !== post) return;
    this.#posts.delete(id);
    if (!this.isAttributed || !this.#handler.isAwaited(id)) return;
    this.#handler.onFailed(id, { reason: "its answer ended early" });
  }

  #fail(id: number, post: Post, error: unknown): void {
    if (this.#posts.get(id) !== post) return;
    this.#posts.delete(id);
    const isAnswer = error instanceof RefusedMessage && readEnvelope(error.body)?.kind === "response";
    if (isAnswer && !isOfLostSession(error)) {
      this.#handler.onMessage(error.body, id);
      return;
    }
    const failure = describeFailure(error);
    this.#handler.onFailed(id, failure);
    if (failure.isUnreceived) this.#end(failure.reason);
  }

  #end(reason: string): void {
    if (!this.#isOpen) return;
    this.close();
    this.#handler.onEnd(reason);
  }
}

async function askInitialize(session: ClientSession, params: string, signal: AbortSignal): Promise<Buffer> {
  try {
    return await session.request({
      body: [createInitializeRequest(params)],
      isInitialize: true,
      isAnswer: (text) => readEnvelope(text)?.kind === "response",
      signal,
    });
  } catch (error) {
    if (!(error instanceof RefusedMessage)) throw error;
    // Its words say more than its status.
    if (readEnvelope(error.body)?.kind === "response") return error.body;
    if (saysAlreadyInitialized(readErrorMessage(error.body) ?? "")) throw new HasOneSession();
    throw new Error(describeFailure(error).reason, { cause: error });
  }
}
