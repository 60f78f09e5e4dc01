import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compareCosts } from "../testing/index.ts";
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

  test("costs for single bytes no more memory than for large parts", async () => {
    const bytes = 4 * 1024 * 1024;
    const gather = (size: number) => () => {
      const parts = new ByteParts();
      const part = Buffer.alloc(size, "x");
      for (let at = 0; at < bytes; at += size) parts.add(part);
      return parts.take();
    };

    const ratios = await compareCosts({
      entrance: "a line in parts",
      input: "single bytes",
      bytes,
      plain: gather(64 * 1024),
      worst: gather(1),
    });

    expect(ratios.memory).toBeLessThan(4);
  });
});
