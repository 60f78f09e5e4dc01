/** Holds every written page to the style guide: sections of its kind, headings, sentences, words. */
import { describe, expect, test } from "vitest";
import { listWrittenPages, type PageKind } from "./pages.ts";
import { parseText } from "./parse-text.ts";
import { readingGrade } from "./reading-level.ts";
import {
  bannedWords,
  dialect,
  exclamations,
  headingProblems,
  headingsWithoutVerb,
  longSentences,
  MAX_GRADE,
  MAX_MEAN_WORDS,
  MAX_PASSIVE_SHARE,
  meanWords,
  passiveShare,
  poorLinks,
  pronounHeadings,
  titleCaseHeadings,
} from "./style-rules.ts";

const pages = listWrittenPages().map(({ file, kind, source }) => ({
  file,
  kind,
  text: parseText(source, file.endsWith(".mdx") ? "mdx" : "md"),
}));
const onSite = pages.filter(({ kind }) => kind !== "text");

/** Sections that a reader finds on every page of a kind. */
const SECTIONS: Readonly<Record<PageKind, readonly RegExp[]>> = {
  tutorial: [/^Before you begin$/, /^What you have now$/, /^Clean up$/, /^Next steps$/, /^If something went wrong$/],
  guide: [/^Before you begin$/, /^(Verify|Check|Prove)\b/, /^Troubleshooting$/, /^Related$/],
  concept: [/^Next steps$/],
  landing: [],
  faq: [],
  text: [],
};

describe.each(pages)("$file", ({ text }) => {
  test("holds none of the words that promise instead of explain, and no exclamation mark", () => {
    expect(bannedWords(text)).toEqual([]);
    expect(exclamations(text)).toEqual([]);
  });

  test("names the language of every code block", () => {
    expect(text.code.filter(({ language }) => language === "").map(({ line }) => line)).toEqual([]);
  });
});

describe.each(onSite)("$file", ({ kind, text }) => {
  test("has sentences of one thought", () => {
    expect(longSentences(text)).toEqual([]);
    expect(meanWords(text)).toBeLessThanOrEqual(MAX_MEAN_WORDS);
  });

  test("reads well after ten years of school, mostly in the active voice", () => {
    expect(readingGrade(text.sentences.map((sentence) => sentence.text))).toBeLessThanOrEqual(MAX_GRADE);
    expect(passiveShare(text)).toBeLessThanOrEqual(MAX_PASSIVE_SHARE);
  });

  test("has headings in sentence case, each once, with no level left out", () => {
    expect(headingProblems(text)).toEqual([]);
    expect(titleCaseHeadings(text)).toEqual([]);
  });

  test("says who does what, in words that every reader knows", () => {
    expect(dialect(text)).toEqual([]);
  });

  test("says in the words of every link where it leads", () => {
    expect(poorLinks(text)).toEqual([]);
  });

  test("has the front matter that search and previews need", () => {
    const { title, description, keywords } = text.frontMatter;

    expect(String(title).length).toBeLessThanOrEqual(60);
    expect(String(description).length).toBeGreaterThan(70);
    expect(String(description).length).toBeLessThanOrEqual(155);
    expect(keywords).toEqual(expect.arrayContaining([expect.any(String)]));
  });

  test("has the sections of its kind", () => {
    const headings = text.headings.map((heading) => heading.text);

    expect(SECTIONS[kind].filter((wanted) => !headings.some((heading) => wanted.test(heading)))).toEqual([]);
  });
});

describe.each(onSite.filter(({ kind }) => kind === "guide" || kind === "tutorial"))("$file", ({ text }) => {
  test("has headings that say what to do", () => {
    expect(headingsWithoutVerb(text)).toEqual([]);
  });

  test("names the thing in each heading", () => {
    expect(pronounHeadings(text)).toEqual([]);
  });

  test("speaks to the reader", () => {
    expect(text.sentences.some(({ text: sentence }) => /\byou(r|rs)?\b/i.test(sentence))).toBe(true);
  });
});

describe.each(onSite)("$file", ({ text }) => {
  test("says which questions it answers, in words that readers use", () => {
    const questions = (text.frontMatter.questions ?? []) as readonly string[];

    expect(questions.length).toBeGreaterThanOrEqual(4);
    expect(questions.length).toBeLessThanOrEqual(8);
    expect(questions.filter((question) => question.length > 80 || !/^[A-Z][^?]+\?$/.test(question))).toEqual([]);
  });
});

test.each([
  ["Open sessions hear of it.", "receives"],
  ["What is not chosen can be neither seen nor called.", "the thing itself"],
  ["A name that was replaced is no name any more.", "no longer works"],
  ["The server goes on.", "keeps running"],
])("a word of our own is found in %j", (sentence, say) => {
  const text = parseText(`# Title\n\n${sentence}\n`, "md");

  expect(dialect(text)).toEqual([expect.stringContaining(say)]);
});

test("a question, and words that only look alike, are no dialect", () => {
  const text = parseText("# What is allowed?\n\nThe index holds upper bounds, and `shall` is quoted.\n", "md");

  expect(dialect(text)).toEqual([]);
});

test.each(["Look at it", "Put servers into them"])("a pronoun is found in the heading %j", (heading) => {
  expect(pronounHeadings(parseText(`# Title\n\n## ${heading}\n`, "md"))).toHaveLength(1);
});

interface FrontMatter {
  readonly questions?: readonly string[];
  readonly sectionQuestions?: Readonly<Record<string, readonly string[]>>;
}

function listQuestions(frontMatter: FrontMatter): string[] {
  const { questions = [], sectionQuestions = {} } = frontMatter;
  return [...questions, ...Object.values(sectionQuestions).flat()];
}

test.each(onSite)("$file: questions of sections are short, and in words of readers", ({ text }) => {
  const questions = listQuestions(text.frontMatter);

  expect(questions.filter((question) => question.length > 80 || !/^[A-Z][^?]+\?$/.test(question))).toEqual([]);
});

test("no question is answered twice", () => {
  const questions = onSite.flatMap(({ text }) => listQuestions(text.frontMatter));

  expect(questions.filter((question, index) => questions.indexOf(question) !== index)).toEqual([]);
});

test.each(["title", "description"])("every page has a %s of its own", (member) => {
  const values = onSite.map(({ text }) => String(text.frontMatter[member]));

  expect(values.filter((value, index) => values.indexOf(value) !== index)).toEqual([]);
});
