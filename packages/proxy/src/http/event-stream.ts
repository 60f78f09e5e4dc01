/**
 * One server-sent event stream: a bounded buffer of messages that outlives the HTTP connections which read it.
 * Event ids are `STREAM-SEQUENCE`, so that `Last-Event-ID` names both the stream and the place in it.
 */
import type { ServerResponse } from "node:http";
import type { Limits } from "../options/limits.ts";

interface StreamEvent {
  readonly sequence: number;
  /** May be shared with other streams; never changed. */
  readonly message: Buffer;
}

/** Added to each event's size: what the buffer itself costs, so that many tiny events are bounded too. */
const EVENT_OVERHEAD_BYTES = 128;
/** An unattached stream keeps this share of `maxStreamBytes`: its reader may never connect. */
const UNATTACHED_SHARE = 1 / 16;

const KEEP_ALIVE = ": keep-alive\n\n";
const DATA = "data: ";
const MESSAGE_EVENT = "event: message\ndata: ";
const END_OF_EVENT = "\n\n";

const STREAM_HEADERS = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache, no-transform",
  connection: "keep-alive",
  "x-accel-buffering": "no",
} as const;

export interface EventStreamOptions {
  readonly id: number;
  readonly limits: Limits;
  /** Streams that have a connection; this one adds and removes itself. */
  readonly attached: Set<EventStream>;
  /** Whether events carry ids and are kept after they were written. */
  readonly resumable: boolean;
  readonly now: () => number;
  /** Changes each message, or drops it by returning `undefined`. */
  readonly transform?: ((message: Buffer) => Buffer | undefined) | undefined;
  /** Called when the connection is lost or ended, not when another one takes its place. */
  readonly onDetached?: (() => void) | undefined;
}

export class EventStream {
  readonly id: number;
  readonly #options: EventStreamOptions;
  #events: StreamEvent[] = [];
  #bytes = 0;
  #lastSequence = 0;
  /** Sequence of the next event to write. */
  #cursor = 1;
  #response: ServerResponse | undefined;
  #blockedSince: number | undefined;
  #lastWriteAt = 0;
  #finishedAt: number | undefined;

  constructor(options: EventStreamOptions) {
    this.id = options.id;
    this.#options = options;
  }

  get isAttached(): boolean {
    return this.#response !== undefined;
  }

  /** When the last event was added; `undefined` while more may follow. */
  get finishedAt(): number | undefined {
    return this.#finishedAt;
  }

