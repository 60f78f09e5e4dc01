import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FakeTime } from "../testing/fake-time.ts";
import { computeBackoffMs, sleep } from "./backoff.ts";

describe("backoffMs", () => {
  test("doubles from the first wait up to the longest", () => {
    const waits = [1, 2, 3, 4, 5, 6].map((attempt) => computeBackoffMs(attempt, { firstMs: 250, maxMs: 5_000 }));

    expect(waits).toEqual([250, 500, 1_000, 2_000, 4_000, 5_000]);
  });

  test("never shrinks and never exceeds the longest wait, whatever the attempt", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e9 }), fc.integer({ min: 1, max: 1e4 }), (attempt, firstMs) => {
        const range = { firstMs, maxMs: 30_000 };

        expect(computeBackoffMs(attempt, range)).toBeLessThanOrEqual(30_000);
        expect(computeBackoffMs(attempt + 1, range)).toBeGreaterThanOrEqual(computeBackoffMs(attempt, range));
      }),
    );
  });
});

describe("sleep", () => {
  test("ends when its time has come", async () => {
    using time = new FakeTime();
    let isAwake = false;
    void sleep(1_000, new AbortController().signal).then(() => {
      isAwake = true;
    });

    await time.advance(999);
    expect(isAwake).toBe(false);
    await time.advance(1);
    expect(isAwake).toBe(true);
  });

  test("rejects with the signal's own reason, before and while it waits", async () => {
    const controller = new AbortController();
    const sleeping = sleep(60_000, controller.signal);

    controller.abort(new Error("overtaken"));

    await expect(sleeping).rejects.toThrow("overtaken");
    await expect(sleep(1, controller.signal)).rejects.toThrow("overtaken");
  });
});
