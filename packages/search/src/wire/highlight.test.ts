import { describe, expect, test } from "vitest";
import type { TermMatch } from "../engine/search-engine.ts";
import { type HighlightedText, Highlighter, type HighlightOptions } from "./highlight.ts";

/** Matches whole terms, or the beginning of those written `term*length`. */
function optionsFor(...terms: string[]): HighlightOptions {
  const matches = new Map<string, TermMatch>(
    terms.map((term, word) => {
      const [text = "", length] = term.split("*");
      return [text, { word, prefixLength: length === undefined ? undefined : Number(length) }];
    }),
  );
  return { words: terms, matchTerm: (term) => matches.get(term), preTag: "<mark>", postTag: "</mark>" };
}

function highlight(options: HighlightOptions, text: string): HighlightedText {
  const highlighter = new Highlighter(options);
  return highlighter.highlight(highlighter.mark(text));
}

function snippet(options: HighlightOptions, text: string, maxWords: number, ellipsis: string): HighlightedText {
  const highlighter = new Highlighter(options);
  return highlighter.snippet(highlighter.mark(text), maxWords, ellipsis);
}

describe("highlight", () => {
  test("marks matches and escapes everything else", () => {
    const { value } = highlight(optionsFor("run"), `<img src=x onerror="run()"> & run`);

    expect(value).toBe("&lt;img src=x onerror=&quot;<mark>run</mark>()&quot;&gt; &amp; <mark>run</mark>");
  });

  test("markup inside a match is escaped too", () => {
    expect(highlight(optionsFor("b"), "a <b> c").value).toBe("a &lt;<mark>b</mark>&gt; c");
  });

  test("a beginning marks what was typed, a whole word all of it", () => {
    expect(highlight(optionsFor("secrets", "management*4"), "Secrets management").value).toBe(
      "<mark>Secrets</mark> <mark>mana</mark>gement",
    );
  });

  test("marks of a compound and its parts do not overlap", () => {
    expect(highlight(optionsFor("setcacert", "ca"), "thv config set-ca-cert").value).toBe(
      "thv config <mark>set-ca-cert</mark>",
    );
  });

  test("a beginning in a word that folding lengthens marks all of the word", () => {
    expect(highlight(optionsFor("strasse*4"), "Straße").value).toBe("<mark>Straße</mark>");
  });

  test.each([
    ["run the server", "full", false],
    ["run", "partial", true],
    ["nothing", "none", false],
  ])("%j has match level %s", (text, level, isComplete) => {
    const { matchLevel, isComplete: isAll } = highlight(optionsFor("run", "server"), text);

    expect([matchLevel, isAll]).toEqual([level, isComplete]);
  });
});

describe("snippet", () => {
  const text = "one two three four five six seven eight nine ten eleven twelve";

  test("keeps at most the asked words around the match, with an ellipsis on each cut side", () => {
    const { value } = snippet(optionsFor("seven"), text, 5, "…");

    expect(value).toBe("…five six <mark>seven</mark> eight nine…");
  });

  test("has no ellipsis where nothing was cut", () => {
    expect(snippet(optionsFor("one"), text, 5, "…").value).toMatch(/^<mark>one<\/mark> .*…$/);
    expect(snippet(optionsFor("twelve"), text, 5, "…").value).toMatch(/^….*<mark>twelve<\/mark>$/);
    expect(snippet(optionsFor("text"), "short text", 5, "…").value).toBe("short <mark>text</mark>");
  });

  test("prefers the place with most different words of the query", () => {
    const scattered = `secret ${"filler ".repeat(20)} store a secret safely ${"filler ".repeat(20)}`;

    expect(snippet(optionsFor("secret", "store"), scattered, 6, "…").value).toContain(
      "<mark>store</mark> a <mark>secret</mark>",
    );
  });

  test("without a match shows the beginning", () => {
    const { value, matchLevel } = snippet(optionsFor("absent"), text, 3, "...");

    expect([value, matchLevel]).toEqual(["one two three...", "none"]);
  });

  test("a snippet of half a long text costs the processor little more than one of ten words", () => {
    const long = "alpha beta gamma delta ".repeat(5_000);
    const measureTime = (words: number): number => {
      const before = process.cpuUsage();
      snippet(optionsFor("gamma"), long, words, "…");
      const { user, system } = process.cpuUsage(before);
      return user + system;
    };
    // The least of several: garbage collection and other work on the machine only ever add to a measurement.
    const measureLeast = (words: number): number => Math.min(...Array.from({ length: 9 }, () => measureTime(words)));
    measureLeast(10_000);

    expect(measureLeast(10_000) / measureLeast(10)).toBeLessThan(25);
  });

  test("zero words give an empty snippet", () => {
    expect(snippet(optionsFor("one"), text, 0, "…").value).toBe("");
  });
});
