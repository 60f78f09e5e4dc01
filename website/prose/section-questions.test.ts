/** Each section of a guide and of a concept says which questions of readers it answers, or the search does not find it in their words. */
import { expect, test } from "vitest";
import { listWrittenPages } from "./pages.ts";
import { parseText } from "./parse-text.ts";

/** Sections that stand on every page, with nothing of their own that a reader searches for. */
const FRAMES = /^(?:Before you begin|Verify|Clean up|Troubleshooting|Related|Next steps)$/;

const pages = listWrittenPages()
  .filter(({ kind, file }) => (kind === "guide" || kind === "concept") && file.endsWith(".mdx"))
  .map(({ file, source }) => ({ file, source, text: parseText(source, "mdx") }));

/** Anchors of the sections and parts of sections, with their headings. */
function listSections(source: string): { readonly anchor: string; readonly heading: string }[] {
  let isCode = false;
  return source.split("\n").flatMap((line) => {
    if (line.trimStart().startsWith("```")) isCode = !isCode;
    const [, title] = /^#{2,3} (.+)$/.exec(line) ?? [];
    if (isCode || title === undefined) return [];
    const [, heading = title, anchor] = /^(.*?) ?\{#([\w-]+)\}$/.exec(title) ?? [];
    return [{ heading, anchor: anchor ?? toAnchor(heading) }];
  });
}

function toAnchor(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(" ", "-")
    .replace(/[^\p{L}\p{N}_-]/gu, "");
}

test("there are pages to read", () => {
  expect(pages.length).toBeGreaterThan(20);
});

test.each(pages)("$file: each section has a question", ({ source, text }) => {
  const asked = Object.keys((text.frontMatter.sectionQuestions ?? {}) as Readonly<Record<string, unknown>>);
  const sections = listSections(source);
  const without = sections.filter(({ anchor, heading }) => !FRAMES.test(heading) && !asked.includes(anchor));

  expect(without.map(({ heading }) => heading)).toEqual([]);
  expect(asked.filter((anchor) => !sections.some((section) => section.anchor === anchor))).toEqual([]);
});
