import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { SpacedWork } from "./spaced-work.ts";

let done: number;
let work: SpacedWork;
beforeEach(() => {
  vi.useFakeTimers();
  done = 0;
  work = new SpacedWork(
    () => {
      done += 1;
    },
    50,
    () => Date.now(),
  );
});
afterEach(() => vi.useRealTimers());

test("work is done at once, and once for all that ask for it within a moment", () => {
  work.request();
  expect(done).toBe(1);

  for (let count = 0; count < 100; count++) work.request();
  expect(done).toBe(1);
  vi.advanceTimersByTime(50);
  expect(done).toBe(2);

  vi.advanceTimersByTime(1_000);
  expect(done).toBe(2);
});

test("work that waits is done as soon as somebody needs its result, and not twice", () => {
  work.request();
  work.request();

  work.settle();
  work.settle();

  expect(done).toBe(2);
  vi.advanceTimersByTime(1_000);
  expect(done).toBe(2);
});

test("work that waits is not done after it was cancelled", () => {
  work.request();
  work.request();

  work.cancel();

  vi.advanceTimersByTime(1_000);
  expect(done).toBe(1);
});
