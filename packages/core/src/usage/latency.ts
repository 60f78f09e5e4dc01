/** Durations of calls in a fixed number of buckets, so that percentiles of any number of calls need a few numbers. */

/** Upper bounds of the buckets, in milliseconds; one more bucket holds what takes longer. */
export const LATENCY_BOUNDS_MS = [5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000] as const;
export const LATENCY_BUCKETS: number = LATENCY_BOUNDS_MS.length + 1;

/** @returns Position of the bucket. */
export function findBucket(ms: number): number {
  const found = LATENCY_BOUNDS_MS.findIndex((bound) => ms <= bound);
  return found < 0 ? LATENCY_BOUNDS_MS.length : found;
}

/**
 * Estimates a percentile, as if the calls of a bucket were spread evenly over it.
 *
 * @param share From 0 to 1: 0.95 for the duration that 95 % of the calls do not exceed.
 * @returns Whole milliseconds, at most the last bound; `undefined` without calls.
 */
export function estimatePercentile(buckets: readonly number[], share: number): number | undefined {
  const total = buckets.reduce((sum, count) => sum + count, 0);
  if (total === 0) return undefined;
  const rank = share * total;
  let before = 0;
  for (const [index, count] of buckets.entries()) {
    const upper = LATENCY_BOUNDS_MS[index];
    if (upper === undefined) break;
    if (count > 0 && before + count >= rank) {
      const lower = LATENCY_BOUNDS_MS[index - 1] ?? 0;
      return Math.max(1, Math.round(lower + (upper - lower) * ((rank - before) / count)));
    }
    before += count;
  }
  return LATENCY_BOUNDS_MS.at(-1);
}
