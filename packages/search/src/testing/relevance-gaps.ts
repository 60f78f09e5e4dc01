/**
 * Why a graded query is not answered as well as it could be: the wanted page is not written, it does not say what was asked,
 * or it does and other pages come before it. Only the last is a matter of ranking.
 */
import { buildIndexData } from "../engine/index/build-index-data.ts";
import { OwnEngine } from "../engine/memory/memory-engine.ts";
import { parseQueryWords } from "../engine/query-words.ts";
import type { SearchRecord } from "../records/search-record.ts";
import { dcg, GOOD_GRADE, type GradedQuery, listFoundPages, mapGrades } from "./relevance.ts";

export interface WantedPage {
  readonly route: string;
  readonly grade: number;
  /** 1 for the first page found; undefined when it is not among the first 20 hits. */
  readonly rank: number | undefined;
  /** Words of the query that the page does not have in any form; undefined when there is no such page. */
  readonly lacks: readonly string[] | undefined;
}

export interface Gap {
  readonly query: GradedQuery;
  /** `ranking` when the pages that say what was asked are not in the best order. */
  readonly kind: "page missing" | "text missing" | "ranking";
  readonly ndcg10: number;
  /** The same with pages that are missing, or that lack a word of the query, left out of the best order. */
  readonly reachedNdcg10: number;
  /** Pages with a good grade. */
  readonly wanted: readonly WantedPage[];
  /** The first pages that were found. */
  readonly found: readonly string[];
}

/** Above this the order is the best one. */
const PERFECT = 0.999;

/** The queries whose order of pages is not the best one, in the order of the set. */
export function findGaps(queries: readonly GradedQuery[], records: readonly SearchRecord[], segment: string): Gap[] {
  const engine = createEngine(records);
  const byPage = new Map<string, SearchRecord[]>();
  for (const record of records) {
    const [page = ""] = listFoundPages([record.url]);
    byPage.set(page, [...(byPage.get(page) ?? []), record]);
  }
  const engines = new Map([...byPage].map(([page, ofPage]) => [page, createEngine(ofPage)]));

  const gaps: Gap[] = [];
  for (const query of queries) {
    const found = listFoundPages(findUrls(engine, query.query));
    const grades = mapGrades(query, segment);
    const pages = [...grades].map(([route, grade]): WantedPage => {
      const own = engines.get(route);
      const at = found.indexOf(route);
      const lacks = own === undefined ? undefined : lackedWords(own, query.query);
      return { route, grade, rank: at < 0 ? undefined : at + 1, lacks };
    });
    const gained = dcg(found.map((page) => grades.get(page) ?? 0));
    const best = (of: readonly WantedPage[]): number => dcg(of.map(({ grade }) => grade).sort((a, b) => b - a));
    const ndcg10 = gained / best(pages);
    if (ndcg10 > PERFECT) continue;
    const reachable = best(pages.filter(({ lacks }) => lacks?.length === 0));
    const reachedNdcg10 = reachable === 0 ? 1 : Math.min(1, gained / reachable);
    const wanted = pages.filter(({ grade }) => grade >= GOOD_GRADE);
    const hasMissing = wanted.some(({ lacks }) => lacks === undefined);
    const kind = reachedNdcg10 < PERFECT ? "ranking" : hasMissing ? "page missing" : "text missing";
    gaps.push({ query, kind, ndcg10, reachedNdcg10, wanted, found: found.slice(0, 5) });
  }
  return gaps;
}

function createEngine(records: readonly SearchRecord[]): OwnEngine {
  return new OwnEngine({ data: buildIndexData({ indexName: "gaps", records }) });
}

/** Urls of the first 20 hits, as the modal asks. */
export function findUrls(engine: OwnEngine, text: string): string[] {
  const fixed = { filter: [], facets: [], offset: 0, limit: 20, typoTolerance: true } as const;
  return engine.search({ text, queryType: "prefixLast", ...fixed }).hits.map(({ record }) => record.url);
}

function lackedWords(page: OwnEngine, text: string): string[] {
  return parseQueryWords(text, "prefixLast")
    .map(({ label }) => label)
    .filter((word) => findUrls(page, word).length === 0);
}
