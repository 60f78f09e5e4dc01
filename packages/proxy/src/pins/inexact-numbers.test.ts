/** Numbers that JavaScript would change. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { hasInexactNumbers } from "./inexact-numbers.ts";

test.each([
  ["9007199254740993", true],
  ["18446744073709551615", true],
  ["0.12345678901234567891", true],
  ["1e400", true],
  ["1e-400", true],
  ["9007199254740991", false],
  ["1.8446744073709552e19", false],
  ["18446744073709552000", false],
  ["1e3", false],
  ["-0.50e1", false],
  ["100000000000000000000", false],
  ["0.000000000000000000000", false],
  ['"18446744073709551615"', false],
  ['{"1e400":[1.5,-3]}', false],
  ['{"a\\"18446744073709551615":1}', false],
])("%s is inexact: %s", (text, expected) => {
  expect(hasInexactNumbers(Buffer.from(text))).toBe(expected);
});

test("what JavaScript writes, it can hold", () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
      expect(hasInexactNumbers(Buffer.from(JSON.stringify([value])))).toBe(false);
    }),
  );
});
