/** When a supervisor ends by itself. */
import type { ProcessLock } from "./lock/process-lock.ts";

/** Milliseconds without a request after which a background supervisor without work ends. */
const IDLE_TIMEOUT_MS = 60_000;
const IDLE_CHECK_MS = 5_000;

interface IdleOptions {
  /** Whether it has a server, answers a request, or was started to stay. */
  readonly isBusy: () => boolean;
  /** Time of the last request, as `Date.now()` gives it. */
  readonly lastRequestAt: () => number;
  readonly lock: Pick<ProcessLock, "isHeld">;
  readonly end: (reason: "idle" | "orphaned") => void;
  readonly signal: AbortSignal;
}

/** Ends a supervisor with nothing to do, and one that cannot be found any more because its state was deleted. */
export function endWhenIdle({ isBusy, lastRequestAt, lock, end, signal }: IdleOptions): void {
  if (signal.aborted) return;
  const timer = setInterval(async () => {
    if (!isBusy() && Date.now() - lastRequestAt() > IDLE_TIMEOUT_MS) end("idle");
    else if (!(await lock.isHeld())) end("orphaned");
  }, IDLE_CHECK_MS);
  signal.addEventListener("abort", () => clearInterval(timer), { once: true });
}
