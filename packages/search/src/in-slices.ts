/** Long work on the event loop in slices, so that requests are answered between them. */
import { setImmediate } from "node:timers/promises";

/** How long one slice may take, in milliseconds: less than a reader notices. */
const SLICE_MS = 5;

/**
 * Runs a generator to its end and lets the event loop turn after every slice.
 *
 * @param steps Yields where it may be interrupted; the time between two yields should be far below a slice.
 * @param now Milliseconds, monotonic; for tests.
 * @throws what the generator throws.
 */
export async function runInSlices<Result>(
  steps: Iterator<void, Result>,
  now: () => number = () => performance.now(),
): Promise<Result> {
  for (;;) {
    const end = now() + SLICE_MS;
    do {
      const step = steps.next();
      if (step.done === true) return step.value;
    } while (now() < end);
    await setImmediate();
  }
}
