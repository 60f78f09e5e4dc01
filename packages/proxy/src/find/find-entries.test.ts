import { joinSources, parseEmbeddedRegistry } from "@toolhive/core";
import { describe, expect, test } from "vitest";
import needs from "../testing/needs.json" with { type: "json" };
import { findEntries } from "./find-entries.ts";

const registry = parseEmbeddedRegistry();
const entries = joinSources([
  { name: "default", location: "", kind: "embedded", loaded: { registry, source: { kind: "embedded" } } },
]);
const find = (query: string) => findEntries(entries, query).map(({ reference }) => reference);

/** A need is met when an expected entry is among the first three. */
function listUnmet(half: "tuned" | "held"): string[] {
  return needs[half]
    .filter(
      ({ need, entries: wanted }) =>
        !find(need)
          .slice(0, 3)
          .some((name) => wanted.includes(name)),
    )
    .map(({ need }) => `${need}: ${find(need).slice(0, 4).join(" ")}`);
}

describe("a need in words", () => {
  test("finds an entry that meets it among the first three", () => {
    expect(listUnmet("tuned")).toEqual([]);
  });

  test("does so in 18 of 20 that nobody read before the ranking was done", () => {
    expect(listUnmet("held").length).toBeLessThanOrEqual(2);
  });

  test("is found in a list that was searched before and in another one", () => {
    expect(find("git")[0]).toBe("git");
    expect(findEntries(entries.slice(0, 3), "what is AWS").map(({ reference }) => reference)).toContain("aws-diagram");
    expect(find("what time is it")[0]).toBe("time");
  });

  test("of words that nothing means finds nothing", () => {
    expect([find("qqqq zzzz"), find(""), find("   ")].map((found) => found.length)).toEqual([0, 29, 29]);
  });
});
