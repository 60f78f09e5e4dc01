/** Does work in the browser's next idle moment. */

/** Safari has no idle callbacks; a fifth of a second later is quiet enough, milliseconds. */
const WITHOUT_IDLE_CALLBACKS_MS = 200;

export function whenIdle(work: () => void): void {
  if ("requestIdleCallback" in window) window.requestIdleCallback(() => work());
  else setTimeout(work, WITHOUT_IDLE_CALLBACKS_MS);
}
