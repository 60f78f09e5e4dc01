/** The questions that generated pages answer, for the search: their front matter is written here and not by hand. */
import type { GeneratedPage } from "./cli-pages.ts";
import data from "./data/page-questions.json" with { type: "json" };

/** By the page's path without its extension. */
export const PAGE_QUESTIONS: Readonly<Record<string, readonly string[]>> = data.pages;
/** By the page's path, then by the section's anchor. */
export const SECTION_QUESTIONS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = data.sections;

const LAST_LINE = "custom_edit_url: null\n";

export function withQuestions(page: GeneratedPage): GeneratedPage {
  const name = page.path.replace(/\.mdx$/, "");
  const questions = PAGE_QUESTIONS[name] ?? page.questions ?? [];
  const ofSections: Record<string, readonly string[]> = { ...SECTION_QUESTIONS[name] };
  for (const [anchor, made] of Object.entries(page.sectionQuestions ?? {})) {
    ofSections[anchor] = [...(ofSections[anchor] ?? []), ...made];
  }
  const lines = [
    ...(questions.length === 0 ? [] : [`questions: ${JSON.stringify(questions)}\n`]),
    ...(Object.keys(ofSections).length === 0 ? [] : [`sectionQuestions: ${JSON.stringify(ofSections)}\n`]),
  ];
  return { ...page, content: page.content.replace(LAST_LINE, `${lines.join("")}${LAST_LINE}`) };
}
