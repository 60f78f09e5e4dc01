/** A page ranks its records as our own index of all pages does, and counts hints of a word, such as "remove" for "delete", as it does. */
import { expect, test } from "vitest";
import { type SearchRecord, toSearchRecord } from "../../records/search-record.ts";
import { buildIndexData } from "../index/build-index-data.ts";
import { type IndexData, readTerms } from "../index/index-format.ts";
import { withDefaults } from "../index-settings.ts";
import { AskedWords, createLexicon, type Lexicon } from "../memory/asked-words.ts";
import { OwnEngine } from "../memory/memory-engine.ts";
import { parseQueryWords } from "../query-words.ts";
import type { EngineQuery } from "../search-engine.ts";
import { PageIndex } from "./page-index.ts";
import { toPageSearch } from "./page-query.ts";

const QUERY: EngineQuery = {
  text: "delete server",
  filter: [],
  facets: [],
  offset: 0,
  limit: 20,
  typoTolerance: true,
  queryType: "prefixNone",
};

function createPage(page: number, title: string): SearchRecord {
  const url = `https://docs.test/${page}`;
  return toSearchRecord({ objectID: String(page), url, type: "lvl1", hierarchy: { lvl1: title } });
}

const RECORDS = [createPage(0, "Delete the server"), createPage(1, "Remove the server")];

function createData(records: readonly SearchRecord[]): IndexData {
  return buildIndexData({ indexName: "docs", records });
}

function describeWords(data: IndexData): Lexicon {
  const { termStart } = data.sections;
  const countUses = (term: number): number => (termStart[term + 1] as number) - (termStart[term] as number);
  return createLexicon(readTerms(data), withDefaults({}).settings, countUses);
}

const lexicon = describeWords(createData(RECORDS));
const asked = new AskedWords(parseQueryWords(QUERY.text, QUERY.queryType), QUERY, lexicon, false);

test("a page that has only a hint of a word does not have every word", () => {
  const answers = RECORDS.map((record) => {
    const page = new PageIndex(createData([record]), { averagePageWords: 3, maxRank: 1 });
    const { terms } = lexicon.vocabulary;
    const statistics = { pageCount: 2, pagesWith: [2, 2] };
    return page.search({ ...asked, terms, filter: [], facets: [], wanted: 20, statistics });
  });

  expect(answers.map((answer) => answer?.hasEveryWord)).toEqual([true, false]);
});

test("a page that lacks a word of the query chooses its records as in the index of all pages", () => {
  const url = "https://docs.test/permissions";
  const section = toSearchRecord({
    objectID: "section",
    url: `${url}#files`,
    type: "lvl2",
    hierarchy: { lvl1: "Permissions", lvl2: "Permissions of files" },
  });
  const head = toSearchRecord({ objectID: "head", url, type: "lvl1", hierarchy: { lvl1: "Permissions" } });
  const data = createData([head, section, createPage(0, "Socket")]);
  const query = { ...QUERY, text: "permissions socket" };
  const words = describeWords(data);
  const page = new PageIndex(createData([head, section]), { averagePageWords: data.meta.averagePageWords, maxRank: 1 });
  const answer = page.search({
    ...new AskedWords(parseQueryWords(query.text, query.queryType), query, words, false),
    terms: words.vocabulary.terms,
    filter: [],
    facets: [],
    wanted: 20,
    statistics: { pageCount: 2, pagesWith: [1, 1] },
  });
  const own = new OwnEngine({ data }).search(query).hits.map(({ record }) => record.objectID);

  expect(answer?.records.map((record) => page.recordAt(record).objectID)).toEqual(own.filter((id) => id !== "0"));
});

test("the pages that have a hint of a word are counted among those that have it, and not among those with every word", () => {
  const { terms } = lexicon.vocabulary;
  const { alternatives } = asked;
  const search = toPageSearch({ alternatives, terms, filter: [], rankFactor: 1, maxRank: 1, size: 20 });
  const { aggs } = search as { aggs: Readonly<Record<string, object>> };

  expect(JSON.stringify(aggs.word0)).toContain('"remove"');
  expect(JSON.stringify(aggs.every)).not.toContain('"remove"');
});
