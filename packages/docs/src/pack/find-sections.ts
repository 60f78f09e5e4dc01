/**
 * Where the sections of a page begin in its Markdown. The Markdown has no anchors; the search's records of the same page
 * have them, in the same order.
 */
import { HIERARCHY_LEVELS, type SearchRecord } from "@toolhive/search/offline";
import type { DocsSection } from "./docs-content.ts";

interface Line {
  readonly text: string;
  readonly start: number;
}

const FENCE = /^[\s>]*(`{3,}|~{3,})/;
const HEADING = /^#{1,6} (.+)$/;
/** A closed `details` is a section of its own, headed by a paragraph in bold. */
const BOLD_LINE = /^[\s>]*\*\*(.+)\*\*$/;

/**
 * @param records Of one page, in their order.
 * @returns In the page's order, the page itself first. A heading that the Markdown does not contain is omitted.
 */
export function findSections(markdown: string, records: readonly SearchRecord[]): DocsSection[] {
  const [first] = records;
  const ofPage = records.find(({ type }) => type === "lvl1");
  const sections: DocsSection[] = [
    { anchor: null, title: first?.hierarchy.lvl1 ?? "", level: 1, start: 0, ...readQuestions(ofPage) },
  ];
  const candidates = listHeadings(markdown);
  let next = 0;
  for (const record of records) {
    const { type, hierarchy, anchor } = record;
    if (type === "content" || type === "lvl0" || type === "lvl1") continue;
    const title = hierarchy[type] ?? "";
    const wanted = reduce(title);
    const at = candidates.findIndex(({ text }, index) => index >= next && reduce(text) === wanted);
    if (at < 0) continue;
    next = at + 1;
    const level = HIERARCHY_LEVELS.indexOf(type);
    sections.push({ anchor, title, level, start: candidates[at]?.start ?? 0, ...readQuestions(record) });
  }
  return sections;
}

function readQuestions(record: SearchRecord | undefined): Pick<DocsSection, "questions"> {
  const questions = record?.questions;
  return Array.isArray(questions) && questions.length > 0 ? { questions: questions.map(String) } : {};
}

/** The lines that may head a section: not those of code. */
function listHeadings(markdown: string): Line[] {
  const found: Line[] = [];
  let fence: string | undefined;
  let start = 0;
  for (const line of markdown.split("\n")) {
    const [, mark] = FENCE.exec(line) ?? [];
    if (mark !== undefined && (fence === undefined || mark.startsWith(fence))) {
      fence = fence === undefined ? mark : undefined;
    } else if (fence === undefined) {
      const text = HEADING.exec(line)?.[1] ?? BOLD_LINE.exec(line)?.[1];
      if (text !== undefined) found.push({ text, start });
    }
    start += line.length + 1;
  }
  return found;
}

/** Letters and digits of a heading, without the marks of Markdown. */
function reduce(heading: string): string {
  return heading
    .replace(/\]\([^)]*\)/g, "")
    .replace(/[^\p{L}\p{N}]/gu, "")
    .toLowerCase();
}
