import fc from "fast-check";
import { expect, test } from "vitest";
import { digest, formatSorted } from "./digest.ts";

/** A copy whose members are in the order of their names, as far as an object can have them so. */
function sort(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sort);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([name, member]) => [name, sort(member)]));
}

test("gives the text of a sorted copy: digests of another text would replace every pod of a cluster", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(formatSorted(value)).toBe(JSON.stringify(sort(value)));
    }),
  );
});

test.each([
  ["numbers as names", { b: 1, 10: 2, 9: 3, "01": 4, "4294967295": 5 }],
  ["members without a value", { b: undefined, a: [undefined, 1, null], c: {} }],
  ["names that need escapes", { '"': "\\", "\u2028": "ü", __proto: 1 }],
])("gives the text of a sorted copy that has %s", (_what, value) => {
  expect(formatSorted(value)).toBe(JSON.stringify(sort(value)));
});

test("equal values have equal digests, whatever the order of their members", () => {
  expect(digest({ a: 1, b: { c: [1, 2], d: "x" } })).toBe(digest({ b: { d: "x", c: [1, 2] }, a: 1 }));
  expect(digest({ a: [1, 2] })).not.toBe(digest({ a: [2, 1] }));
});

test("digests are those that earlier operators wrote into objects", () => {
  expect(digest({ kind: "Service", spec: { ports: [{ port: 8080, name: "mcp" }] } })).toBe("813a724492d63d83");
});
