/** Each section of a guide, a concept, a tutorial and the FAQ says which questions of readers it answers, or the search does not find it in their words. */
import { expect, test } from "vitest";
import { listWrittenPages } from "./pages.ts";
import { parseText } from "./parse-text.ts";

/** Sections that stand on every page, with nothing of their own that a reader searches for. */
const FRAMES = /^(?:Before you begin|Verify|Clean up|Troubleshooting|If something went wrong|Related|Next steps)$/;
/** Headings of the FAQ that only hold its questions together. */
const SHELVES = /^(?:About|Servers|Clients|Security and privacy|At work|Getting help)$/;

const ASKED: ReadonlySet<string> = new Set(["guide", "concept", "tutorial", "faq"]);

const pages = listWrittenPages()
  .filter(({ kind, file }) => ASKED.has(kind) && file.endsWith(".mdx"))
  .map(({ file, kind, source }) => ({ file, kind, source, text: parseText(source, "mdx") }));

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

test.each(pages)("$file: each section has a question", ({ kind, source, text }) => {
  const asked = Object.keys((text.frontMatter.sectionQuestions ?? {}) as Readonly<Record<string, unknown>>);
  const sections = listSections(source);
  const isExempt = (heading: string): boolean => FRAMES.test(heading) || (kind === "faq" && SHELVES.test(heading));
  const without = sections.filter(({ anchor, heading }) => !isExempt(heading) && !asked.includes(anchor));

  expect(without.map(({ heading }) => heading)).toEqual([]);
  expect(asked.filter((anchor) => !sections.some((section) => section.anchor === anchor))).toEqual([]);
});

/** Their headings are messages, which nobody types who only knows what goes wrong. */
test.each(pages.filter(({ kind, source }) => kind === "guide" && /^## Troubleshooting/m.test(source)))(
  "$file: Troubleshooting says in questions what goes wrong",
  ({ text }) => {
    const asked = (text.frontMatter.sectionQuestions ?? {}) as Readonly<Record<string, readonly string[]>>;

    expect(asked.troubleshooting ?? []).not.toEqual([]);
  },
);
