/**
 * A session over streamable HTTP (MCP 2025-03-26 and later): each message is a POST, whose answer is JSON, an event stream, or
 * nothing. A stream that ends before its answer is continued, where the server has given its events ids.
 */
import type { IncomingMessage, OutgoingHttpHeaders } from "node:http";
import { EventReader } from "./event-reader.ts";
import {
  isAccepted,
  isEventStream,
  openBody,
  readAnswer,
  readFailure,
  type ServerTarget,
  USER_AGENT,
  Work,
} from "./exchange.ts";
import { AnswerTooLarge, NotDelivered, Unanswered } from "./failures.ts";
import { type OwnRequest, PendingAnswer } from "./own-request.ts";
import type { ClientSession, OutgoingMessage, Post, SessionHooks } from "./session.ts";

const SESSION_HEADER = "mcp-session-id";
const REVISION_HEADER = "mcp-protocol-version";
const EVENT_STREAM = "text/event-stream";
const POST_HEADERS = { ...USER_AGENT, "content-type": "application/json", accept: `application/json, ${EVENT_STREAM}` };
/** Milliseconds between a stream and the one that continues it, unless the server says otherwise. */
const PAUSE_MS = 1_000;
/** What a server may say: with less it would be asked in a loop, and with more never again. */
const MIN_PAUSE_MS = 100;
const MAX_PAUSE_MS = 600_000;
/** Attempts in a row to continue an answer that bring no event. */
const MAX_FRUITLESS = 3;
/** Milliseconds that the end of a session may take. */
const END_MS = 2_000;
/** Refusals of the session's own stream that pass: too slow, an earlier stream is not closed yet, too early, too many. */
const PASSING = [408, 409, 425, 429];

export class StreamableSession implements ClientSession {
  readonly answersInPlace = true;
  readonly #target: ServerTarget;
  readonly #hooks: SessionHooks;
  readonly #path: string;
  readonly #works = new Set<Work>();
  #ownStream: Work | undefined;
  #id: string | undefined;
  #headers: Readonly<Record<string, string>> = {};
  #postHeaders: Readonly<Record<string, string>> = POST_HEADERS;
  #isGone = false;
  #isClosed = false;

  constructor(target: ServerTarget, hooks: SessionHooks) {
    this.#target = target;
    this.#hooks = hooks;
    this.#path = target.url.pathname + target.url.search;
  }

  get id(): string | undefined {
    return this.#id;
  }

