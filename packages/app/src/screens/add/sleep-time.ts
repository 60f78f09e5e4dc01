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

/** @returns Seconds; `undefined` for nothing, and for what is no such time. */
export function parseDuration(text: string): number | undefined {
  const trimmed = text.trim();
  if (trimmed === "0") return 0;
  if (!new RegExp(`^${DURATION_PATTERN}$`).test(trimmed)) return undefined;
  return [...trimmed.matchAll(/(\d+)([dhms])/g)].reduce(
    (sum, [, count, unit = ""]) => sum + Number(count) * (SECONDS.get(unit) ?? 0),
    0,
  );
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
