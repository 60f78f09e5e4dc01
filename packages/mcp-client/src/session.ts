/** A session with an MCP server over HTTP, whatever its transport: sends and receives raw messages. */
import type { OutgoingHttpHeaders } from "node:http";
import type { OwnRequest } from "./own-request.ts";

export interface SessionHooks {
  /**
   * Receives each message that is not part of the answer to a post: the server's own messages and, over HTTP with SSE, every
   * message. The bytes may be part of a larger chunk. The next message is read once a returned promise has settled.
   */
  readonly onMessage: (text: Buffer) => void | Promise<void>;
  /** The session has ended by itself: the server has forgotten it, or the stream that holds it has ended. Called at most once. */
  readonly onLost: (reason: string) => void;
}

export interface OutgoingMessage {
  /** Pieces of one text of JSON-RPC, which is sent as it is. */
  readonly body: readonly Buffer[];
  /** The message is `initialize`: its answer may open a session. */
  readonly isInitialize?: boolean;
  /** Headers of a message without a session, in place of the session's. */
  readonly headers?: OutgoingHttpHeaders | undefined;
  /** Gets each message of the answer, as `SessionHooks.onMessage` does. Unused over HTTP with SSE. */
  readonly onMessage: (text: Buffer) => void | Promise<void>;
  /**
   * Whether every request in the message has its answer. Asked when a stream ends, to decide whether to continue it.
   * Absent when the message has no request: then it is done as soon as the server has accepted it.
   */
  readonly isAnswered?: (() => boolean) | undefined;
}

/** A message on its way. */
export interface Post {
  /**
   * Settles when the server has nothing more to say to it, be it answered or not.
   *
   * @throws {NotDelivered | SessionLost | RefusedMessage | AnswerTooLarge} Any other error means that the message may have
   * arrived, and that its answer is lost.
   */
  readonly done: Promise<void>;
  /** The caller stops waiting for the answer. Then `done` may reject. */
  cancel(): void;
}

export interface ClientSession {
  /** Whether answers arrive on the post that asked for them; otherwise they arrive at the session's own hook. */
  readonly answersInPlace: boolean;
  /** The id that the server gave the session; `undefined` when it gave none, and over HTTP with SSE. */
  readonly id: string | undefined;
  post(message: OutgoingMessage): Post;
  /**
   * Sends a request and waits for its answer, whose bytes may be part of a larger chunk. Messages that arrive before the answer
   * go to the session's own hook.
   *
   * @throws What `Post.done` does, the reason of the signal, and {Unanswered}.
   */
  request(request: OwnRequest): Promise<Buffer>;
  /** The server has accepted the session, in this revision, which every message names from now on. */
  establish(revision: string | undefined): void;
  /** Reads what the server says by itself, until the session is closed. */
  listen(): void;
  /** Ends the session, at the server too. Never rejects, and takes at most two seconds. */
  close(): Promise<void>;
  /** Closes every connection, and leaves the session to the server, which ends it when it is idle. */
  leave(): void;
}
