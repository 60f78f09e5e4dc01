import { describe, expect, test } from "vitest";
import { formatSpan, isRecord, parseJson, quote, shorten, toRecord } from "./index.ts";

test.each([
  [{}, true],
  [{ a: 1 }, true],
  [[], false],
  [null, false],
  [undefined, false],
  ["text", false],
  [1, false],
])("isRecord(%j) is %j", (value, expected) => {
  expect(isRecord(value)).toBe(expected);
});

test("toRecord returns the same object, and an empty one for any other value", () => {
  const value = { a: 1 };

  expect(toRecord(value)).toBe(value);
  expect([null, [1], "text"].map(toRecord)).toEqual([{}, {}, {}]);
});

test.each([
  ['{"a":[1]}', { a: [1] }],
  ["null", null],
  ["{", undefined],
  ["", undefined],
])("parseJson(%j) is %j", (text, expected) => {
  expect(parseJson(text)).toEqual(expected);
});

test("quote escapes line breaks and drops the characters after its length", () => {
  expect(quote('a"\nbcd', 4)).toBe('"a\\"\\nb"');
});

test("shorten cuts to its length, the ellipsis included, and drops blanks and dots before it", () => {
  expect(shorten("four", 4)).toBe("four");
  expect(shorten("fours", 4)).toBe("fou…");
  expect(shorten("It is. Really", 7)).toBe("It is…");
});

test("neither is the function of a map, which would pass the index as the length", () => {
  // @ts-expect-error The third parameter refuses it.
  expect(["ab", "cd"].map(quote)).toEqual(['""', '"c"']);
  // @ts-expect-error The third parameter refuses it.
  expect(["ab", "cd"].map(shorten)).not.toEqual(["ab", "cd"]);
});

describe("a span of time", () => {
  test.each([
    [-5, "0 seconds"],
    [999, "0 seconds"],
    [1_000, "1 second"],
    [3_599_999, "59 minutes"],
    [86_399_999, "23 hours"],
    [21 * 86_400_000, "21 days"],
  ])("of %d ms is %s", (ms, words) => {
    expect(formatSpan(ms)).toBe(words);
  });
});
