/** Compares the output a page shows with the output of a run. */
import { mask } from "./masks.ts";

/** A line that stands for any number of lines. */
const isEllipsis = (line: string) => line.trim() === "…" || line.trim() === "...";

/** What a command prints every few seconds while it works: on a slow machine there are such lines, on a quick one none. */
const PROGRESS = new RegExp(
  `^(?:${[
    "(?:Starting|Stopping|Restarting|Removing|Asking|Changing|Upgrading) [\\w./:-]+(?:: .*)?",
    "(?:Starting|Stopping|Restarting|Removing) (?:\\d+ of \\d+.*|\\d+ servers?: \\d+ done)",
    "(?:Starting|Replacing) the (?:supervisor|MCP Inspector)",
    "Removing what was left of .*",
    "(?:Calling|Getting|Reading) .+ of [\\w./:-]+",
    "Pulling the image of .*",
    "Waiting for (?:the sign-in|[\\w.-]+ to answer|the server of .* to accept the sign-in(?:: .*)?)",
    "Looking for the servers that ran before",
  ].join("|")})$`,
);

/** What a command printed without the lines that only say that it works. */
export function dropProgress(text: string): string {
  return text
    .split("\n")
    .filter((line) => !PROGRESS.test(line))
    .join("\n");
}

/** Masked lines without trailing white space, without empty lines at either end and without progress. */
function normalise(text: string): string[] {
  const lines = dropProgress(text)
    .split("\n")
    .map((line) => mask(line.trimEnd()));
  const first = lines.findIndex((line) => line !== "");
  return first === -1 ? [] : lines.slice(first, lines.findLastIndex((line) => line !== "") + 1);
}

function splitAtEllipses(lines: readonly string[]): string[][] {
  const segments: string[][] = [[]];
  for (const line of lines) {
    if (isEllipsis(line)) segments.push([]);
    else segments.at(-1)?.push(line);
  }
  return segments;
}

const matchesAt = (lines: readonly string[], segment: readonly string[], start: number) =>
  segment.every((line, index) => lines[start + index] === line);

/** The first line from which `segment` does not go on, for the message. */
function describeDifference(lines: readonly string[], segment: readonly string[], start: number): string {
  const offset = Math.max(
    segment.findIndex((line, index) => lines[start + index] !== line),
    0,
  );
  const actual = lines[start + offset];
  return `shown:   ${segment[offset] ?? "(the end)"}\nprinted: ${actual ?? "(the end)"}`;
}

/**
 * @param shown With `…` lines. @param printed What the run printed.
 * @returns What differs, or `undefined` when nothing does.
 */
export function findDifference(shown: string, printed: string): string | undefined {
  const actual = normalise(printed);
  const segments = splitAtEllipses(normalise(shown));
  const first = segments[0] ?? [];
  if (!matchesAt(actual, first, 0)) return describeDifference(actual, first, 0);
  let position = first.length;
  if (segments.length === 1) {
    return position === actual.length ? undefined : `shown:   (the end)\nprinted: ${actual[position]}`;
  }

  for (const segment of segments.slice(1, -1)) {
    const start = findSegment(actual, segment, position);
    if (start === undefined) return `shown after …, but not printed: ${segment[0]}`;
    position = start + segment.length;
  }
  const last = segments.at(-1) ?? [];
  const start = actual.length - last.length;
  if (start < position) return `shown after …, but not printed: ${last[0]}`;
  return matchesAt(actual, last, start) ? undefined : describeDifference(actual, last, start);
}

function findSegment(lines: readonly string[], segment: readonly string[], from: number): number | undefined {
  for (let start = from; start + segment.length <= lines.length; start++) {
    if (matchesAt(lines, segment, start)) return start;
  }
  return undefined;
}
