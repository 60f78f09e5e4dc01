/** Changes the messages in a stream of server-sent events; events without a change keep their bytes. */
import { Transform, type TransformCallback } from "node:stream";
import { ByteParts } from "@toolhive/http/byte-parts";

/** Two ends of lines. A carriage return before a line feed does not end a line by itself. */
const END_OF_EVENT = /(?:\r\n|\n|\r(?!\n))(?:\r\n|\n|\r(?!\n))/g;
/** Bytes of the longest end but one: so many may have arrived in earlier chunks. */
const EARLIER_BYTES = 3;
/** `data:1` and two line ends: a shorter event carries no message. */
const MIN_MESSAGE_BYTES = 8;
const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
const COLON = 0x3a;
/** EventSource ignores a leading byte order mark. */
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
/** Some clients end lines there, too, and would read data behind it. */
const OTHER_LINE_END = /(?![\t\n\r])[\p{Cc}\u2028\u2029]/u;
const DATA = Buffer.from("data");
const ONE_NEWLINE = Buffer.from("\n");
const NOTHING = Buffer.alloc(0);

export class EventFilter extends Transform {
  readonly #change: (message: Buffer) => Buffer | undefined;
  readonly #maxBytes: number;
  /** The event that has not ended yet. Servers may cut it anywhere, so no byte of it is searched or copied twice. */
  readonly #begun = new ByteParts();
  #lastOfBegun = "";
  #hasPassed = false;

  /** @param change Without a result, the event is omitted. @param maxBytes Of one event; a longer one ends the stream. */
  constructor(change: (message: Buffer) => Buffer | undefined, maxBytes: number) {
    super();
    this.#change = change;
    this.#maxBytes = maxBytes;
  }

  /** Whether an event has been handed on. */
  get hasPassed(): boolean {
    return this.#hasPassed;
  }

  /** Sends an event between those of the server, which have been sent only as a whole so far. */
  insert(message: Buffer): void {
    this.push(Buffer.concat([Buffer.from("data: "), message, Buffer.from("\n\n")]));
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    const earlier = this.#lastOfBegun.length;
    const text = this.#lastOfBegun + chunk.toString("latin1");
    let from = 0;
    /** Where in the text the last event ended. */
    let ended = 0;
    // Unchanged events are forwarded together: a server may send very many tiny ones.
    let unchanged = 0;
    END_OF_EVENT.lastIndex = 0;
    for (let match = END_OF_EVENT.exec(text); match !== null; match = END_OF_EVENT.exec(text)) {
      const end = match.index + match[0].length;
      // A carriage return at the end of the chunk may be half of a line end.
      if (end === text.length && match[0].endsWith("\r")) break;
      ended = end;
      this.#hasPassed = true;
      const isWhole = this.#begun.length === 0;
      if (isWhole && end - earlier - from < MIN_MESSAGE_BYTES) {
        from = end - earlier;
        continue;
      }
      this.#begun.add(chunk.subarray(from, end - earlier));
      const event = this.#begun.take();
      const changed = this.#changeEvents(event);
      from = end - earlier;
      if (isWhole && changed === event) continue;
      const before = from - (isWhole ? event.length : from);
      if (before > unchanged) this.push(chunk.subarray(unchanged, before));
      this.push(changed);
      unchanged = from;
    }
    if (from > unchanged) this.push(chunk.subarray(unchanged, from));
    this.#begun.add(chunk.subarray(from));
    this.#lastOfBegun = text.slice(Math.max(ended, text.length - EARLIER_BYTES));
    if (this.#begun.length > this.#maxBytes) done(new Error(`an event is larger than ${this.#maxBytes} bytes`));
    else done();
  }

  /** The rest is an incomplete event, which clients would drop too. */
  override _flush(done: TransformCallback): void {
    done();
  }

  #changeEvents(event: Buffer): Buffer {
    const { data, others: all } = readEvent(event);
    const others = removeHiddenLines(all);
    const isWhole = others === all;
    if (data === undefined || data.length === 0) return isWhole ? event : Buffer.concat([others, ONE_NEWLINE]);
    const changed = this.#change(data);
    if (changed === data && isWhole) return event;
    if (changed === undefined) return NOTHING;
    return Buffer.concat([others, DATA, Buffer.from(": "), joinLines(changed), Buffer.from("\n\n")]);
  }
}

/** @returns The same buffer when nothing had to go. */
function removeHiddenLines(lines: Buffer): Buffer {
  const text = lines.toString("utf8");
  if (!OTHER_LINE_END.test(text)) return lines;
  const shown = text.split(/(?<=\n)/).filter((line) => !OTHER_LINE_END.test(line));
  return Buffer.from(shown.join(""));
}

interface EventFields {
  /** The lines of data, put together; `undefined` when there are none. */
  readonly data: Buffer | undefined;
  /** All other lines, each with an end. */
  readonly others: Buffer;
}

function readEvent(event: Buffer): EventFields {
  let data: Buffer | undefined;
  let lines: ByteParts | undefined;
  let others: ByteParts | undefined;
  let start =
    event[0] === BYTE_ORDER_MARK[0] && event.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK)
      ? BYTE_ORDER_MARK.length
      : 0;
  for (let at = start; at < event.length; at++) {
    if (event[at] !== NEWLINE && event[at] !== CARRIAGE_RETURN) continue;
    const value = readData(event, start, at);
    if (value !== undefined) {
      if (data === undefined) data = value;
      else {
        lines ??= readParts(data);
        lines.add(ONE_NEWLINE);
        lines.add(value);
      }
    } else if (at > start) {
      others ??= new ByteParts();
      others.add(event.subarray(start, at));
      others.add(ONE_NEWLINE);
    }
    start = at + 1;
  }
  return { data: lines?.take() ?? data, others: others?.take() ?? NOTHING };
}

function readParts(first: Buffer): ByteParts {
  const parts = new ByteParts();
  parts.add(first);
  return parts;
}

/** @returns The value of a line of data, `undefined` for any other line. */
function readData(event: Buffer, start: number, end: number): Buffer | undefined {
  const after = start + DATA.length;
  if (end < after || event[start] !== DATA[0] || event.compare(DATA, 0, DATA.length, start, after) !== 0)
    return undefined;
  if (end === after) return NOTHING;
  if (event[after] !== COLON) return undefined;
  return event.subarray(event[after + 1] === SPACE && end > after + 1 ? after + 2 : after + 1, end);
}

function joinLines(message: Buffer): Buffer {
  if (!message.includes(NEWLINE) && !message.includes(CARRIAGE_RETURN)) return message;
  return Buffer.from(message.toString("latin1").replaceAll(/[\r\n]/g, " "), "latin1");
}
