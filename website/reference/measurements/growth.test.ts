import { expect, test } from "vitest";
import { GROWTH_ROWS, HIGHEST_EXPONENT } from "./growth.ts";

test("what grows faster than the number says why in a sentence", () => {
  expect(GROWTH_ROWS.length).toBeGreaterThan(0);
  expect(
    GROWTH_ROWS.filter(
      ({ exponent, reason = "" }) => exponent > HIGHEST_EXPONENT && !/^[A-Z][^\n]*\.$/.test(reason),
    ).map(({ of, work }) => `${of}: ${work}`),
  ).toEqual([]);
});
