import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { endWhenIdle } from "./end-when-idle.ts";

const MINUTE_MS = 60_000;

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function watch() {
  const state = { isBusy: false, lastRequestAt: Date.now(), isHeld: true };
  const ending = new AbortController();
  const ended: string[] = [];
  endWhenIdle({
    isBusy: () => state.isBusy,
    lastRequestAt: () => state.lastRequestAt,
    lock: { isHeld: async () => state.isHeld },
    end: (reason) => {
      ended.push(reason);
      ending.abort();
    },
    signal: ending.signal,
  });
  return { state, ended };
}

test("a supervisor with nothing to do ends a minute after the last request, and not before", async () => {
  const { state, ended } = watch();
  await vi.advanceTimersByTimeAsync(MINUTE_MS / 2);
  state.lastRequestAt = Date.now();

  await vi.advanceTimersByTimeAsync(MINUTE_MS);
  expect(ended).toEqual([]);
  await vi.advanceTimersByTimeAsync(MINUTE_MS / 2);

  expect(ended).toEqual(["idle"]);
});

test("a supervisor that has something to do stays, however long nobody asks", async () => {
  const { state, ended } = watch();
  state.isBusy = true;

  await vi.advanceTimersByTimeAsync(60 * MINUTE_MS);
  expect(ended).toEqual([]);

  state.isBusy = false;
  await vi.advanceTimersByTimeAsync(MINUTE_MS);
  expect(ended).toEqual(["idle"]);
});

test("a supervisor whose lock is gone ends, because no command can find it", async () => {
  const { state, ended } = watch();
  state.isBusy = true;
  state.isHeld = false;

  await vi.advanceTimersByTimeAsync(MINUTE_MS / 2);

  expect(ended).toEqual(["orphaned"]);
});
