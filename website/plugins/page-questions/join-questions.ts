/** The questions in a page's front matter as the search reads them. */

/**
 * @param frontMatter `questions` are those of the page, `sectionQuestions` those of its sections, by their anchors.
 * @returns `text` has the questions of the page, then those of each section behind its `#anchor`; `""` when there are none. `rest`
 *   is the front matter without them.
 */
export function joinQuestions({ questions, sectionQuestions, ...rest }: Readonly<Record<string, unknown>>): {
  readonly text: string;
  readonly rest: Record<string, unknown>;
} {
  const ofSections = Object.entries(sectionQuestions ?? {}).map(
    ([anchor, asked]: [string, unknown]) => `#${anchor} ${listTexts(asked).join(" ")}`,
  );
  return { text: [...listTexts(questions), ...ofSections].join(" "), rest };
}

function listTexts(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
