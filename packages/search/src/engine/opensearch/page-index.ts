/** One page's part of our own index: ranks its records for a query whose words were looked up in the words of all pages. */

import type { SearchRecord } from "../../records/search-record.ts";
import { decodeRecord, type IndexData, NO_RECORD, readTerms } from "../index/index-format.ts";
import { CandidateRanker, type Ranking } from "../memory/candidates.ts";
import { FacetColumns } from "../memory/facet-columns.ts";
import { type CorpusStatistics, MatchTable } from "../memory/match-table.ts";
import type { Alternatives, Meanings } from "../memory/word-alternatives.ts";
import type { QueryKind } from "../query-words.ts";
import type { FacetFilter } from "../search-engine.ts";

export interface PageSearch {
  readonly kind: QueryKind;
  readonly saysProblem: boolean;
  readonly alternatives: readonly Alternatives[];
  /** Terms of the vocabulary of all pages by their numbers. */
  readonly terms: readonly string[];
  readonly filter: FacetFilter;
  readonly sizes: readonly number[];
  readonly weights: readonly number[];
  readonly querySum: number;
  readonly statistics: CorpusStatistics;
  readonly wanted: number;
  readonly facets: readonly string[];
}

/** A page's answer: undefined records when nothing of the page passes. */
export interface PageAnswer {
  readonly score: number;
  readonly hasEveryWord: boolean;
  /** Best first. */
  readonly records: readonly number[];
  readonly total: number;
  readonly facets: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

export class PageIndex {
  readonly data: IndexData;
  readonly #numbers: ReadonlyMap<string, number>;
  readonly #facets: FacetColumns;
  readonly #table: MatchTable;
  readonly #ranker: CandidateRanker;

  /**
   * @param part The page's part, as it was encoded.
   * @param corpus Of all pages: what their words and priors are compared with.
   */
  constructor(part: IndexData, corpus: { readonly averagePageWords: number; readonly maxRank: number }) {
    this.data = { ...part, meta: { ...part.meta, averagePageWords: corpus.averagePageWords } };
    this.#numbers = new Map(readTerms(part).map((text, number) => [text, number]));
    this.#facets = new FacetColumns(this.data);
    this.#table = new MatchTable(this.data);
    this.#ranker = new CandidateRanker(this.data, this.#table, corpus.maxRank);
  }

  /** The page's own record when a filter accepts it. */
  headRecord(filter: FacetFilter): SearchRecord | undefined {
    const head = this.data.sections.pageHead[0] as number;
    const allowed = this.#facets.compile(filter);
    if (head === NO_RECORD || (allowed !== undefined && allowed[head] === 0)) return undefined;
    return this.recordAt(head);
  }

  recordAt(number: number): SearchRecord {
    return decodeRecord(this.data, number);
  }

  search(search: PageSearch): PageAnswer | undefined {
    const { kind, saysProblem, filter, sizes, weights, querySum, statistics, wanted, facets } = search;
    const alternatives = search.alternatives.map((word) => this.#translate(word, search.terms));
    try {
      this.#table.addWords(alternatives, {
        allowed: this.#facets.compile(filter),
        sizes,
        weights,
        querySum,
        statistics,
      });
      // A hint of a word is not the word.
      const hasEveryWord = this.#table.pages.length > 0 && this.#table.maskOfPage(0) === this.#table.fullMask;
      const ranking: Ranking = this.#ranker.rank({ kind, saysProblem, wanted, wantsCounted: facets.length > 0 });
      const [best] = ranking.candidates;
      if (best === undefined) return undefined;
      return {
        score: best.score,
        hasEveryWord,
        records: best.records,
        total: ranking.total,
        facets: this.#facets.count(facets, ranking.counted),
      };
    } finally {
      this.#table.clear();
    }
  }

  /** The numbers that a word's terms have on this page. */
  #translate(word: Alternatives, vocabulary: readonly string[]): Alternatives {
    return {
      ...this.#translateMeanings(word, vocabulary),
      prefixes: new Map(),
      hints: this.#translateMeanings(word.hints, vocabulary),
    };
  }

  #translateMeanings({ terms, phrases }: Meanings, vocabulary: readonly string[]): Meanings {
    const findNumber = (term: number): number | undefined => this.#numbers.get(vocabulary[term] as string);
    const own = new Map<number, number>();
    for (const [term, quality] of terms) {
      const number = findNumber(term);
      if (number !== undefined) own.set(number, quality);
    }
    const ownPhrases = phrases
      .map(({ parts, quality }) => ({
        quality,
        parts: parts.map((part) => part.map(findNumber).filter((number) => number !== undefined)),
      }))
      .filter(({ parts }) => parts.every((part) => part.length > 0));
    return { terms: own, phrases: ownPhrases };
  }
}
