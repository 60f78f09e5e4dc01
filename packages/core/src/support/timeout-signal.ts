/**
 * A signal that aborts after `ms` milliseconds with a `TimeoutError`, also as part of `AbortSignal.any`.
 *
 * Node 20 lets the garbage collector take an `AbortSignal.timeout` that only an `AbortSignal.any` refers to, and what waits
 * for it then waits without end. The timer here refers to the signal. It does not keep the process alive.
 *
 * @param ms 0 to 2,147,483,647.
 */
export function startTimeout(ms: number): AbortSignal {
  const controller = new AbortController();
  const expire = () => controller.abort(new DOMException("The operation was aborted due to timeout", "TimeoutError"));
  setTimeout(expire, ms).unref();
  return controller.signal;
}
