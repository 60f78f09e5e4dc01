/**
 * Waits for a condition with a deadline; tests never sleep for a fixed time.
 */
import { setTimeout as delay } from "node:timers/promises";

export async function waitUntil(condition: () => boolean, what: string, deadlineMs = 30_000): Promise<void> {
  const deadlineAt = performance.now() + deadlineMs;
  while (!condition()) {
    if (performance.now() > deadlineAt) throw new Error(`still waiting for: ${what}`);
    await delay(2);
  }
}
