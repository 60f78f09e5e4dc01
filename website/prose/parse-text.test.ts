import { describe, expect, test } from "vitest";
import { parseText, splitSentences } from "./parse-text.ts";
import { countSyllables, readingGrade } from "./reading-level.ts";
import { bannedWords, headingsWithoutVerb, longSentences, passiveShare, titleCaseHeadings } from "./style-rules.ts";

const text = (...lines: string[]) => parseText(lines.join("\n"));

describe("parseText", () => {
  test("reads headings, sentences, links and blocks with their lines", () => {
    const page = text(
      "---",
      "title: A",
      "---",
      "",
      "## Run it {#run}",
      "",
      "One `a. b` [two](./c.mdx). Three.",
      "",
      "```bash run",
      "x",
      "```",
    );

    expect(page.frontMatter).toEqual({ title: "A" });
    expect(page.headings).toEqual([{ level: 2, text: "Run it", line: 5 }]);
    expect(page.sentences.map((sentence) => sentence.text)).toEqual(["One `a·b` two.", "Three."]);
    expect(page.links).toEqual([{ url: "./c.mdx", text: "two", line: 7 }]);
    expect(page.code).toEqual([{ language: "bash", meta: "run", content: "x", line: 9 }]);
  });

  test("reads what components and admonitions hold", () => {
    const page = text("<Steps>", "", "## Go", "", ":::note", "", "Inside.", "", ":::", "", "</Steps>");

    expect(page.components).toContain("Steps");
    expect(page.sentences.map((sentence) => sentence.text)).toEqual(["Inside."]);
  });
});

test.each([
  ["One. Two? Three", ["One.", "Two?", "Three"]],
  ["Version 0.1.9 is out. It works.", ["Version 0.1.9 is out.", "It works."]],
  ["See thv.mjs for it.", ["See thv.mjs for it."]],
  ["One. `--all` adds more.", ["One.", "`--all` adds more."]],
])("%s is cut where sentences end", (source, sentences) => {
  expect(splitSentences(source)).toEqual(sentences);
});

test.each([
  ["it", 1],
  ["server", 2],
  ["container", 3],
  ["make", 1],
])("%s has %i syllables", (word, count) => {
  expect(countSyllables(word)).toBe(count);
});

test("long words in long sentences are a higher grade", () => {
  expect(readingGrade(["The cat sat on the mat."])).toBeLessThan(
    readingGrade(["Organizational considerations necessitate institutional authorization procedures beforehand."]),
  );
});

describe("the rules", () => {
  test("find a banned word, a long sentence and a passive one", () => {
    const page = text(`You simply run it. The file is written. Many ${"word ".repeat(40)}end.`);

    expect(bannedWords(page)).toEqual(['line 1: "simply"']);
    expect(longSentences(page)).toHaveLength(1);
    expect(passiveShare(page)).toBeCloseTo(1 / 3);
  });

  test("find a heading in title case and one without a verb, and leave names alone", () => {
    const page = text("## Run The Server", "", "## Connect to Claude Code", "", "## The server");

    expect(titleCaseHeadings(page)).toEqual(["line 1: Run The Server"]);
    expect(headingsWithoutVerb(page)).toEqual(["line 5: The server"]);
  });
});
