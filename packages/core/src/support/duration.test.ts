import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseDuration } from "./duration.ts";

describe("parseDuration", () => {
  test.each([
    ["0", 0],
    ["300ms", 300],
    ["30s", 30_000],
    ["1m30s", 90_000],
    ["2h", 7_200_000],
    ["1.5h", 5_400_000],
    [".5s", 500],
    ["1.s", 1_000],
    ["-2s", -2_000],
    ["+2s", 2_000],
    ["1h0m0.25s", 3_600_250],
    ["500us", 0.5],
    ["500µs", 0.5],
  ])("reads %s as %d ms", (text, ms) => {
    expect(parseDuration(text)).toBeCloseTo(ms, 9);
  });

  test.each(["", "-", "5", "1d", "s", "1s ", "1 s", "1s2", "1m-1s", "--1s", "1e3s", "٣s"])("refuses %j", (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });

  test("adds up whatever parts are given", () => {
    fc.assert(
      fc.property(fc.nat(1000), fc.nat(59), fc.nat(59), (hours, minutes, seconds) => {
        expect(parseDuration(`${hours}h${minutes}m${seconds}s`)).toBe((hours * 3600 + minutes * 60 + seconds) * 1000);
      }),
    );
  });
});
