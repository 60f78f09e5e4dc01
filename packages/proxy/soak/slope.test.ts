import { describe, expect, test } from "vitest";
import { slopeWithInterval } from "./slope.mjs";

/** Evenly distributed in [0, 1), the same in every run (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Samples around a line, where each error keeps a share of the one before it. */
function wander(seed: number, slope: number, kept: number): [number, number][] {
  const random = randomFrom(seed);
  let error = 0;
  return Array.from({ length: 300 }, (_, x) => {
    error = kept * error + random() - 0.5;
    return [x, slope * x + error];
  });
}

describe("slopeWithInterval", () => {
  test("finds the slope of a line exactly, with no width", () => {
    const line = Array.from({ length: 20 }, (_, x): [number, number] => [x, 3 * x + 1]);

    const { slope, low, high } = slopeWithInterval(line);

    expect(slope).toBeCloseTo(3, 9);
    expect(high - low).toBeLessThan(1e-9);
  });

  test.each([
    { what: "independent", kept: 0 },
    { what: "strongly dependent", kept: 0.9 },
  ])("holds the true slope in about 95 of 100 series with $what errors", ({ kept }) => {
    const intervals = Array.from({ length: 400 }, (_, seed) => slopeWithInterval(wander(seed, 0.01, kept)));

    const held = intervals.filter(({ low, high }) => low <= 0.01 && high >= 0.01).length;

    expect(held / intervals.length).toBeGreaterThan(0.85);
    expect(held / intervals.length).toBeLessThan(0.99);
  });

  test("finds a leak that hides in strongly dependent errors", () => {
    const { low } = slopeWithInterval(wander(7, 0.1, 0.9));

    expect(low).toBeGreaterThan(0);
  });

  test("refuses a handful of samples", () => {
    expect(() => slopeWithInterval([[0, 1]])).toThrow("at least 10 samples, not 1");
  });
});
