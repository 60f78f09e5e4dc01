import fc from "fast-check";
import { test } from "vitest";
import { EMPTY_HIERARCHY, toSearchRecord } from "../../records/search-record.ts";
import { buildIndexData } from "../index/build-index-data.ts";
import { type IndexData, readTerms } from "../index/index-format.ts";
import { SharedPages } from "./shared-pages.ts";
import type { Alternatives } from "./word-alternatives.ts";

const WORDS = ["ape", "bee", "cat", "dog"];

/** A page for each list of words, with a record for each word. */
function buildPages(pages: readonly (readonly string[])[]): IndexData {
  const records = pages.flatMap((words, page) => {
    const url = `https://docs.example.org/${page}`;
    const hierarchy = { ...EMPTY_HIERARCHY, lvl0: "Docs", lvl1: `Page ${page}` };
    const head = toSearchRecord({ objectID: url, url, type: "lvl1", hierarchy });
    const texts = words.map((content, at) =>
      toSearchRecord({ objectID: `${url}-${at}`, url: `${url}#${at}`, type: "content", content, hierarchy }),
    );
    return [head, ...texts];
  });
  return buildIndexData({ indexName: "pages", records });
}

function findExactly(data: IndexData, word: string, asPhrase: boolean): Alternatives {
  const term = readTerms(data).indexOf(word);
  const parts = term < 0 ? [] : [term];
  return {
    terms: new Map(asPhrase ? [] : parts.map((number) => [number, 1])),
    phrases: asPhrase && term >= 0 ? [{ parts: [parts], quality: 1 }] : [],
    prefixes: new Map(),
    hints: { terms: new Map(), phrases: [] },
  };
}

test("a page is shared by words exactly when it has each of them in a record that the filter allows", () => {
  const pages = fc.array(fc.uniqueArray(fc.constantFrom(...WORDS)), { minLength: 1, maxLength: 5 });
  const asked = fc.array(fc.tuple(fc.constantFrom(...WORDS), fc.boolean()), { minLength: 1, maxLength: 3 });
  const forbidden = fc.option(fc.constantFrom(...WORDS), { nil: undefined });

  fc.assert(
    fc.property(pages, asked, forbidden, (texts, words, forbiddenWord) => {
      const data = buildPages(texts);
      const allowed = Uint8Array.from(
        texts.flatMap((page) => [1, ...page.map((word) => (word === forbiddenWord ? 0 : 1))]),
      );
      const shared = new SharedPages(data);
      const alternatives = words.map(([word, asPhrase]) => findExactly(data, word, asPhrase));
      const expected = texts.some((page) => words.every(([word]) => page.includes(word) && word !== forbiddenWord));
      // Twice: what one question has marked must not be seen by the next.
      return [1, 2].every(
        () => shared.hasAny(alternatives, forbiddenWord === undefined ? undefined : allowed) === expected,
      );
    }),
    { numRuns: 60 },
  );
});
