/** What holds for any text: nothing is lost, nothing is executed, nothing throws. */
import { escapeHtml } from "@toolhive/http/values";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { buildIndexData } from "./engine/index/build-index-data.ts";
import { decodeIndex, encodeIndex } from "./engine/index/index-format.ts";
import { OwnEngine } from "./engine/memory/memory-engine.ts";
import { parseHtml } from "./records/html-tree.ts";
import { readPage } from "./records/read-page.ts";
import { EMPTY_HIERARCHY, toSearchRecord } from "./records/search-record.ts";
import { editDistance } from "./text/edit-distance.ts";
import { tokenize } from "./text/tokenize.ts";
import { unescapeHtml } from "./wire/escape.ts";
import { parseFacetFilters, parseFilters } from "./wire/filters.ts";
import { Highlighter } from "./wire/highlight.ts";
import { WireError } from "./wire/wire-error.ts";

/** Any text, with letters, dashes, markup and broken surrogates more often than chance brings them. */
const anyText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 200 }),
  fc.string({
    unit: fc.constantFrom("a", "B", "é", "ß", "-", "_", ".", " ", "<", ">", "&", '"', "1", "容", "\ud83d", "‍"),
    maxLength: 80,
  }),
);
const word = fc.string({ unit: fc.constantFrom("a", "b", "c", "d", "e"), minLength: 1, maxLength: 9 });

describe("tokenize", () => {
  test.each([
    ["\uff9e", 0],
    ["\uff76\uff9e", 1],
    ["a\uff9f", 1],
  ])("a sound mark that is a letter to Unicode is no word by itself: %j", (text, words) => {
    const terms: string[] = [];

    expect(tokenize(text, (term) => void terms.push(term))).toBe(words);
    expect(terms.every((term) => term.length > 0)).toBe(true);
  });

  test("offsets are in order within the text, and positions never go back", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        let last = -1;
        const end = tokenize(text, (term, start, stop, position) => {
          expect(term.length).toBeGreaterThan(0);
          expect(start).toBeGreaterThanOrEqual(0);
          expect(stop).toBeGreaterThan(start);
          expect(stop).toBeLessThanOrEqual(text.length);
          expect(position).toBeGreaterThanOrEqual(last);
          last = position;
        });
        expect(end).toBe(last + 1);
      }),
    );
  });
});

describe("highlight and snippet", () => {
  const highlighter = new Highlighter({
    words: ["any"],
    matchTerm: (term: string) =>
      term.length % 2 === 0 ? { word: 0, prefixLength: term.length > 2 ? 2 : undefined } : undefined,
    preTag: "⟦",
    postTag: "⟧",
  });

  test("without its tags a highlight is the escaped text", () => {
    fc.assert(
      fc.property(
        anyText.filter((text) => !/[⟦⟧]/.test(text)),
        (text) => {
          const { value } = highlighter.highlight(highlighter.mark(text));

          expect(value.replace(/[⟦⟧]/g, "")).toBe(escapeHtml(text));
          expect(value).not.toMatch(/⟦[^⟧]*⟦|⟧[^⟦]*⟧/);
        },
      ),
    );
  });

  test("a snippet has at most the asked words and no markup of the text", () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 1, max: 12 }), (text, words) => {
        const { value } = highlighter.snippet(highlighter.mark(text), words, "…");

        expect(value).not.toMatch(/[<>"]/);
        expect(unescapeHtml(value).match(/\S*[\p{L}\p{N}]\S*/gu)?.length ?? 0).toBeLessThanOrEqual(words);
      }),
    );
  });

  test("unescaping undoes escaping", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(unescapeHtml(escapeHtml(text))).toBe(text);
      }),
    );
  });
});

