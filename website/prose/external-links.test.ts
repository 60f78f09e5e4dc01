import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { listWrittenPages } from "./pages.ts";
import { parseText } from "./parse-text.ts";

const known = JSON.parse(readFileSync(new URL("external-links.json", import.meta.url), "utf8")) as Readonly<
  Record<string, string | null>
>;

const used = listWrittenPages()
  .filter(({ kind }) => kind !== "text")
  .flatMap(({ source }) => parseText(source).links.map(({ url }) => url))
  .filter((url) => /^https?:/.test(url));

test("every external address of the pages is in the list, with the date on which it last answered", () => {
  expect([...new Set(used)].sort()).toEqual(Object.keys(known).sort());
});

test("every external address is an https one", () => {
  expect(used.filter((url) => !url.startsWith("https://"))).toEqual([]);
});
