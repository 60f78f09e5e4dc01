/** Shows that long work goes on: one line drawn over on a terminal, a plain line every few seconds elsewhere. */
import type { Terminal } from "./terminal.ts";

const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const FRAME_MS = 80;
/** Milliseconds between plain lines. */
const PLAIN_INTERVAL_MS = 3_000;

export class Progress implements Disposable {
  readonly #terminal: Terminal;
  readonly #timer: NodeJS.Timeout;
  #text: string;
  #frame = 0;
  #lastPlain: string | undefined;

  constructor(terminal: Terminal, text: string) {
    this.#terminal = terminal;
    this.#text = oneLine(text);
    this.#timer = setInterval(() => this.#show(), terminal.isInteractive ? FRAME_MS : PLAIN_INTERVAL_MS);
    if (terminal.isInteractive) this.#show();
  }

  update(text: string): void {
    this.#text = oneLine(text);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    if (this.#terminal.isInteractive) this.#terminal.draw("\r\u001b[2K");
  }

  #show(): void {
    if (this.#terminal.isInteractive) {
      this.#frame = (this.#frame + 1) % FRAMES.length;
      const line = `${FRAMES[this.#frame]} ${this.#text}`.slice(0, this.#terminal.width - 1);
      this.#terminal.draw(`\r\u001b[2K${this.#terminal.err("cyan", line.slice(0, 1))}${line.slice(1)}`);
    } else if (this.#text !== this.#lastPlain) {
      this.#lastPlain = this.#text;
      this.#terminal.note(this.#text);
    }
  }
}

/** A status may quote what a server wrote: nothing of it may move the cursor or end the line. */
function oneLine(text: string): string {
  return text.replace(/\p{Cc}+/gu, " ");
}
