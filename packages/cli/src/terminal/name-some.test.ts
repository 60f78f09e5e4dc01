/** Lists of names in one line. */
import { expect, test } from "vitest";
import { nameSome } from "./name-some.ts";

test.each([
  [["a"], "a"],
  [["a", "b", "c", "d", "e"], "a, b, c, d, e"],
  [Array.from({ length: 38 }, (_each, index) => `s${index}`), "s0, s1, s2, s3, s4 and 33 more"],
  [["two\nlines"], "two\\x0alines"],
])("%j is %j", (names, line) => {
  expect(nameSome(names)).toBe(line);
});
