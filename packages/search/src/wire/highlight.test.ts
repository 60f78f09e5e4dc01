import { describe, expect, test } from "vitest";
import type { TermMatch } from "../engine/search-engine.ts";
import { Highlighter, type HighlightOptions } from "./highlight.ts";

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

describe("highlight", () => {
  test("marks matches and escapes everything else", () => {
    const { value } = new Highlighter(optionsFor("run")).highlight(`<img src=x onerror="run()"> & run`);

    expect(value).toBe("&lt;img src=x onerror=&quot;<mark>run</mark>()&quot;&gt; &amp; <mark>run</mark>");
  });

  test("markup inside a match is escaped too", () => {
    expect(new Highlighter(optionsFor("b")).highlight("a <b> c").value).toBe("a &lt;<mark>b</mark>&gt; c");
  });

  test("a beginning marks what was typed, a whole word all of it", () => {
    expect(new Highlighter(optionsFor("secrets", "management*4")).highlight("Secrets management").value).toBe(
      "<mark>Secrets</mark> <mark>mana</mark>gement",
    );
  });

  test("marks of a compound and its parts do not overlap", () => {
    expect(new Highlighter(optionsFor("setcacert", "ca")).highlight("thv config set-ca-cert").value).toBe(
      "thv config <mark>set-ca-cert</mark>",
    );
  });

  test("a beginning in a word that folding lengthens marks all of the word", () => {
    expect(new Highlighter(optionsFor("strasse*4")).highlight("Straße").value).toBe("<mark>Straße</mark>");
  });

  test.each([
    ["run the server", "full", false],
    ["run", "partial", true],
    ["nothing", "none", false],
  ])("%j has match level %s", (text, level, isComplete) => {
    const { matchLevel, isComplete: isAll } = new Highlighter(optionsFor("run", "server")).highlight(text);

    expect([matchLevel, isAll]).toEqual([level, isComplete]);
  });
});

describe("snippet", () => {
  const text = "one two three four five six seven eight nine ten eleven twelve";

  test("keeps at most the asked words around the match, with an ellipsis on each cut side", () => {
    const { value } = new Highlighter(optionsFor("seven")).snippet(text, 5, "…");

    expect(value).toBe("…five six <mark>seven</mark> eight nine…");
  });

  test("has no ellipsis where nothing was cut", () => {
    expect(new Highlighter(optionsFor("one")).snippet(text, 5, "…").value).toMatch(/^<mark>one<\/mark> .*…$/);
    expect(new Highlighter(optionsFor("twelve")).snippet(text, 5, "…").value).toMatch(/^….*<mark>twelve<\/mark>$/);
    expect(new Highlighter(optionsFor("text")).snippet("short text", 5, "…").value).toBe("short <mark>text</mark>");
  });

  test("prefers the place with most different words of the query", () => {
    const scattered = `secret ${"filler ".repeat(20)} store a secret safely ${"filler ".repeat(20)}`;

    expect(new Highlighter(optionsFor("secret", "store")).snippet(scattered, 6, "…").value).toContain(
      "<mark>store</mark> a <mark>secret</mark>",
    );
  });

  test("without a match shows the beginning", () => {
    const { value, matchLevel } = new Highlighter(optionsFor("absent")).snippet(text, 3, "...");

    expect([value, matchLevel]).toEqual(["one two three...", "none"]);
  });

  test("zero words give an empty snippet", () => {
    expect(new Highlighter(optionsFor("one")).snippet(text, 0, "…").value).toBe("");
  });
});
