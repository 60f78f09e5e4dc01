/** Asks `testing/fixtures/probe.mjs`, in a container, what is open to it. */

/** Attempts by name, each a way and its arguments. */
export type ProbeRows = Readonly<Record<string, readonly unknown[]>>;

/** Milliseconds for an attempt that has to be open; the probe's own limit is short, as one that is closed may use all of it. */
const OPEN_MS = 30_000;

/**
 * @param run Runs the probe with these arguments, and gives what it printed.
 * @param expected What the attempts should give. On a busy machine one that has to be open may need longer than the usual time, so it
 *   is made once more, with ten times as much.
 * @returns For each attempt the text that came back, or `closed`.
 */
export async function probeEgress(
  run: (args: readonly string[]) => Promise<string>,
  rows: ProbeRows,
  expected: Readonly<Record<string, string>> = {},
): Promise<Record<string, string>> {
  const found: Record<string, string> = JSON.parse(await run([JSON.stringify(rows)]));
  const late = Object.entries(rows).filter(
    ([row]) => found[row] === "closed" && (expected[row] ?? "closed") !== "closed",
  );
  if (late.length === 0) return found;
  return { ...found, ...JSON.parse(await run([JSON.stringify(Object.fromEntries(late)), String(OPEN_MS)])) };
}
