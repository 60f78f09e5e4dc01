/**
 * Our own engine: one index in memory.
 *
 * A query is answered in four steps: each word's alternatives mark what they occur in (`word-alternatives.ts`,
 * `match-table.ts`); pages with every word, or the best of the others, become candidates and are put in order
 * (`candidates.ts`); pages take turns in giving hits, so that one long page does not fill the screen; hits are counted, one
 * for each url.
 */
import type { SearchRecord } from "../../records/search-record.ts";
import { decodeRecord, type IndexData, NO_RECORD, readTerms } from "../index/index-format.ts";
import { type IndexSettings, withDefaults } from "../index-settings.ts";
import { parseQueryWords, type QueryWord } from "../query-words.ts";
import type { EngineAnswer, EngineQuery, SearchEngine } from "../search-engine.ts";
import { AskedWords, createLexicon, type Lexicon, prepareQuery } from "./asked-words.ts";
import { CandidateRanker, type Ranking, takeTurns } from "./candidates.ts";
import { FacetColumns } from "./facet-columns.ts";
import { MatchTable } from "./match-table.ts";
import { SharedPages } from "./shared-pages.ts";

/** Decoded records kept; a search shows few of them again and again. */
const MAX_DECODED_RECORDS = 4_000;

interface Collected {
  readonly asked: AskedWords;
  readonly ranking: Ranking;
  /** The words that some record has, a bit for each. */
  readonly found: number;
}

const NOTHING: Ranking = { fullPages: 0, candidates: [], total: 0, counted: [] };

export interface OwnEngineOptions {
  readonly data: IndexData;
}

export class OwnEngine implements SearchEngine {
  readonly name = "own";
  readonly data: IndexData;
  readonly settings: IndexSettings;
  readonly #lexicon: Lexicon;
  readonly #facets: FacetColumns;
  readonly #table: MatchTable;
  readonly #ranker: CandidateRanker;
  readonly #shared: SharedPages;
  readonly #decoded = new Map<number, SearchRecord>();

  constructor({ data }: OwnEngineOptions) {
    this.data = data;
    this.settings = withDefaults(data.meta.settings).settings;
    const { termStart } = data.sections;
    const countUses = (term: number): number => (termStart[term + 1] as number) - (termStart[term] as number);
    this.#lexicon = createLexicon(readTerms(data), this.settings, countUses, data.meta.commands);
    this.#facets = new FacetColumns(data);
    this.#table = new MatchTable(data);
    this.#ranker = new CandidateRanker(data, this.#table);
    this.#shared = new SharedPages(data);
  }

  search(asked: EngineQuery): EngineAnswer {
    const query = prepareQuery(asked, this.#lexicon);
    const words = parseQueryWords(query.text, query.queryType);
    const allowed = this.#facets.compile(query.filter);
    if (words.length === 0) {
      return query.text.trim() === "" ? this.#browseByRank(query, allowed) : this.#createAnswer([], 0, [], query);
    }
    const first = this.#collect(new AskedWords(words, query, this.#lexicon, false), query, allowed);
    if (first.ranking.fullPages > 0 || !query.typoTolerance) return this.#answer(first, words, query);
    // No record has every word: perhaps one is a mistake that happens to be a word as well, or a compound that no text contains.
    const wide = new AskedWords(words, query, this.#lexicon, true);
    const isEmpty = first.ranking.total === 0;
    if (!isEmpty && !this.#shared.hasAny(wide.alternatives, allowed)) return this.#answer(first, words, query);
    const widened = this.#collect(wide, query, allowed);
    const isBetter = widened.ranking.fullPages > 0 || isEmpty;
    return this.#answer(isBetter ? widened : first, words, query);
  }

  get version(): string {
    return this.data.meta.version;
  }

  /** A record by its number in the index, 0 to `recordCount` - 1. */
  recordAt(number: number): SearchRecord {
    const known = this.#decoded.get(number);
    if (known !== undefined) return known;
    const record = decodeRecord(this.data, number);
    if (this.#decoded.size >= MAX_DECODED_RECORDS) this.#decoded.clear();
    this.#decoded.set(number, record);
    return record;
  }

  #collect(asked: AskedWords, query: EngineQuery, allowed: Uint8Array | undefined): Collected {
    try {
      this.#table.addWords(asked.alternatives, { allowed, ...asked });
      const found = this.#table.foundMask;
      if (asked.isFiller(found)) return { asked, ranking: NOTHING, found };
      const ranking = this.#ranker.rank({
        kind: asked.kind,
        saysProblem: asked.saysProblem,
        wanted: query.offset + query.limit,
        wantsCounted: query.facets.length > 0,
      });
      return { asked, ranking, found };
    } finally {
      this.#table.clear();
    }
  }

  #answer({ asked, ranking, found }: Collected, words: readonly QueryWord[], query: EngineQuery): EngineAnswer {
    const { candidates, total, counted } = ranking;
    return {
      ...this.#createAnswer(takeTurns(candidates, query.offset, query.limit), total, counted, query),
      words: words.map(({ label }) => label),
      unknown: asked.describeUnknown(found),
      matchTerm: asked.termMatcher(),
    };
  }

  #createAnswer(
    hits: readonly { readonly record: number; readonly score: number }[],
    total: number,
    counted: readonly number[],
    query: EngineQuery,
  ): EngineAnswer {
    return {
      hits: hits.map(({ record, score }) => ({ record: this.recordAt(record), score })),
      total,
      facets: this.#facets.count(query.facets, counted),
      words: [],
      unknown: [],
      matchTerm: () => undefined,
    };
  }

  /** A query of blanks asks for everything: the pages' own records, best prior first. */
  #browseByRank(query: EngineQuery, allowed: Uint8Array | undefined): EngineAnswer {
    const { pageHead, pageRank } = this.data.sections;
    const pages = Array.from(pageHead.keys()).filter((page) => {
      const head = pageHead[page] as number;
      return head !== NO_RECORD && (allowed === undefined || allowed[head] === 1);
    });
    pages.sort((a, b) => (pageRank[b] as number) - (pageRank[a] as number) || a - b);
    const heads = pages.map((page) => pageHead[page] as number);
    const hits = heads.slice(query.offset, query.offset + query.limit).map((record) => ({ record, score: 0 }));
    return this.#createAnswer(hits, heads.length, heads, query);
  }
}
