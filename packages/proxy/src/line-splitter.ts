/**
 * Framing of the stdio transport: cuts a byte stream at newlines, with a bound on the length of a line.
 */

const NEWLINE = 0x0a;
/** Bytes of an over-long line that are kept to tell which request it answers. */
const KEPT_HEAD_BYTES = 4096;

export interface LineSplitterOptions {
  readonly maxLineBytes: number;
  /** Receives each line without its newline. The buffer is not reused. */
  readonly onLine: (line: Buffer) => void;
  /** Receives the first bytes of a line that was too long and is skipped. */
  readonly onOversize: (head: Buffer) => void;
}

export class LineSplitter {
  readonly #options: LineSplitterOptions;
  #parts: Buffer[] = [];
  #bytes = 0;
  #skipping = false;

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
    if (this.#skipping) return;
    this.#parts.push(part);
    this.#bytes += part.length;
    if (this.#bytes <= this.#options.maxLineBytes) return;
    const head = Buffer.concat(this.#parts, Math.min(this.#bytes, KEPT_HEAD_BYTES));
    this.#skipping = true;
    this.#reset();
    this.#options.onOversize(head);
  }

  #endLine(): void {
    if (this.#skipping) {
      this.#skipping = false;
      return;
    }
    const [only] = this.#parts;
    const line = this.#parts.length === 1 && only !== undefined ? only : Buffer.concat(this.#parts, this.#bytes);
    this.#reset();
    if (line.length > 0) this.#options.onLine(line);
  }

  #reset(): void {
    this.#parts = [];
    this.#bytes = 0;
  }
}
