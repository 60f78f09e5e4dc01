/** Shows that long work continues: lines drawn over on a terminal, a plain line every few seconds elsewhere. */
import { showLine } from "./shown-text.ts";
import type { Terminal } from "./terminal.ts";

const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const ASCII_FRAMES = ["|", "/", "-", "\\"];
const FRAME_MS = 80;
/** Milliseconds between plain lines. */
const PLAIN_INTERVAL_MS = 3_000;

/** Lines below the text, for a terminal of that many columns. */
export type ProgressDetails = (width: number) => readonly string[];

const NO_DETAILS: ProgressDetails = () => [];

export class Progress implements Disposable {
  readonly #terminal: Terminal;
  readonly #timer: NodeJS.Timeout;
  readonly #frames: readonly string[];
  #text: string;
  #details = NO_DETAILS;
  #frame = 0;
  /** Lines of details on the screen, above the cursor. */
  #drawnBelow = 0;
  #lastPlain: string | undefined;

  constructor(terminal: Terminal, text: string) {
    this.#terminal = terminal;
    this.#text = showLine(text);
    this.#frames = terminal.isUtf8 ? FRAMES : ASCII_FRAMES;
    this.#timer = setInterval(() => this.#show(), terminal.isInteractive ? FRAME_MS : PLAIN_INTERVAL_MS);
    if (terminal.isInteractive) this.#show();
  }

  /** @param details Shown on a terminal only. */
  update(text: string, details: ProgressDetails = NO_DETAILS): void {
    this.#text = showLine(text);
    this.#details = details;
  }

  /** Prints a line that stays, above what is drawn. */
  print(line: string): void {
    if (this.#terminal.isInteractive) this.#terminal.redraw("", this.#drawnBelow);
    this.#drawnBelow = 0;
    this.#terminal.info(line);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    if (this.#terminal.isInteractive) this.#terminal.redraw("", this.#drawnBelow);
  }

  #show(): void {
    if (this.#terminal.isInteractive) {
      this.#frame = (this.#frame + 1) % this.#frames.length;
      const width = this.#terminal.infoWidth - 1;
      const line = `${this.#frames[this.#frame]} ${fitting(this.#text, width - 2)}`.slice(0, width);
      const below = this.#details(width).map((detail) => `\n${showLine(detail).slice(0, width)}`);
      const painted = `${this.#terminal.err("cyan", line.slice(0, 1))}${line.slice(1)}`;
      this.#terminal.redraw(`${painted}${below.join("")}`, this.#drawnBelow);
      this.#drawnBelow = below.length;
    } else if (this.#text !== this.#lastPlain) {
      this.#lastPlain = this.#text;
      this.#terminal.info(this.#text);
    }
  }
}

/** Where there is no room, the step is dropped and its progress stays: `Starting x: pulling the image: 1 of 2 MB`. */
function fitting(text: string, width: number): string {
  const detailAt = text.indexOf(": ");
  return text.length > width && detailAt !== -1 ? text.slice(detailAt + 2) : text;
}
