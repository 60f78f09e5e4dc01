/** The questions that generated pages answer, for the search: their front matter is written here and not by hand. */
import type { GeneratedPage } from "./cli-pages.ts";
import { PAGE_QUESTIONS } from "./data/page-questions.ts";

const LAST_LINE = "custom_edit_url: null\n";

export function withQuestions(page: GeneratedPage): GeneratedPage {
  const questions = PAGE_QUESTIONS[page.path.replace(/\.mdx$/, "")];
  if (questions === undefined) return page;
  return { ...page, content: page.content.replace(LAST_LINE, `questions: ${JSON.stringify(questions)}\n${LAST_LINE}`) };
}
