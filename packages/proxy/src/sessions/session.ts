/**
 * One client's session: what it negotiated, what it has in flight, and the streams it reads.
 */

import { EventStream } from "../http/event-stream.ts";
import type { Caller } from "../messages/caller.ts";
import type { ClientFacts } from "../messages/initialize-message.ts";
import type { Limits } from "../options/limits.ts";
import type { PendingRequest } from "./pending-requests.ts";

export interface SessionOptions {
  readonly id: string;
  readonly client: ClientFacts;
  /** Whose session it is; requests of others do not reach it. */
  readonly caller: Caller;
  readonly limits: Limits;
  readonly attached: Set<EventStream>;
  readonly now: () => number;
  /**
   * With `sse` everything travels on the standalone stream, and its end is the end of the session. `stateless` is a
   * session for one request of revision 2026-07-28; its client knows of none.
   */
  readonly transport: "streamable-http" | "sse" | "stateless";
  /** Changes what the standalone stream brings, or drops it by returning `undefined`. */
  readonly transform?: ((message: Buffer) => Buffer | undefined) | undefined;
  /** Called when one of its streams loses its connection. */
  readonly onDetached?: (() => void) | undefined;
}

export class Session {
  readonly id: string;
  readonly transport: SessionOptions["transport"];
  readonly #options: SessionOptions;
  caller: Caller;
  client: ClientFacts;
  lastUsedAt: number;
  isClosed = false;
  /** Whether `initialize` was answered; before, nothing of the server's own is sent to the client. */
  isEstablished = false;
  /** Requests in flight or waiting, by the raw JSON of the client's id. */
  readonly requests = new Map<string, PendingRequest>();
  /** URIs of the resources it subscribed to. */
  readonly subscriptions = new Set<string>();
  /** Carries what belongs to no request. */
  readonly standalone: EventStream;
  readonly #streams = new Map<number, EventStream>();
  #lastStreamId = 0;

  constructor(options: SessionOptions) {
    this.id = options.id;
    this.transport = options.transport;
    this.client = options.client;
    this.caller = options.caller;
    this.lastUsedAt = options.now();
    this.#options = options;
    this.standalone = this.#openStream(options.transform);
  }

  get isInUse(): boolean {
    // A session whose initialize is still being answered has neither requests nor streams.
    if (this.requests.size > 0 || !this.isEstablished) return true;
    for (const stream of this.#streams.values()) if (stream.isAttached) return true;
    return false;
  }

  /** @param revision What the server agreed to. */
  establish(revision: string): void {
    this.client = { ...this.client, revision };
    this.isEstablished = true;
  }

  touch(): void {
    this.lastUsedAt = this.#options.now();
  }

  openStream(): EventStream {
    return this.#openStream(undefined);
  }

  #openStream(transform: SessionOptions["transform"]): EventStream {
    this.#lastStreamId++;
    const { limits, attached, now, transport, onDetached } = this.#options;
    const stream = new EventStream({
      id: this.#lastStreamId,
      limits,
      attached,
      now,
      resumable: transport === "streamable-http",
      transform,
      onDetached: () => {
        this.touch();
        onDetached?.();
      },
    });
    this.#streams.set(stream.id, stream);
    this.#dropOldestFinished();
    return stream;
  }

  findStream(id: number): EventStream | undefined {
    return this.#streams.get(id);
  }

  /** Forgets streams that ended and whose time to be resumed is over. */
  sweep(now: number): void {
    for (const stream of this.#streams.values()) {
      const { finishedAt } = stream;
      if (finishedAt === undefined || stream.isAttached || now - finishedAt < this.#options.limits.resumeMs) continue;
      this.#closeStream(stream);
    }
  }

  close(): void {
    this.isClosed = true;
    for (const stream of this.#streams.values()) stream.close();
    this.#streams.clear();
    this.subscriptions.clear();
  }

  #dropOldestFinished(): void {
    if (this.#streams.size <= this.#options.limits.maxSessionStreams) return;
    for (const stream of this.#streams.values()) {
      if (stream.finishedAt === undefined || stream.isAttached) continue;
      this.#closeStream(stream);
      return;
    }
  }

  #closeStream(stream: EventStream): void {
    this.#streams.delete(stream.id);
    stream.close();
  }
}
