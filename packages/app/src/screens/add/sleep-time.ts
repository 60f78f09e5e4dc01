/** A time as people write it: `90s`, `10m`, `1h30m`, or `0`. */

const UNITS = [
  [86_400, "d"],
  [3_600, "h"],
  [60, "m"],
  [1, "s"],
] as const;
const SECONDS = new Map<string, number>(UNITS.map(([seconds, unit]) => [unit, seconds]));

/** For the `pattern` of a field: what `parseDuration` reads. */
export const DURATION_PATTERN = String.raw`\s*(?:0|(?:\d{1,9}[dhms])+)\s*`;

/** A count and its unit, at the beginning. */
const PART = /^(\d{1,9})([dhms])/;

/** @returns Seconds; `undefined` for nothing, and for what is no such time. */
export function parseDuration(text: string): number | undefined {
  let rest = text.trim();
  if (rest === "0") return 0;
  if (rest === "") return undefined;
  let seconds = 0;
  while (rest !== "") {
    const [part, count, unit = ""] = PART.exec(rest) ?? [];
    if (part === undefined) return undefined;
    seconds += Number(count) * (SECONDS.get(unit) ?? 0);
    rest = rest.slice(part.length);
  }
  return seconds;
}

/** @returns Nothing for no time, and `0` for none at all. */
export function formatDuration(seconds: number | undefined): string {
  if (seconds === undefined) return "";
  if (seconds === 0) return "0";
  let rest = seconds;
  return UNITS.map(([size, unit]) => {
    const count = Math.floor(rest / size);
    rest -= count * size;
    return count === 0 ? "" : `${count}${unit}`;
  }).join("");
}
