import { expect, test } from "vitest";
import { drawIcon } from "./drawn-icon.ts";

test.each([
  ["fetch", "FE"],
  ["brave-search", "BS"],
  ["mcp-server-time", "TI"],
  ["mcp", "MC"],
  ["io.github.someone/read-files", "RF"],
  ["7", "7"],
  ["élan", "ÉL"],
  ["𝔣etch", "𝔣E"],
  ["---", "?"],
  ["", "?"],
])("%j is drawn with the letters %j", (name, letters) => {
  expect(drawIcon(name).letters).toBe(letters);
});

test("the same name always has the same colour, and others mostly another one", () => {
  const names = ["fetch", "time", "memory", "github", "everything", "playwright", "postgres", "slack"];
  const hues = names.map((name) => drawIcon(name).hue);

  expect(drawIcon("fetch").hue).toBe(drawIcon("fetch").hue);
  expect(new Set(hues).size).toBeGreaterThan(4);
  for (const hue of hues) expect(hue).toBeLessThan(360);
});

test("a name that is as long as a book is drawn from its beginning", () => {
  expect(drawIcon("x".repeat(10_000_000))).toEqual(drawIcon("x".repeat(200)));
});
