import { describe, expect, test } from "vitest";
import { ENGINE_LANES, FIRST_LANES, SHARED_LANES } from "./lanes.mjs";
import { runTracks } from "./tracks.mjs";

/** Runs a plan whose work takes as long as its number says. @returns What began, with the time at which it did. */
async function simulate(plan: { tracks: readonly (readonly number[])[]; shared: readonly number[] }) {
  const begun: string[] = [];
  const waiting: { until: number; end: () => void }[] = [];
  let now = 0;
  const whole = runTracks(plan, (length) => {
    begun.push(`${length} at ${now}`);
    return new Promise<void>((end) => waiting.push({ until: now + length, end }));
  });
  while (waiting.length > 0) {
    waiting.sort((one, other) => one.until - other.until);
    const next = waiting.shift();
    now = next?.until ?? now;
    next?.end();
    await new Promise(setImmediate);
  }
  await whole;
  return { begun, now };
}

describe("tracks", () => {
  test("run their own work in order, and then the next that nobody has begun", async () => {
    const { begun, now } = await simulate({ tracks: [[9, 8], [20], [10]], shared: [7, 6, 5] });

    expect(begun).toEqual(["9 at 0", "20 at 0", "10 at 0", "8 at 9", "7 at 10", "6 at 17", "5 at 17"]);
    expect(now).toBe(23);
  });

  test("end when one has nothing of its own, and nothing is shared", async () => {
    expect(await simulate({ tracks: [[], [1]], shared: [] })).toEqual({ begun: ["1 at 0"], now: 1 });
  });

  test("of npm test have each lane once", () => {
    expect([...FIRST_LANES, ...SHARED_LANES].sort()).toEqual([...ENGINE_LANES].sort());
  });

  test("fail when work does", async () => {
    const fail = () => Promise.reject(new Error("no processor"));

    await expect(runTracks({ tracks: [[1], [2]], shared: [3] }, fail)).rejects.toThrow("no processor");
  });
});
