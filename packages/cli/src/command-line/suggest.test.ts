import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { computeEditDistance, findNearest } from "./suggest.ts";

const KNOWN = ["list", "logs", "restart", "rm", "run", "serve", "stop", "version"];

describe("nearest", () => {
  test.each([
    ["lst", "list"],
    ["lits", "list"],
    ["restrat", "restart"],
    ["ver", "version"],
    ["serv", "serve"],
    ["stpo", "stop"],
    ["rnu", undefined],
    ["rn", "rm"],
    ["", undefined],
    ["frobnicate", undefined],
  ])("%j suggests %s", (word, expected) => {
    expect(findNearest(word, KNOWN)).toBe(expected);
  });

  test("suggests nothing when nothing is known", () => {
    expect(findNearest("list", [])).toBeUndefined();
  });
});

describe("editDistance", () => {
  const word = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 7 });

  test.each([
    ["", "", 0],
    ["abc", "", 3],
    ["kitten", "sitting", 3],
    ["run", "rnu", 2],
  ])("%j to %j takes %i edits", (left, right, expected) => {
    expect(computeEditDistance(left, right)).toBe(expected);
  });

  test("is a metric: zero only for equals, the same both ways, and never longer than a detour", () => {
    fc.assert(
      fc.property(word, word, word, (left, right, other) => {
        expect(computeEditDistance(left, right) === 0).toBe(left === right);
        expect(computeEditDistance(left, right)).toBe(computeEditDistance(right, left));
        expect(computeEditDistance(left, right)).toBeLessThanOrEqual(
          computeEditDistance(left, other) + computeEditDistance(other, right),
        );
      }),
    );
  });
});
