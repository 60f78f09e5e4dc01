import type { SearchRecord } from "@toolhive/search/offline";
import { expect, test } from "vitest";
import { findSections } from "./find-sections.ts";

const NO_LEVELS = { lvl0: null, lvl1: "Page", lvl2: null, lvl3: null, lvl4: null, lvl5: null, lvl6: null };

function heading(level: "lvl2" | "lvl3" | "lvl4", title: string, anchor: string): SearchRecord {
  const weight = { pageRank: 1, level: 0, position: 0 };
  const hierarchy = { ...NO_LEVELS, [level]: title };
  return { objectID: anchor, url: "", url_without_anchor: "", anchor, type: level, content: null, hierarchy, weight };
}

test("headings get the anchors of the records, whatever Markdown adds to their words", () => {
  const markdown = "# Page\n\nText\n\n## Allow hosts: `--isolate-network`\n\n### Use \\_this\\_ [page](/x)\n\nEnd\n";
  const records = [
    heading("lvl2", "Allow hosts: --isolate-network", "hosts"),
    heading("lvl3", "Use _this_ page", "use"),
  ];

  const sections = findSections(markdown, records);

  expect(sections.map(({ anchor, level }) => [anchor, level])).toEqual([
    [null, 1],
    ["hosts", 2],
    ["use", 3],
  ]);
  expect(sections.map(({ start }) => markdown.slice(start, start + 6))).toEqual(["# Page", "## All", "### Us"]);
});

test("a comment in a listing is no heading, and the second heading of a name is the second", () => {
  const markdown = "# Page\n\n```bash\n## Options\n```\n\n## Options\n\nA\n\n## More\n\n## Options\n\nB\n";
  const records = [heading("lvl2", "Options", "options"), heading("lvl2", "Options", "options-1")];

  const [, first, second] = findSections(markdown, records);

  expect(markdown.slice(first?.start)).toMatch(/^## Options\n\nA/);
  expect(markdown.slice(second?.start)).toMatch(/^## Options\n\nB/);
});

test("a closed detail is headed by its bold line, and a heading that is not shown is left out", () => {
  const markdown = "# Page\n\n**It does not start**\n\nTry again.\n";
  const records = [heading("lvl4", "GET /health", "health"), heading("lvl3", "It does not start", "start")];

  expect(findSections(markdown, records).map(({ anchor }) => anchor)).toEqual([null, "start"]);
});
