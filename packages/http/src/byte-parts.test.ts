import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ByteParts } from "./byte-parts.ts";

describe("ByteParts", () => {
  test("gives back the same bytes however they were cut, whole and from both ends", () => {
    const sizes = fc.array(fc.oneof(fc.integer({ min: 0, max: 9 }), fc.integer({ min: 4_000, max: 9_000 })));
    fc.assert(
      fc.property(sizes, fc.nat(10_000), (lengths, count) => {
        const all = Buffer.from(lengths.flatMap((length, index) => Array(length).fill(index % 251)));
        const parts = new ByteParts();
        let from = 0;
        for (const length of lengths) {
          parts.add(all.subarray(from, from + length));
          from += length;
        }

        expect(parts.length).toBe(all.length);
        expect(parts.first(count).equals(all.subarray(0, count))).toBe(true);
        expect(parts.last(count).equals(all.subarray(Math.max(0, all.length - count)))).toBe(true);
        expect(parts.take().equals(all)).toBe(true);
        expect(parts.length).toBe(0);
      }),
    );
  });
});
