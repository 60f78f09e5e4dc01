/**
 * Reads a stream of server-sent events (WHATWG HTML, section 9.2.6) from its bytes. The data of an event keeps its bytes, and is
 * not copied where it arrived in one piece.
 */
import { ByteParts } from "@toolhive/http/byte-parts";
import { AnswerTooLarge } from "./failures.ts";

export interface ServerEvent {
  /** `message` when the server names none. */
  readonly type: string;
  /** Lines of data, joined by line feeds. May be a part of the chunk it arrived in. */
  readonly data: Buffer;
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
const COLON = 0x3a;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const ONE_LINE_FEED = Buffer.from("\n");
const NOTHING = Buffer.alloc(0);
/** Bytes of an id that a header can repeat: servers of Node take 16 KiB of headers. */
const MAX_ID_BYTES = 4 * 1024;
/** Characters that a header can hold, each one byte. */
const HEADER_TEXT = /^[\t\x20-\x7e\x80-\xff]+$/;
/** Digits of the milliseconds of a pause. */
const MAX_RETRY_DIGITS = 9;

export class EventReader {
  readonly #maxBytes: number;
  /** The begin of a line that has not ended. */
  readonly #line = new ByteParts();
  #data: Buffer | undefined;
  /** Lines of data after the first one, with the first one. */
  #lines: ByteParts | undefined;
  #dataBytes = 0;
  #type = "";
  #id: string | undefined;
  #lastId: string | undefined;
  #retryMs: number | undefined;
  #isFirstLine = true;
  /** The last chunk ended with a carriage return, which a line feed may follow. */
  #skipsLineFeed = false;

  /**
   * @param maxBytes Of one event.
   * @param lastId Of the stream that this one continues, as is `retryMs`.
   */
  constructor(maxBytes: number, lastId?: string, retryMs?: number) {
    this.#maxBytes = maxBytes;
    this.#id = lastId;
    this.#lastId = lastId;
    this.#retryMs = retryMs;
  }

  /** Of the last whole event, as a header repeats it. `undefined` when the server gives none, or one that no header can hold. */
  get lastId(): string | undefined {
    return this.#lastId;
  }

  /** Milliseconds that the server wants between the end of a stream and the next one. */
  get retryMs(): number | undefined {
    return this.#retryMs;
  }

  /**
   * @param chunk Is kept until its events are complete, and must not change.
   * @returns The events that it completes, without those that have no data.
   * @throws {AnswerTooLarge}
   */
  feed(chunk: Buffer): readonly ServerEvent[] {
    const events: ServerEvent[] = [];
    let start = this.#skipsLineFeed && chunk[0] === LINE_FEED ? 1 : 0;
    if (chunk.length > 0) this.#skipsLineFeed = false;
    // Each is searched again only when it was passed, so that no byte is read again for every line.
    let lineFeed = findByte(chunk, LINE_FEED, start);
    let carriageReturn = findByte(chunk, CARRIAGE_RETURN, start);
    for (;;) {
      const end = Math.min(lineFeed, carriageReturn);
      if (end === Number.POSITIVE_INFINITY) break;
      this.#endLine(chunk, start, end, events);
      start = end + 1;
      if (end === carriageReturn) {
        if (chunk[start] === LINE_FEED) start += 1;
        else this.#skipsLineFeed = start === chunk.length;
      }
      if (lineFeed < start) lineFeed = findByte(chunk, LINE_FEED, start);
      if (carriageReturn < start) carriageReturn = findByte(chunk, CARRIAGE_RETURN, start);
    }
    this.#line.add(chunk.subarray(start));
    this.#checkSize(this.#line.length);
    return events;
  }

  #endLine(chunk: Buffer, start: number, end: number, events: ServerEvent[]): void {
    let line: Buffer;
    if (this.#line.length === 0) {
      if (start === end) {
        this.#isFirstLine = false;
        this.#endEvent(events);
        return;
      }
      line = chunk.subarray(start, end);
    } else {
      this.#line.add(chunk.subarray(start, end));
      line = this.#line.take();
    }
    if (this.#isFirstLine) {
      this.#isFirstLine = false;
      if (line.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK))
        line = line.subarray(BYTE_ORDER_MARK.length);
    }
    if (line.length === 0) this.#endEvent(events);
    else if (line[0] !== COLON) this.#readField(line);
  }

  #readField(line: Buffer): void {
    const colon = line.indexOf(COLON);
    const name = line.toString("latin1", 0, colon === -1 ? line.length : colon);
    const begin = colon === -1 ? line.length : colon + 1;
    const value = line.subarray(line[begin] === SPACE ? begin + 1 : begin);
    switch (name) {
      case "data":
        this.#addData(value);
        return;
      case "event":
        this.#type = value.toString("utf8");
        return;
      case "id":
        this.#readId(value);
        return;
      case "retry":
        this.#readRetry(value);
        return;
    }
  }

  #addData(value: Buffer): void {
    this.#dataBytes += value.length + 1;
    this.#checkSize(0);
    if (this.#data === undefined) {
      this.#data = value;
      return;
    }
    if (this.#lines === undefined) {
      this.#lines = new ByteParts();
      this.#lines.add(this.#data);
    }
    this.#lines.add(ONE_LINE_FEED);
    this.#lines.add(value);
  }

  #readId(value: Buffer): void {
    // An id with a zero byte is ignored; an empty one takes back those before it.
    if (value.includes(0)) return;
    const text = value.toString("latin1", 0, MAX_ID_BYTES + 1);
    this.#id = text.length <= MAX_ID_BYTES && HEADER_TEXT.test(text) ? text : undefined;
  }

  #readRetry(value: Buffer): void {
    const text = value.toString("latin1", 0, MAX_RETRY_DIGITS + 1);
    if (/^\d+$/.test(text)) this.#retryMs = Number(text.slice(0, MAX_RETRY_DIGITS));
  }

  #endEvent(events: ServerEvent[]): void {
    const data = this.#lines?.take() ?? this.#data ?? NOTHING;
    this.#lastId = this.#id;
    if (data.length > 0) events.push({ type: this.#type === "" ? "message" : this.#type, data });
    this.#type = "";
    this.#data = undefined;
    this.#lines = undefined;
    this.#dataBytes = 0;
  }

  #checkSize(lineBytes: number): void {
    if (this.#dataBytes + lineBytes > this.#maxBytes) throw new AnswerTooLarge("event", this.#maxBytes);
  }
}

function findByte(chunk: Buffer, byte: number, from: number): number {
  const at = chunk.indexOf(byte, from);
  return at === -1 ? Number.POSITIVE_INFINITY : at;
}
