/**
 * At least two: a single worker gets all files at once from vitest, and runs them in one process, also those that need one of their own.
 *
 * @param asked Of the variable `VITEST_MAX_WORKERS`.
 */
export function countWorkers(asked: string | undefined, processors: number): number {
  return Math.max(2, Number.parseInt(asked ?? "", 10) || processors);
}
