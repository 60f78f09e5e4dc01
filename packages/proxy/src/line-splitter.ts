/**
 * Framing of the stdio transport: cuts a byte stream at newlines, with a bound on the length of a line.
 */

const NEWLINE = 0x0a;
/** Bytes at either end of an over-long line that are kept to tell which request it answers. */
const KEPT_BYTES = 4096;

const EMPTY = Buffer.alloc(0);

export interface LineSplitterOptions {
  readonly maxLineBytes: number;
  /** Receives each line without its newline. The buffer is not reused. */
  readonly onLine: (line: Buffer) => void;
  /** Receives the first and last bytes of a line that was too long and is skipped. */
  readonly onOversize: (head: Buffer, tail: Buffer) => void;
}

export class LineSplitter {
  readonly #options: LineSplitterOptions;
  #parts: Buffer[] = [];
  #bytes = 0;
  /** The first bytes of the line that is being skipped. */
  #skippedHead: Buffer | undefined;
  #skippedTail: Buffer = EMPTY;

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
    if (this.#skippedHead !== undefined) {
      this.#keepTail(part);
      return;
    }
    this.#parts.push(part);
    this.#bytes += part.length;
    if (this.#bytes <= this.#options.maxLineBytes) return;
    this.#skippedHead = Buffer.concat(this.#parts, Math.min(this.#bytes, KEPT_BYTES));
    for (const kept of this.#parts) this.#keepTail(kept);
    this.#reset();
  }

  #endLine(): void {
    if (this.#skippedHead !== undefined) {
      const head = this.#skippedHead;
      const tail = this.#skippedTail;
      this.#skippedHead = undefined;
      this.#skippedTail = EMPTY;
      this.#options.onOversize(head, tail);
      return;
    }
    const [only] = this.#parts;
    const line = this.#parts.length === 1 && only !== undefined ? only : Buffer.concat(this.#parts, this.#bytes);
    this.#reset();
    if (line.length > 0) this.#options.onLine(line);
  }

  #keepTail(part: Buffer): void {
    // The copies keep neither the chunk nor what came before alive.
    this.#skippedTail = Buffer.concat([this.#skippedTail, part.subarray(-KEPT_BYTES)]).subarray(-KEPT_BYTES);
  }

  #reset(): void {
    this.#parts = [];
    this.#bytes = 0;
  }
}
