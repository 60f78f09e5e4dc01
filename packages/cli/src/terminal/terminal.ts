/**
 * The process's streams as an argument, so that every command can run in a test without a subprocess.
 *
 * Everything that a person sees passes here. Much of it was written by others (servers, registries, files): on a terminal
 * it is shown, never obeyed. In a pipe the bytes stay as they are.
 */
import { showJson, showText } from "./shown-text.ts";
import { wrap } from "./wrap.ts";

/** Columns when the output is not a terminal. */
const DEFAULT_WIDTH = 100;

interface OutputStream {
  write(text: string): boolean;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
  once?(event: "drain" | "close" | "error", listener: () => void): unknown;
  off?(event: "drain" | "close" | "error", listener: () => void): unknown;
}

export interface TerminalOptions {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: OutputStream;
  readonly stderr: NodeJS.WriteStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** When it is aborted, no further question is asked. */
  readonly signal?: AbortSignal;
}

export type Style = "bold" | "dim" | "red" | "green" | "yellow" | "cyan";

const STYLES: Readonly<Record<Style, readonly [open: number, close: number]>> = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
};

/** Clears the line that the cursor is on. */
const CLEAR_LINE = "\r\u001b[2K";
const LINE_UP = "\u001b[1A";

/**
 * Begins a style until it is written. It has the shape of a terminal's own sequence, so that it counts as no column, and contains
 * numbers that nobody else can know, so that our styles are distinguished from those in the text of others. `Math.random` is
 * enough, because the text was written before the process drew them; loading `node:crypto` would cost each command 4 ms.
 */
const STYLE_MARK = `\u001b[${Array.from({ length: 4 }, () => Math.floor(Math.random() * 9_000) + 1_000).join(";")};`;
const STYLE_END = /^\d{1,2}m/;

export class Terminal {
  readonly #options: TerminalOptions;

  constructor(options: TerminalOptions) {
    this.#options = options;
  }

  get stdin(): NodeJS.ReadStream {
    return this.#options.stdin;
  }

  get stderr(): NodeJS.WriteStream {
    return this.#options.stderr;
  }

  get signal(): AbortSignal | undefined {
    return this.#options.signal;
  }

  /** Whether a person can be asked. */
  get canAsk(): boolean {
    return (
      this.#options.stdin.isTTY === true && this.#options.stderr.isTTY === true && this.#options.env.TERM !== "dumb"
    );
  }

  /** Whether a person watches the progress. */
  get isInteractive(): boolean {
    return this.#options.stderr.isTTY === true && this.#options.env.TERM !== "dumb" && !this.#options.env.CI;
  }

  /** Whether a person reads the results, and not a file or a program. */
  get isOutputTerminal(): boolean {
    return this.#options.stdout.isTTY === true;
  }

  /** Lines of the terminal; `undefined` where there is none. */
  get rows(): number | undefined {
    return this.#options.stdout.rows;
  }

  get width(): number {
    return Math.max(20, this.#options.stdout.columns ?? DEFAULT_WIDTH);
  }

  /** Columns that a table may have: those of the terminal, any number elsewhere. */
  get tableWidth(): number {
    return this.#options.stdout.isTTY === true ? this.width : Number.POSITIVE_INFINITY;
  }

  /** Columns of stderr: it may be a terminal while stdout is not. */
  get infoWidth(): number {
    return Math.max(20, this.#options.stderr.columns ?? DEFAULT_WIDTH);
  }

  /** False when the locale says that characters beyond ASCII are not understood (POSIX order of precedence). */
  get isUtf8(): boolean {
    const { LC_ALL, LC_CTYPE, LANG } = this.#options.env;
    const locale = LC_ALL || LC_CTYPE || LANG;
    return !locale || /utf-?8/i.test(locale);
  }

  /** A result: goes to stdout. */
  print(text: string): void {
    this.#write(`${text}\n`, this.#options.stdout);
  }

  /** A result for programs, indented; on a terminal still JSON with the same meaning. */
  printJson(value: unknown): void {
    const json = JSON.stringify(value, null, 2);
    this.print(this.#options.stdout.isTTY ? showJson(json) : json);
  }

  /** Bytes of a result as they are. */
  write(text: string): void {
    this.#write(text, this.#options.stdout);
  }

  /** Bytes of a result, as fast as they are read. Settles once there is room for more, or the reader has left. */
  async writeSlowly(text: string): Promise<void> {
    const { stdout } = this.#options;
    if (this.#write(text, stdout) || !stdout.once) return;
    await new Promise<void>((resolve) => {
      const events = ["drain", "close", "error"] as const;
      const settle = () => {
        for (const event of events) stdout.off?.(event, settle);
        resolve();
      };
      for (const event of events) stdout.once?.(event, settle);
    });
  }

  /** @param listener Called when the results have no reader any more. */
  onOutputLost(listener: () => void): void {
    this.#options.stdout.once?.("error", listener);
    this.#options.stdout.once?.("close", listener);
  }

  /** Everything else: goes to stderr. */
  info(text: string): void {
    this.#write(`${text}\n`, this.#options.stderr);
  }

  /** Like `info`, with lines that are broken at words on a terminal and stay whole elsewhere. */
  infoProse(text: string): void {
    const fold = (line: string) =>
      line.length <= this.infoWidth ? line : wrap(line, this.infoWidth, /^\s*/.exec(line)?.[0]);
    this.info(this.#options.stderr.isTTY ? showAround(text).split("\n").map(fold).join("\n") : text);
  }

  /**
   * Draws over the line that the cursor is on and over those above it, on stderr, and leaves the cursor at the text's end.
   *
   * @param above How many lines above go, too.
   */
  redraw(text: string, above: number): void {
    this.#options.stderr.write(CLEAR_LINE + `${LINE_UP}${CLEAR_LINE}`.repeat(above));
    if (text !== "") this.#write(text, this.#options.stderr);
  }

  /** Colours text for stdout, when that is a terminal and NO_COLOR is not set. */
  out(style: Style, text: string): string {
    return this.#paint(style, text, this.#options.stdout);
  }

  /** Colours text for stderr. */
  err(style: Style, text: string): string {
    return this.#paint(style, text, this.#options.stderr);
  }

  #paint(style: Style, text: string, stream: OutputStream): string {
    const { NO_COLOR, TERM } = this.#options.env;
    if (!stream.isTTY || NO_COLOR || TERM === "dumb") return text;
    const [open, close] = STYLES[style];
    return `${STYLE_MARK}${open}m${text}${STYLE_MARK}${close}m`;
  }

  /** A result as stdout gets it, for a program that shows it in our place. */
  encode(text: string): string {
    return encodeFor(text, this.#options.stdout);
  }

  #write(text: string, stream: OutputStream): boolean {
    return stream.write(encodeFor(text, stream));
  }
}

function encodeFor(text: string, stream: OutputStream): string {
  return stream.isTTY ? showAround(text).replaceAll(STYLE_MARK, "\u001b[") : text;
}

/** Shows what is between our own styles. */
function showAround(text: string): string {
  const [first = "", ...others] = text.split(STYLE_MARK);
  const styled = others.map((part) => {
    const [end = ""] = STYLE_END.exec(part) ?? [];
    return `${STYLE_MARK}${end}${showText(part.slice(end.length))}`;
  });
  return [showText(first), ...styled].join("");
}
