/** One line of a server's log, and its form in a file: the moment, a space, the text. */

/** Bytes of one line; a longer one becomes several. */
export const MAX_LINE_BYTES = 16 * 1024;

export interface StampedLine {
  /** Milliseconds since the epoch; absent where the engine did not say. */
  readonly at?: number;
  readonly text: string;
}

/** Selects lines of a log. */
export interface LogSelection {
  /** The newest so many, 0 or more; `Infinity` for all that are kept. */
  readonly tail: number;
  /** Milliseconds since the epoch: none that is older. */
  readonly since?: number | undefined;
}

/** Bytes before the text in a file. */
export const STAMP_LENGTH = "2026-01-31T12:00:00.000Z ".length;

export function formatStamp(at: number): string {
  return new Date(at).toISOString();
}

export function encodeLine(at: number, text: string): Buffer {
  return Buffer.from(`${formatStamp(at)} ${text}\n`);
}

/** @param bytes Of a file, with a line between both places, without its newline. */
export function decodeLine(bytes: Buffer, from = 0, end = bytes.length): StampedLine {
  const text = bytes.toString("utf8", from, end);
  const at = Date.parse(text.slice(0, STAMP_LENGTH - 1));
  // Torn by a crash, or written by somebody else.
  if (Number.isNaN(at) || text[STAMP_LENGTH - 1] !== " ") return { text };
  return { at, text: text.slice(STAMP_LENGTH) };
}

/** The newest of the lines, oldest first. */
export function selectLines(lines: readonly StampedLine[], { tail, since }: LogSelection): StampedLine[] {
  const wanted = since === undefined ? lines : lines.filter(({ at }) => at !== undefined && at >= since);
  return wanted.slice(Math.max(0, wanted.length - tail));
}
