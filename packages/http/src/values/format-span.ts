const UNITS = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1_000],
] as const;

/** A span of time in its largest whole unit, for example `5 minutes`: the minutes of three weeks do not matter. */
export function formatSpan(ms: number): string {
  const [unit, length] = UNITS.find(([, each]) => ms >= each) ?? (["second", 1_000] as const);
  const count = Math.max(0, Math.floor(ms / length));
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}
