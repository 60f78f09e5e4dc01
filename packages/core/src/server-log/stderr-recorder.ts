/** Cuts the standard error of one run of a server into lines for its log, at a bounded cost. */
import type { Readable } from "node:stream";
import { ByteParts } from "@toolhive/http/byte-parts";
import type { Allowance } from "./allowance.ts";
import { OutputSample } from "./excerpt.ts";
import { LOG_BYTES_PER_SECOND } from "./log-limits.ts";
import { MAX_LINE_BYTES, STAMP_LENGTH } from "./log-line.ts";

const NEWLINE = 10;
/** Bytes that are kept from the end of omitted output: a server that floods may say there why it ends. */
const KEPT_BYTES = 4096;
/** Lines at its end that are kept. */
const LAST_LINES = 3;
const EMPTY = Buffer.alloc(0);

interface StderrRecorderOptions {
  /** Receives a line without its newline. */
  readonly onLine: (text: string) => void;
  readonly allowance: Allowance;
}

export class StderrRecorder {
  readonly #onLine: (text: string) => void;
  readonly #allowance: Allowance;
  /** What it has written, in small. Stray lines of stdout are in it, too. */
  readonly sample = new OutputSample();
  /** The beginning of a line whose end has not arrived. */
  readonly #line = new ByteParts();
  #leftOutBytes = 0;
  /** The last bytes of the output that is being omitted. */
  #leftOutEnd: Buffer = EMPTY;
  #hasEnded = false;

  constructor(stderr: Readable, { onLine, allowance }: StderrRecorderOptions) {
    this.#onLine = onLine;
    this.#allowance = allowance;
    // Never paused: an unread stream would hold back the answers on the same connection.
    stderr.on("data", (chunk: Buffer | string) =>
      this.#receive(typeof chunk === "string" ? Buffer.from(chunk) : chunk),
    );
    stderr.once("end", () => this.#end());
    stderr.once("close", () => this.#end());
    stderr.on("error", () => this.#end());
  }

  #receive(chunk: Buffer): void {
    if (!this.#allowance.spend(chunk.length)) {
      this.#omit(chunk);
      return;
    }
    let from = 0;
    if (this.#leftOutBytes > 0) {
      // Goes on at the begin of a line.
      if (this.#leftOutEnd.at(-1) !== NEWLINE) {
        from = chunk.indexOf(NEWLINE) + 1;
        this.#omit(from === 0 ? chunk : chunk.subarray(0, from));
        if (from === 0) return;
      }
      this.#reportLeftOut();
    }
    for (let end = chunk.indexOf(NEWLINE, from); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      this.#addToLine(chunk.subarray(from, end));
      this.#endLine();
      from = end + 1;
    }
    if (from < chunk.length) this.#addToLine(chunk.subarray(from));
  }

  #addToLine(part: Buffer): void {
    for (let from = 0; from < part.length; ) {
      const to = Math.min(part.length, from + MAX_LINE_BYTES - this.#line.length);
      this.#line.add(part.subarray(from, to));
      from = to;
      if (this.#line.length === MAX_LINE_BYTES && from < part.length) this.#endLine();
    }
  }

  #endLine(): void {
    const text = this.#line.take().toString("utf8").replace(/\r$/, "");
    this.sample.add(text);
    // Otherwise a thousand empty lines would cost next to nothing, and take a lot of room.
    this.#allowance.charge(STAMP_LENGTH);
    this.#onLine(text);
  }

  #omit(chunk: Buffer): void {
    this.#leftOutBytes += this.#line.take().length + chunk.length;
    this.#leftOutEnd = Buffer.concat([this.#leftOutEnd, chunk.subarray(-KEPT_BYTES)]).subarray(-KEPT_BYTES);
  }

  #reportLeftOut(): void {
    this.#onLine(`thv: left out ${this.#leftOutBytes} bytes, more than ${LOG_BYTES_PER_SECOND} were written a second`);
    this.#leftOutBytes = 0;
    this.#leftOutEnd = EMPTY;
  }

  #end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    if (this.#leftOutBytes > 0) {
      const lines = this.#leftOutEnd.toString("utf8").replace(/\n$/, "").split("\n").slice(-LAST_LINES);
      this.#reportLeftOut();
      for (const line of lines) {
        this.sample.add(line);
        this.#onLine(line);
      }
    } else if (this.#line.length > 0) this.#endLine();
  }
}