  post(message: OutgoingMessage): Post {
    const work = new Work();
    if (this.#isClosed) work.cancel(new Error("The session is closed."));
    this.#works.add(work);
    const done = this.#carry(work, message);
    return { done, cancel: () => work.cancel() };
  }

  async request(request: OwnRequest): Promise<Buffer> {
    const pending = new PendingAnswer(request);
    const { body, isInitialize = false, headers } = request;
    const post = this.post({
      body,
      isInitialize,
      headers,
      isAnswered: () => pending.isOver,
      onMessage: (text) => (pending.take(text) ? undefined : this.#hooks.onMessage(text)),
    });
    post.done.then(
      () => pending.fail(new Unanswered()),
      (error: unknown) => pending.fail(error),
    );
    try {
      return await pending.answer;
    } finally {
      // A server may keep the stream of its answer open.
      post.cancel();
    }
  }

  establish(revision: string | undefined): void {
    if (revision !== undefined) this.#setHeaders({ ...this.#headers, [REVISION_HEADER]: revision });
  }

  listen(): void {
    this.#ownStream?.cancel();
    if (this.#isClosed) return;
    this.#ownStream = new Work();
    void this.#listen(this.#ownStream);
  }

  leave(): void {
    this.#isClosed = true;
    this.#ownStream?.cancel();
    for (const work of this.#works) work.cancel(new Error("The session is closed."));
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.leave();
    if (this.#id === undefined || this.#isGone) return;
    const ending = new Work();
    const timer = setTimeout(() => ending.cancel(), END_MS);
    timer.unref();
    try {
      const answer = await ending.send(this.#target, this.#createRequest("DELETE", this.#headers));
      // A server need not let clients end sessions, and answers with 405 then.
      answer.resume();
    } catch {
      // The session ends by itself.
    } finally {
      clearTimeout(timer);
    }
  }

  async #carry(work: Work, message: OutgoingMessage): Promise<void> {
    try {
      const hasSession = message.headers === undefined && message.isInitialize !== true && this.#id !== undefined;
      const answer = await work.send(this.#target, this.#createPost(message, hasSession));
      if (!isAccepted(answer)) throw await readFailure(answer, hasSession);
      const { [SESSION_HEADER]: id } = answer.headers;
      if (message.isInitialize === true) this.#begin(typeof id === "string" ? id : undefined);
      const isStream = isEventStream(answer);
      if (message.isAnswered === undefined || answer.statusCode === 202) {
        // Accepted; a body adds nothing, and nothing would end a stream.
        if (isStream) answer.destroy();
        else answer.resume();
      } else if (isStream) await this.#readAnswers(work, answer, message);
      else {
        const text = await readAnswer(answer, this.#target.maxMessageBytes);
        if (!isBlank(text)) await message.onMessage(text);
      }
    } catch (error) {
      if (!(error instanceof NotDelivered)) work.assertWanted();
      throw error;
    } finally {
      this.#works.delete(work);
    }
  }

  #createPost({ body, headers, isInitialize }: OutgoingMessage, hasSession: boolean) {
    let length = 0;
    for (const piece of body) length += piece.length;
    // One copy of headers that are put together once: every call makes it.
    const isOfSession = headers === undefined && isInitialize !== true;
    const all: OutgoingHttpHeaders = { ...(isOfSession ? this.#postHeaders : POST_HEADERS), "content-length": length };
    if (headers !== undefined) Object.assign(all, headers);
    return { method: "POST" as const, path: this.#path, hasSession, body, headers: all };
  }

  #begin(id: string | undefined): void {
    this.#id = id;
    this.#isGone = false;
    this.#setHeaders(id === undefined ? {} : { [SESSION_HEADER]: id });
  }

  #setHeaders(headers: Readonly<Record<string, string>>): void {
    this.#headers = headers;
    this.#postHeaders = { ...POST_HEADERS, ...headers };
  }

  /** Until the stream, or one that continues it, has brought the answer. */
  async #readAnswers(work: Work, first: IncomingMessage, message: OutgoingMessage): Promise<void> {
    const { maxMessageBytes } = this.#target;
    let reader = new EventReader(maxMessageBytes);
    let loss = await readMessages(first, reader, message.onMessage);
    let fruitless = 0;
    while (!message.isAnswered?.()) {
      work.assertWanted();
      const { lastId, retryMs } = reader;
      if (lastId === undefined || fruitless === MAX_FRUITLESS) {
        if (loss !== undefined) throw loss;
        return;
      }
      await work.pause(choosePause(retryMs), true);
      reader = new EventReader(maxMessageBytes, lastId, retryMs);
      loss = await this.#continue(work, reader, message);
      fruitless = reader.lastId === lastId ? fruitless + 1 : 0;
    }
  }

  /** @returns Why this stream was lost; `undefined` when it has ended in order. @throws When the server does not continue the answer. */
  async #continue(work: Work, reader: EventReader, { onMessage }: OutgoingMessage): Promise<Error | undefined> {
    let answer: IncomingMessage;
    try {
      answer = await work.send(this.#target, this.#createListen(reader.lastId));
    } catch (error) {
      work.assertWanted();
      // The request has arrived before: only the request for the rest of its answer cannot be sent now.
      return new Error(`The server could not be asked for the rest of its answer: ${describe(error)}`);
    }
    const { statusCode: status = 0 } = answer;
    if (status === 200 && isEventStream(answer)) return await readMessages(answer, reader, onMessage);
    answer.destroy();
    if (status === 404 && this.#id !== undefined) this.#lose();
    const loss = new Error(`The server ended its answer early and does not continue it: status ${status}.`);
    if (status < 500 && !PASSING.includes(status)) throw loss;
    return loss;
  }

  /** What the server says by itself. Never rejects. */
  async #listen(work: Work): Promise<void> {
    let lastId: string | undefined;
    let retryMs: number | undefined;
    let hasStream = false;
    while (!work.isCancelled) {
      try {
        const answer = await work.send(this.#target, this.#createListen(lastId));
        const { statusCode: status = 0 } = answer;
        if (status === 200 && isEventStream(answer)) {
          hasStream = true;
          const reader = new EventReader(this.#target.maxMessageBytes, lastId, retryMs);
          await readMessages(answer, reader, this.#hooks.onMessage);
          ({ lastId, retryMs } = reader);
        } else {
          answer.destroy();
          // A web framework that has no GET there answers with 404, too; then the next message shows whether the session lives.
          if (status === 404 && this.#id !== undefined && hasStream) return this.#lose();
          // A server without such a stream answers with 405; one that cannot continue it may begin another.
          if (status < 500 && !PASSING.includes(status) && lastId === undefined) return;
          lastId = undefined;
        }
      } catch {
        // The next attempt shows whether it is back.
      }
      await work.pause(choosePause(retryMs), false).catch(() => undefined);
    }
  }

  #createListen(lastId: string | undefined) {
    const resumed = lastId === undefined ? {} : { "last-event-id": lastId };
    return this.#createRequest("GET", { accept: EVENT_STREAM, ...this.#headers, ...resumed });
  }

  #createRequest(method: "GET" | "DELETE", headers: Readonly<Record<string, string>>) {
    return { method, path: this.#path, hasSession: this.#id !== undefined, headers: { ...USER_AGENT, ...headers } };
  }

  #lose(): void {
    if (this.#isGone || this.#isClosed) return;
    this.#isGone = true;
    this.#hooks.onLost("its session has ended");
  }
}

/** @returns Why the stream was lost; `undefined` when it has ended in order. @throws {AnswerTooLarge} */
async function readMessages(
  answer: IncomingMessage,
  reader: EventReader,
  onMessage: OutgoingMessage["onMessage"],
): Promise<Error | undefined> {
  const body = openBody(answer);
  try {
    for await (const chunk of body) {
      for (const { type, data } of reader.feed(chunk)) {
        const handling = type === "message" ? onMessage(data) : undefined;
        if (handling !== undefined) await handling;
      }
    }
    return undefined;
  } catch (error) {
    if (error instanceof AnswerTooLarge) throw error;
    return error instanceof Error ? error : new Error(String(error));
  }
}

function choosePause(retryMs = PAUSE_MS): number {
  return Math.min(Math.max(retryMs, MIN_PAUSE_MS), MAX_PAUSE_MS);
}

function isBlank(text: Buffer): boolean {
  for (const byte of text) if (byte > 0x20) return false;
  return true;
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
