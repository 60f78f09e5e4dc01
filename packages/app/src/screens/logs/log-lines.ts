/** The lines of the logs of a server and its proxy that the page keeps. */
import type { OperationAnswer } from "../../api/client.ts";

export interface LogLine extends OperationAnswer<"watchWorkloadLogs"> {
  /** Counts from the first line that arrived. */
  readonly id: number;
}

/** Older ones make way: the file on disk has them all. */
export const MAX_LINES = 10_000;

/** What is shown: all lines, those of one source, or those that report trouble. */
export const SELECTIONS = ["all", "server", "proxy", "trouble"] as const;
export type Selection = (typeof SELECTIONS)[number];

/** Servers write their levels in their own ways; the word at the front of a line is what most of them have in common. */
const TROUBLE = /^.{0,60}?\b(?:warn(?:ing)?|error|err|fatal|critical|panic)\b/i;

/** @param text One line of the stream. */
export function parseLine(text: string, id: number): LogLine {
  return { ...(JSON.parse(text) as OperationAnswer<"watchWorkloadLogs">), id };
}

/** @returns The newest `MAX_LINES` of both. */
export function appendLines(kept: readonly LogLine[], added: readonly LogLine[]): readonly LogLine[] {
  if (added.length === 0) return kept;
  return [...kept, ...added].slice(-MAX_LINES);
}

export function isTrouble({ source, level, text }: LogLine): boolean {
  return source === "proxy" ? level === "warn" || level === "error" : TROUBLE.test(text);
}

/** @param filter Every word has to be in the line, in either case. */
export function filterLines(lines: readonly LogLine[], filter: string, selection: Selection): readonly LogLine[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0 && selection === "all") return lines;
  return lines.filter((line) => {
    if (selection === "trouble" && !isTrouble(line)) return false;
    if ((selection === "server" || selection === "proxy") && line.source !== selection) return false;
    const lower = line.text.toLowerCase();
    return words.every((word) => lower.includes(word));
  });
}
