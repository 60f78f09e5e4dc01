/** Durations as Go writes them: `300ms`, `30s`, `1m30s`, `2h`, `1.5h`, `0`. */

const UNIT_MS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
};
const PART = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h)/y;

/** @returns Milliseconds, or `undefined` for what is no duration. */
export function parseDuration(text: string): number | undefined {
  const [, sign, body = ""] = /^([+-]?)(.*)$/s.exec(text) ?? [];
  const factor = sign === "-" ? -1 : 1;
  if (body === "0") return 0;
  if (body === "") return undefined;
  let total = 0;
  PART.lastIndex = 0;
  while (PART.lastIndex < body.length) {
    const match = PART.exec(body);
    if (!match) return undefined;
    total += Number(match[1]) * (UNIT_MS[match[2] ?? ""] ?? Number.NaN);
  }
  return factor * total;
}

/** Seconds as people write them: 90 is `1m30s`, and 0 is `0`. */
export function formatSeconds(seconds: number): string {
  const parts = [
    [Math.floor(seconds / 3_600), "h"],
    [Math.floor(seconds / 60) % 60, "m"],
    [seconds % 60, "s"],
  ] as const;
  return parts.flatMap(([count, unit]) => (count === 0 ? [] : [`${count}${unit}`])).join("") || "0";
}
