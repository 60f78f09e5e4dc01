import { describe, expect, test } from "vitest";
import type { TermMatch } from "../engine/search-engine.ts";
import { type HighlightOptions, highlight, snippet } from "./highlight.ts";

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
    const { value } = highlight(`<img src=x onerror="run()"> & run`, optionsFor("run"));

    expect(value).toBe("&lt;img src=x onerror=&quot;<mark>run</mark>()&quot;&gt; &amp; <mark>run</mark>");
  });

  test("markup inside a match is escaped too", () => {
    expect(highlight("a <b> c", optionsFor("b")).value).toBe("a &lt;<mark>b</mark>&gt; c");
  });

  test("a beginning marks what was typed, a whole word all of it", () => {
    expect(highlight("Secrets management", optionsFor("secrets", "management*4")).value).toBe(
      "<mark>Secrets</mark> <mark>mana</mark>gement",
    );
  });

  test("marks of a compound and its parts do not overlap", () => {
    expect(highlight("thv config set-ca-cert", optionsFor("setcacert", "ca")).value).toBe(
      "thv config <mark>set-ca-cert</mark>",
    );
  });

  test("a beginning in a word that folding lengthens marks all of the word", () => {
    expect(highlight("Straße", optionsFor("strasse*4")).value).toBe("<mark>Straße</mark>");
  });

  test.each([
    ["run the server", "full", false],
    ["run", "partial", true],
    ["nothing", "none", undefined],
  ])("%j has match level %s", (text, level, isComplete) => {
    const { matchLevel, fullyHighlighted } = highlight(text, optionsFor("run", "server"));

    expect([matchLevel, fullyHighlighted]).toEqual([level, isComplete]);
  });
});

describe("snippet", () => {
  const text = "one two three four five six seven eight nine ten eleven twelve";

  test("keeps at most the asked words around the match, with an ellipsis on each cut side", () => {
    const { value } = snippet(text, 5, "…", optionsFor("seven"));

    expect(value).toBe("…five six <mark>seven</mark> eight nine…");
  });

  test("has no ellipsis where nothing was cut", () => {
    expect(snippet(text, 5, "…", optionsFor("one")).value).toMatch(/^<mark>one<\/mark> .*…$/);
    expect(snippet(text, 5, "…", optionsFor("twelve")).value).toMatch(/^….*<mark>twelve<\/mark>$/);
    expect(snippet("short text", 5, "…", optionsFor("text")).value).toBe("short <mark>text</mark>");
  });

  test("prefers the place with most different words of the query", () => {
    const scattered = `secret ${"filler ".repeat(20)} store a secret safely ${"filler ".repeat(20)}`;

    expect(snippet(scattered, 6, "…", optionsFor("secret", "store")).value).toContain(
      "<mark>store</mark> a <mark>secret</mark>",
    );
  });

  test("without a match shows the beginning", () => {
    const { value, matchLevel } = snippet(text, 3, "...", optionsFor("absent"));

    expect([value, matchLevel]).toEqual(["one two three...", "none"]);
  });

  test("zero words give an empty snippet", () => {
    expect(snippet(text, 0, "…", optionsFor("one")).value).toBe("");
  });
});
