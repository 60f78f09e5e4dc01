/** A session at a server's own endpoint, over streamable HTTP or HTTP with SSE. */
import { Agent } from "node:http";
import { describeError } from "@toolhive/core/errors";
import {
  AnswerTooLarge,
  type ClientSession,
  openSession,
  type Post,
  RefusedMessage,
  SessionLost,
} from "@toolhive/mcp-client";
import { readErrorCode, saysAlreadyInitialized, saysSessionIsOver } from "../../messages/error-code.ts";
import { readEnvelope } from "../../messages/json-rpc.ts";
import { HasOneSession, readErrorMessage, readInitializeResult, readRevision } from "./initialize-answer.ts";
import {
  createInitializeRequest,
  INITIALIZED_MESSAGE,
  type OpenUpstreamOptions,
  type RequestFailure,
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
  static async open({ url, initialize, handler, limits, signal }: OpenUpstreamOptions): Promise<HttpUpstream> {
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
      const answer = await askInitialize(session, initialize, signal);
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

/** Some servers answer 400 in place of 404. */
function isOfLostSession(error: unknown): boolean {
  if (!(error instanceof RefusedMessage) || error.status !== 400) return false;
  return saysSessionIsOver(readErrorMessage(error.body) ?? "");
}

function describeFailure(error: unknown): RequestFailure {
  if (error instanceof SessionLost || isOfLostSession(error))
    return { reason: "its session has ended", isUnreceived: true };
  if (error instanceof AnswerTooLarge) return { reason: "its answer is too large" };
  if (!(error instanceof RefusedMessage)) return { reason: describeError(error) };
  return { reason: readErrorMessage(error.body) ?? `status ${error.status}`, code: readErrorCode(error.body) };
}