  /**
   * Serves the stream on a connection and ends the previous one.
   *
   * @param after Sequence of the last event that the client has; default: continue where the stream was.
   * @param opening Text sent first, for example a transport's own event.
   */
  attach(
    response: ServerResponse,
    { after, opening, headers }: { after?: number; opening?: string; headers?: Record<string, string> } = {},
  ): void {
    this.#detach();
    this.#response = response;
    this.#options.attached.add(this);
    if (after !== undefined) this.#cursor = Math.min(after, this.#lastSequence) + 1;
    this.#lastWriteAt = this.#options.now();
    response.writeHead(200, { ...STREAM_HEADERS, ...headers });
    response.flushHeaders();
    if (opening !== undefined) response.write(opening);
    response.on("drain", () => {
      if (this.#response !== response) return;
      this.#blockedSince = undefined;
      this.#pump();
    });
    response.on("close", () => {
      if (this.#response !== response) return;
      this.#detach();
      this.#options.onDetached?.();
    });
    this.#pump();
  }

  push(original: Buffer): void {
    const { transform } = this.#options;
    const message = transform === undefined ? original : transform(original);
    if (message === undefined) return;
    this.#lastSequence++;
    this.#events.push({ sequence: this.#lastSequence, message });
    this.#bytes += message.length + EVENT_OVERHEAD_BYTES;
    this.#pump();
    this.#evict();
  }

  /** Sends an event with an id and no data, so that the client can resume a stream without messages. */
  prime(): void {
    this.push(Buffer.alloc(0));
  }

  /** No further events; the connection ends when all are written. */
  finish(): void {
    this.#finishedAt ??= this.#options.now();
    this.#pump();
  }

  /** Ends the connection and forgets the events. */
  close(): void {
    this.finish();
    this.#detach();
    this.#events = [];
    this.#bytes = 0;
  }

  /** Keeps an idle connection alive and drops one whose client reads nothing. */
  sweep(now: number): void {
    const response = this.#response;
    if (response === undefined) return;
    if (this.#blockedSince !== undefined) {
      if (now - this.#blockedSince >= this.#options.limits.slowReaderMs) response.destroy();
    } else if (now - this.#lastWriteAt >= this.#options.limits.keepAliveMs) {
      this.#write(response, KEEP_ALIVE);
    }
  }

  #detach(): void {
    const response = this.#response;
    if (response === undefined) return;
    this.#response = undefined;
    this.#blockedSince = undefined;
    this.#options.attached.delete(this);
    if (!response.writableEnded) response.end();
  }

  #pump(): void {
    const response = this.#response;
    if (response === undefined) return;
    const first = this.#events[0]?.sequence ?? this.#lastSequence + 1;
    let index = Math.max(0, this.#cursor - first);
    for (; this.#blockedSince === undefined && index < this.#events.length; index++) {
      const event = this.#events[index];
      if (event === undefined) break;
      this.#cursor = event.sequence + 1;
      this.#writeEvent(response, event);
    }
    if (!this.#options.resumable) this.#forgetWritten();
    if (this.#finishedAt !== undefined && this.#cursor > this.#lastSequence) {
      response.end();
    }
  }

  #writeEvent(response: ServerResponse, { sequence, message }: StreamEvent): void {
    // A carriage return may be between JSON tokens, but it ends a line of an event stream.
    const data = message.includes(0x0d)
      ? Buffer.from(message.toString("latin1").replaceAll("\r", " "), "latin1")
      : message;
    const head = this.#options.resumable ? `id: ${this.id}-${sequence}\n${DATA}` : MESSAGE_EVENT;
    this.#write(response, Buffer.concat([Buffer.from(head, "latin1"), data, Buffer.from(END_OF_EVENT, "latin1")]));
  }

  #write(response: ServerResponse, bytes: Buffer | string): void {
    this.#lastWriteAt = this.#options.now();
    if (!response.write(bytes) && this.#blockedSince === undefined) this.#blockedSince = this.#lastWriteAt;
  }

  #forgetWritten(): void {
    while (this.#events[0] !== undefined && this.#events[0].sequence < this.#cursor) this.#shift();
  }

  /** Applies the bounds. Drops a reader that would miss an event: a stream must not have silent gaps. */
  #evict(): void {
    const { limits, resumable } = this.#options;
    const maxBytes = this.isAttached || !resumable ? limits.maxStreamBytes : limits.maxStreamBytes * UNATTACHED_SHARE;
    while (this.#events.length > 1) {
      const oldest = this.#events[0];
      if (oldest === undefined) return;
      const isWritten = oldest.sequence < this.#cursor;
      // A burst may be longer than the count of events before the socket has its first chance to drain.
      const tooMany = this.#events.length > limits.maxStreamEvents && (isWritten || !this.isAttached);
      if (!tooMany && this.#bytes <= maxBytes) return;
      this.#shift();
      if (isWritten) continue;
      this.#cursor = oldest.sequence + 1;
      this.#response?.destroy();
    }
  }

  #shift(): void {
    const event = this.#events.shift();
    if (event !== undefined) this.#bytes -= event.message.length + EVENT_OVERHEAD_BYTES;
  }
}

/** Reads a `Last-Event-ID` that `EventStream` wrote. */
export function parseEventId(text: string): { stream: number; sequence: number } | undefined {
  const match = /^(\d{1,15})-(\d{1,15})$/.exec(text);
  return match === null ? undefined : { stream: Number(match[1]), sequence: Number(match[2]) };
}
