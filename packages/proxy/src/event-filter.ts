/** Changes the messages in a stream of server-sent events; events without a change keep their bytes. */
import { Transform, type TransformCallback } from "node:stream";

/** Ends of lines may come in two chunks, so that a lone carriage return at the end waits for the next one. */
const END_OF_EVENT = /\r\n\r\n|\n\n|\r\r(?!\n)/;

export class EventFilter extends Transform {
  readonly #change: (message: Buffer) => Buffer;
  readonly #maxBytes: number;
  #rest: Buffer = Buffer.alloc(0);
  #searched = 0;

  /** @param maxBytes Of one event; a longer one ends the stream. */
  constructor(change: (message: Buffer) => Buffer, maxBytes: number) {
    super();
    this.#change = change;
    this.#maxBytes = maxBytes;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    for (;;) {
      const end = this.#findEnd();
      if (end === undefined) break;
      this.push(this.#changed(this.#rest.subarray(0, end)));
      this.#rest = this.#rest.subarray(end);
      this.#searched = 0;
    }
    if (this.#rest.length > this.#maxBytes) done(new Error(`an event is larger than ${this.#maxBytes} bytes`));
    else done();
  }

  /** What is left is no complete event: clients would drop it too. */
  override _flush(done: TransformCallback): void {
    done();
  }

  /** @returns The index after the first complete event. */
  #findEnd(): number | undefined {
    // An end may begin in what was searched before.
    const from = Math.max(0, this.#searched - 3);
    const text = this.#rest.toString("latin1", from);
    const match = END_OF_EVENT.exec(text);
    this.#searched = this.#rest.length;
    if (match === null) return undefined;
    const end = from + match.index + match[0].length;
    return match[0] === "\r\r" && end === this.#rest.length ? undefined : end;
  }

  #changed(event: Buffer): Buffer {
    // Readers take a byte order mark before the first line for nothing.
    const lines = event
      .toString("latin1")
      .replace(/^\xef\xbb\xbf/, "")
      .split(/\r\n|\n|\r/);
    const data = lines.flatMap((line) => /^data(?:: ?(.*))?$/s.exec(line)?.[1] ?? []);
    if (data.length === 0) return event;
    const message = Buffer.from(data.join("\n"), "latin1");
    const changed = this.#change(message);
    if (changed === message) return event;
    const others = lines.filter((line) => line !== "" && !/^data(?::|$)/.test(line));
    const body = changed.toString("latin1").replaceAll(/[\r\n]/g, " ");
    return Buffer.from(`${[...others, `data: ${body}`].join("\n")}\n\n`, "latin1");
  }
}
