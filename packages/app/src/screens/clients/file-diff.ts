/** The lines of a file that a change concerns, with a few around them. */
import { structuredPatch } from "diff";

export interface DiffLine {
  readonly kind: "same" | "added" | "removed" | "gap";
  readonly text: string;
}

/** Lines shown before and after each change. */
const CONTEXT = 3;
/** Characters beyond which texts are not compared: it would keep the page busy. */
const MAX_LENGTH = 500_000;

/**
 * @param before Absent: the file does not exist. @param after Absent: it is removed.
 * @returns In their order; a `gap` marks omitted lines. Nothing for texts that are the same or too long.
 */
export function diffLines(before = "", after = ""): DiffLine[] {
  if (before.length + after.length > MAX_LENGTH) return [];
  const { hunks } = structuredPatch("", "", before, after, "", "", { context: CONTEXT });
  return hunks.flatMap(({ lines, oldStart }, index) => [
    ...(index > 0 || oldStart > 1 ? [{ kind: "gap", text: "" } as const] : []),
    ...lines.filter((line) => !line.startsWith("\\")).map(toLine),
  ]);
}

function toLine(line: string): DiffLine {
  const kind = line.startsWith("+") ? "added" : line.startsWith("-") ? "removed" : "same";
  return { kind, text: line.slice(1) };
}
