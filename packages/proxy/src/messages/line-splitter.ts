/**
 * Framing of the stdio transport: cuts a byte stream at newlines, with a bound on the length of a line.
 */
import { ByteParts } from "@toolhive/http/byte-parts";

const NEWLINE = 0x0a;
/** Bytes kept at either end of an over-long line, to find the request that it answers. */
const KEPT_BYTES = 4096;
/** Bytes of a line that is being skipped after which all but its end are forgotten. */
const FORGET_BYTES = 64 * 1024;

export interface LineSplitterOptions {
  readonly maxLineBytes: number;
  /** Receives each line without its newline. The buffer is not reused. */
  readonly onLine: (line: Buffer) => void;
  /** Receives the first and last bytes of a line that was too long and is skipped. */
  readonly onOversize: (head: Buffer, tail: Buffer) => void;
}

export class LineSplitter {
  readonly #options: LineSplitterOptions;
  /** The line that has not ended yet, or the end of the one that is being skipped. */
  readonly #line = new ByteParts();
  /** The first bytes of the line that is being skipped. */
  #skippedHead: Buffer | undefined;

  constructor(options: LineSplitterOptions) {
    this.#options = options;
  }

  push(chunk: Buffer): void {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      this.#add(chunk.subarray(from, at));
      this.#endLine();
      from = at + 1;
    }
    if (from < chunk.length) this.#add(chunk.subarray(from));
  }

  #add(part: Buffer): void {
    this.#line.add(part);
    if (this.#skippedHead === undefined) {
      if (this.#line.length <= this.#options.maxLineBytes) return;
      this.#skippedHead = this.#line.first(KEPT_BYTES);
    } else if (this.#line.length < FORGET_BYTES) return;
    this.#keepEnd();
  }

  #keepEnd(): Buffer {
    // A copy, which keeps neither the chunk nor earlier ones alive.
    const end = this.#line.last(KEPT_BYTES);
    this.#line.clear();
    this.#line.add(end);
    return end;
  }

  #endLine(): void {
    if (this.#skippedHead !== undefined) {
      const head = this.#skippedHead;
      const tail = this.#keepEnd();
      this.#line.clear();
      this.#skippedHead = undefined;
      this.#options.onOversize(head, tail);
      return;
    }
    if (this.#line.length > 0) this.#options.onLine(this.#line.take());
  }
}