describe("editDistance", () => {
  test("is 0 for equal words and never below the difference in length", () => {
    fc.assert(
      fc.property(word, word, (a, b) => {
        const distance = editDistance(a, b, 3);

        expect(editDistance(a, a, 3)).toBe(0);
        expect(distance === 0).toBe(a === b);
        expect(distance).toBeGreaterThanOrEqual(Math.min(4, Math.abs(a.length - b.length)));
      }),
    );
  });

  test("one mistake is found as one when the first letter is right", () => {
    fc.assert(
      fc.property(word, fc.nat(), fc.constantFrom("insert", "delete", "swap"), (base, chance, mistake) => {
        const at = 1 + (chance % base.length);
        const typed =
          mistake === "insert"
            ? `${base.slice(0, at)}z${base.slice(at)}`
            : mistake === "delete"
              ? base.slice(0, at) + base.slice(at + 1)
              : base.slice(0, at) + base.charAt(at + 1) + base.charAt(at) + base.slice(at + 2);

        expect(editDistance(typed, base, 2)).toBeLessThanOrEqual(1);
      }),
    );
  });
});

describe("filters", () => {
  test("any text is understood or refused with 400", () => {
    const attempt = (parse: () => unknown): void => {
      try {
        parse();
      } catch (error) {
        expect(error).toBeInstanceOf(WireError);
        expect((error as WireError).status).toBe(400);
      }
    };
    fc.assert(
      fc.property(fc.oneof(anyText, fc.jsonValue()), (given) => {
        attempt(() => parseFacetFilters(given));
        attempt(() => parseFilters(given));
      }),
    );
  });
});

describe("the index", () => {
  const createPage = (texts: readonly string[]) =>
    texts.map((text, at) =>
      toSearchRecord({
        objectID: String(at),
        url: `https://x.test/${at}`,
        type: at % 2 === 0 ? "lvl1" : "content",
        content: text,
        hierarchy: { ...EMPTY_HIERARCHY, lvl1: `Title ${text.slice(0, 20)}` },
      }),
    );
  const createEngine = (texts: readonly string[]): OwnEngine =>
    new OwnEngine({
      data: decodeIndex(Buffer.concat(encodeIndex(buildIndexData({ indexName: "x", records: createPage(texts) })))),
    });

  test("gives back every record as it was", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "grapheme", maxLength: 60 }), { maxLength: 8 }), (texts) => {
        const engine = createEngine(texts);

        expect(createPage(texts).map((_, at) => engine.recordAt(at))).toEqual(
          JSON.parse(JSON.stringify(createPage(texts))),
        );
      }),
    );
  });

  test("answers any query with at most the asked hits, all different", () => {
    const engine = createEngine([
      "run a server",
      "--secret and set-ca-cert",
      "MCPServerSpec é ß",
      "",
      "<b>bold</b> 8080",
    ]);
    fc.assert(
      fc.property(fc.oneof(anyText, word), fc.nat({ max: 4 }), (text, limit) => {
        const query = {
          text,
          filter: [],
          facets: ["type"],
          offset: 0,
          limit,
          typoTolerance: true,
          queryType: "prefixLast",
        } as const;
        const { hits, total } = engine.search(query);

        expect(hits.length).toBe(Math.min(limit, total));
        expect(new Set(hits.map(({ record }) => record.url)).size).toBe(hits.length);
      }),
    );
  });

  test("finds every word of a text by the word itself", () => {
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 12 }), (words) => {
        const engine = createEngine([words.join(" ")]);
        for (const text of words) {
          const query = {
            text,
            filter: [],
            facets: [],
            offset: 0,
            limit: 5,
            typoTolerance: false,
            queryType: "prefixNone",
          } as const;
          expect(engine.search(query).total).toBeGreaterThan(0);
        }
      }),
    );
  });
});

describe("readPage", () => {
  test("any markup is read without throwing, and its records hold no zero-width characters", () => {
    const markup = fc.array(
      fc.oneof(
        anyText,
        fc.constantFrom(
          "<h2 id=a>",
          "</h2>",
          "<p>",
          "<table><tr><td>",
          "<pre><code>",
          "<details>",
          "<!--",
          "<li id=x>",
          "<article>",
        ),
      ),
      { maxLength: 20 },
    );
    fc.assert(
      fc.property(markup, (pieces) => {
        const html = `<html><body><main><h1>Title</h1>${pieces.join("")}`;
        const records = readPage({ document: parseHtml(html), path: "/x", siteUrl: "https://x.test" });

        for (const { content, hierarchy } of records)
          expect(`${content}${hierarchy.lvl2}`).not.toMatch(/[\u200b\u2060\ufeff]/);
      }),
    );
  });
});
