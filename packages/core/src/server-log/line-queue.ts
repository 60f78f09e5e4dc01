/** A bounded queue of lines for a reader that may be slow; it reports omitted lines. */
import type { StampedLine } from "./log-line.ts";

/** Characters that wait for one reader. */
const MAX_WAITING_CHARACTERS = 1024 * 1024;

export class LineQueue {
  #lines: StampedLine[] = [];
  #characters = 0;
  #leftOut = 0;
  #wake: () => void = () => undefined;

  push(line: StampedLine): void {
    if (this.#characters + line.text.length > MAX_WAITING_CHARACTERS) this.#leftOut += 1;
    else {
      this.#lines.push(line);
      // A line has a price even when it is empty.
      this.#characters += line.text.length + 1;
    }
    this.#wake();
  }

  /** Yields lines as they arrive, until the signal fires; lines that wait then are still yielded. */
  async *read(signal: AbortSignal): AsyncGenerator<StampedLine> {
    const wake = () => this.#wake();
    signal.addEventListener("abort", wake, { once: true });
    try {
      for (;;) {
        yield* this.#dequeueAll();
        if (signal.aborted) return;
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
          if (signal.aborted || this.#lines.length > 0) resolve();
        });
      }
    } finally {
      signal.removeEventListener("abort", wake);
    }
  }

  #dequeueAll(): StampedLine[] {
    const lines = this.#lines;
    if (this.#leftOut > 0)
      lines.push({ at: Date.now(), text: `thv: left out ${this.#leftOut} lines, the reader is too slow` });
    this.#lines = [];
    this.#characters = 0;
    this.#leftOut = 0;
    return lines;
  }
}
