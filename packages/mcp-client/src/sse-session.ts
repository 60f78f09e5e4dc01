/**
 * A session over HTTP with SSE (MCP 2024-11-05): one stream holds it and brings every message of the server; the stream's first
 * event names the address for messages to the server.
 */
import type { IncomingMessage } from "node:http";
import { EventReader } from "./event-reader.ts";
import { isAccepted, isEventStream, openBody, readFailure, type ServerTarget, USER_AGENT, Work } from "./exchange.ts";
import { ForeignAddress, NotDelivered, SessionLost } from "./failures.ts";
import { type OwnRequest, PendingAnswer } from "./own-request.ts";
import type { ClientSession, OutgoingMessage, Post, SessionHooks } from "./session.ts";

/** Milliseconds in which the server has to name the address for messages. */
const ADDRESS_MS = 30_000;
const CLOSED = "The session is closed.";
const NO_ADDRESS = "The server does not say where messages go.";

export class SseSession implements ClientSession {
  readonly answersInPlace = false;
  readonly id = undefined;
  readonly #target: ServerTarget;
  readonly #hooks: SessionHooks;
  readonly #stream = new Work();
  readonly #works = new Set<Work>();
  readonly #pending = new Set<PendingAnswer>();
  #path = "";
  #isClosed = false;
  #isLost = false;

  private constructor(target: ServerTarget, hooks: SessionHooks) {
    this.#target = target;
    this.#hooks = hooks;
  }

  /** @throws {NotDelivered | RefusedMessage | ForeignAddress} And the reason of the signal. */
  static async open(target: ServerTarget, hooks: SessionHooks, signal?: AbortSignal): Promise<SseSession> {
    const session = new SseSession(target, hooks);
    const { pathname, search } = target.url;
    const stop = () => session.#stream.cancel(signal?.reason as Error);
    const timer = setTimeout(() => session.#stream.cancel(new NotDelivered(NO_ADDRESS)), ADDRESS_MS);
    signal?.addEventListener("abort", stop, { once: true });
    try {
      if (signal?.aborted) stop();
      const answer = await session.#stream.send(target, {
        ...{ method: "GET", path: pathname + search, hasSession: false },
        headers: { ...USER_AGENT, accept: "text/event-stream" },
      });
      if (!isAccepted(answer)) throw await readFailure(answer, false);
      if (!isEventStream(answer)) throw new Error("The server answers with something else than a stream of events.");
      await session.#openStream(answer);
      return session;
    } catch (error) {
      await session.close();
      signal?.throwIfAborted();
      throw error;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", stop);
    }
  }

  post({ body }: OutgoingMessage): Post {
    const work = new Work();
    if (this.#isClosed) work.cancel(this.#isLost ? new SessionLost() : new Error(CLOSED));
    this.#works.add(work);
    return { done: this.#carry(work, body), cancel: () => work.cancel() };
  }

  async request(request: OwnRequest): Promise<Buffer> {
    const pending = new PendingAnswer(request);
    this.#pending.add(pending);
    const post = this.post({ body: request.body, onMessage: () => undefined });
    // The answer may arrive before the acceptance of its request.
    post.done.catch((error: unknown) => pending.fail(error));
    try {
      return await pending.answer;
    } finally {
      this.#pending.delete(pending);
      post.cancel();
    }
  }

  establish(): void {
    // This transport does not name the revision.
  }

  listen(): void {
    // Its stream is open from the beginning.
  }

  async close(): Promise<void> {
    this.leave();
  }

  leave(): void {
    this.#isClosed = true;
    this.#stream.cancel();
    const reason = new Error(this.#isLost ? "The server's stream has ended." : CLOSED);
    for (const work of this.#works) work.cancel(reason);
    for (const pending of this.#pending) pending.fail(reason);
  }

  async #carry(work: Work, body: readonly Buffer[]): Promise<void> {
    try {
      let length = 0;
      for (const piece of body) length += piece.length;
      const answer = await work.send(this.#target, {
        ...{ method: "POST", path: this.#path, hasSession: true, body },
        headers: { ...USER_AGENT, "content-type": "application/json", "content-length": length },
      });
      if (!isAccepted(answer)) throw await readFailure(answer, true);
      answer.resume();
    } finally {
      this.#works.delete(work);
    }
  }

  /** Settles once the address is known; the stream is read until it ends. */
  async #openStream(answer: IncomingMessage): Promise<void> {
    const body = openBody(answer);
    await new Promise<void>((resolve, reject) => {
      this.#follow(body, resolve).then(
        () => reject(new NotDelivered(NO_ADDRESS)),
        (error: unknown) => reject(error),
      );
    });
    // After the address, the end of the stream is the end of the session.
  }

  /** @throws Before the address is known; afterwards a failure ends the session. */
  async #follow(body: AsyncIterable<Buffer>, onAddress: () => void): Promise<void> {
    const reader = new EventReader(this.#target.maxMessageBytes);
    try {
      for await (const chunk of body) {
        for (const { type, data } of reader.feed(chunk)) {
          if (this.#path === "" && type === "endpoint") {
            this.#path = this.#readAddress(data.toString("utf8"));
            onAddress();
          } else if (type === "message") {
            const handling = this.#isAnswer(data) ? undefined : this.#hooks.onMessage(data);
            if (handling !== undefined) await handling;
          }
        }
      }
    } catch (error) {
      if (this.#path === "") {
        this.#stream.assertWanted();
        throw error;
      }
    }
    if (this.#path === "" || this.#isClosed) return;
    this.#isLost = true;
    await this.close();
    // The caller that waits for the opening has the session by then.
    setImmediate(() => this.#hooks.onLost("its stream has ended"));
  }

  #isAnswer(text: Buffer): boolean {
    for (const pending of this.#pending) if (pending.take(text)) return true;
    return false;
  }

  /** @returns Path and query. @throws {ForeignAddress} */
  #readAddress(given: string): string {
    const { url } = this.#target;
    const address = URL.canParse(given, url.href) ? new URL(given, url) : undefined;
    if (address?.origin !== url.origin) throw new ForeignAddress(address?.origin ?? given.slice(0, 200));
    return address.pathname + address.search;
  }
}
