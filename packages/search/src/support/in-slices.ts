/** Long work on the event loop in slices, so that requests are answered between them. */
import { setImmediate } from "node:timers/promises";

/** How long one slice may take, in milliseconds: less than a reader notices. */
const SLICE_MS = 5;
/**
 * Turns of the event loop between two slices. In each turn Node accepts one connection at most, so with one turn alone twenty
 * readers who connect at once would wait for twenty slices. A turn without a request costs 3 µs.
 */
const TURNS_BETWEEN_SLICES = 32;

/** Answers requests that arrived meanwhile, also on new connections: to be called between two pieces of long work. */
export async function letOthersIn(): Promise<void> {
  for (let turn = 0; turn < TURNS_BETWEEN_SLICES; turn++) await setImmediate();
}

/**
 * Runs a generator to its end and lets others in after every slice.
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
    await letOthersIn();
  }
}
