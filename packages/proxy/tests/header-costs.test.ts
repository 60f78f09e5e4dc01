/** What long headers cost, whose length the sender chooses. */
import { compareCosts } from "@toolhive/core/testing";
import { acceptsType, parseHeaderNames } from "@toolhive/http";
import { expect, test } from "vitest";

const BYTES = 16 * 1024;

const HEADERS: readonly (readonly [string, string])[] = [
  ["blanks before no separator", `a${" ".repeat(BYTES - 2)}x`],
  ["tabs", `a${"\t".repeat(BYTES - 2)}x`],
  ["commas", ",".repeat(BYTES)],
  ["semicolons", ";".repeat(BYTES)],
  ["zeros", `a;q=0.${"0".repeat(BYTES - 7)}1`],
];

test.each(HEADERS)("a header of 16 kB costs what a plain one costs: %s", async (input, worst) => {
  const plain = "application/xml;q=0.9, ".repeat(BYTES / 23);
  // A single one is over before the clock has moved.
  const often = (work: () => unknown) => () => {
    for (let time = 0; time < 20; time++) work();
  };
  for (const [entrance, read] of [
    ["header Accept", (text: string) => acceptsType(text, "application/json")],
    ["header Connection", parseHeaderNames],
  ] as const) {
    const { processor } = await compareCosts({
      entrance,
      input,
      bytes: BYTES,
      plain: often(() => read(plain)),
      worst: often(() => read(worst)),
    });
    expect(processor, entrance).toBeLessThan(40);
  }
});
