/** The questions that generated pages answer, for the search: their front matter is written here and not by hand. */
import type { GeneratedPage } from "./cli-pages.ts";
import data from "./data/page-questions.json" with { type: "json" };

/** By the page's path without its extension. */
export const PAGE_QUESTIONS: Readonly<Record<string, readonly string[]>> = data.pages;

const LAST_LINE = "custom_edit_url: null\n";

export function withQuestions(page: GeneratedPage): GeneratedPage {
  const questions = PAGE_QUESTIONS[page.path.replace(/\.mdx$/, "")] ?? page.questions ?? [];
  if (questions.length === 0) return page;
  return { ...page, content: page.content.replace(LAST_LINE, `questions: ${JSON.stringify(questions)}\n${LAST_LINE}`) };
}
