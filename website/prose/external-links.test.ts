import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { listWrittenPages } from "./pages.ts";
import { parseText } from "./parse-text.ts";

const known = JSON.parse(readFileSync(new URL("external-links.json", import.meta.url), "utf8")) as Readonly<
  Record<string, string>
>;

const used = listWrittenPages()
  .filter(({ kind }) => kind !== "text")
  .flatMap(({ source }) => parseText(source).links.map(({ url }) => url))
  .filter((url) => /^https?:/.test(url));

test("every external address of the pages is in the list", () => {
  expect([...new Set(used)].sort()).toEqual(Object.keys(known).sort());
});

test.each(Object.entries(known))(
  "%s has the date of its last answer, or says that it was not checked (%s)",
  (_url, when) => {
    expect(when).toMatch(/^(\d{4}-\d{2}-\d{2}|not checked)$/);
  },
);

test("every external address is an https one", () => {
  expect(used.filter((url) => !url.startsWith("https://"))).toEqual([]);
});
