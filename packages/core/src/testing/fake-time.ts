/**
 * Time under the test's control, including what vitest leaves alone: `node:timers/promises`. What does not wait for time (files,
 * streams) goes on in real time.
 */
import { syncBuiltinESMExports } from "node:module";
import timersPromises from "node:timers/promises";
import { vi } from "vitest";

const realSetImmediate = globalThis.setImmediate;

export class FakeTime implements Disposable {
  readonly #realDelay = timersPromises.setTimeout;

  constructor() {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "Date"] });
    Object.assign(timersPromises, { setTimeout: fakeDelay });
    syncBuiltinESMExports();
  }

  /** Lets time pass, and everything that becomes due happen. */
  async advance(ms: number): Promise<void> {
    await settle();
    await vi.advanceTimersByTimeAsync(ms);
    await settle();
  }

  /**
   * Lets time pass, timer by timer, until the condition holds.
   *
   * @param limitMs Milliseconds of fake time after which waiting is in vain.
   */
  async advanceUntil(condition: () => boolean, what: string, limitMs = 600_000): Promise<void> {
    const end = Date.now() + limitMs;
    for (;;) {
      await settle();
      if (condition()) return;
      if (Date.now() > end) throw new Error(`Waited ${limitMs / 1000} s of fake time in vain for ${what}.`);
      if (vi.getTimerCount() > 0) await vi.advanceTimersToNextTimerAsync();
      else vi.setSystemTime(Date.now() + 1_000);
    }
  }

  [Symbol.dispose](): void {
    vi.useRealTimers();
    Object.assign(timersPromises, { setTimeout: this.#realDelay });
    syncBuiltinESMExports();
  }
}

/** Lets everything happen that waits for nothing but its turn, streams and finished file operations included. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 8; turn += 1) await new Promise((resolve) => realSetImmediate(resolve));
}

async function fakeDelay<T>(
  ms?: number,
  value?: T,
  { signal }: { signal?: AbortSignal | undefined } = {},
): Promise<T | undefined> {
  signal?.throwIfAborted();
  return await new Promise<T | undefined>((resolve, reject) => {
    const onAbort = () => {
      clearTimeout(timer);
      reject(new DOMException("The operation was aborted", { name: "AbortError", cause: signal?.reason }));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", onAbort);
      resolve(value);
    }, ms);
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}
