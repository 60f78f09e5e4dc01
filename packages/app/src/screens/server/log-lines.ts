/** The lines of a server's output that the page keeps. */
export interface LogLine {
  /** Counts from the first line that arrived. */
  readonly id: number;
  /** ISO 8601; empty where none is known. */
  readonly at: string;
  readonly text: string;
}

/** Older ones make way: the file on disk has them all. */
export const MAX_LINES = 10_000;

const STAMPED = /^(\S+) (.*)$/s;

/** @param text Of an answer with `timestamps`. */
export function parseLine(text: string, id: number): LogLine {
  const [, at = "-", rest = text] = STAMPED.exec(text) ?? [];
  return { id, at: at === "-" ? "" : at, text: rest };
}

/** @returns The newest `MAX_LINES` of both. */
export function appendLines(kept: readonly LogLine[], added: readonly LogLine[]): readonly LogLine[] {
  if (added.length === 0) return kept;
  return [...kept, ...added].slice(-MAX_LINES);
}

/** @param filter Every word has to be in the line, in either case. */
export function filterLines(lines: readonly LogLine[], filter: string): readonly LogLine[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return lines;
  return lines.filter(({ text }) => {
    const lower = text.toLowerCase();
    return words.every((word) => lower.includes(word));
  });
}
