/**
 * Our own engine: one index in memory.
 *
 * A query is answered in four steps: each word's alternatives mark what they occur in (`word-alternatives.ts`,
 * `match-table.ts`); pages with every word, or the best of the others, become candidates and are put in order
 * (`candidates.ts`); pages take turns in giving hits, so that one long page does not fill the screen; hits are counted, one
 * for each url.
 */
import type { SearchRecord } from "../../records/search-record.ts";
import { entriesOfGroups, THESAURUS, Thesaurus } from "../../text/thesaurus.ts";
import { isAskingWord } from "../../text/vocabulary.ts";
import { type IndexData, NO_RECORD } from "../index/index-format.ts";
import { VocabularyIndex } from "../index/vocabulary-index.ts";
import { type IndexSettings, withDefaults } from "../index-settings.ts";
import { describeName } from "../name-words.ts";
import { classifyQuery, MAX_SEARCHED_CHARACTERS, parseQueryWords, type QueryWord } from "../query-words.ts";
import {
  type EngineAnswer,
  type EngineQuery,
  MAX_NEAREST,
  type SearchEngine,
  type TermMatch,
  type UnknownWord,
} from "../search-engine.ts";
import { CandidateRanker, type Ranking, takeTurns } from "./candidates.ts";
import { FacetColumns } from "./facet-columns.ts";
import { MatchTable } from "./match-table.ts";
import { ASKING_WORD_WEIGHT } from "./ranking.ts";
import { type Alternatives, alternativesOf } from "./word-alternatives.ts";

/** Decoded records kept; a search shows few of them again and again. */
const MAX_DECODED_RECORDS = 4_000;

interface Collected {
  readonly alternatives: readonly Alternatives[];
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
  readonly #vocabulary: VocabularyIndex;
  readonly #thesaurus: Thesaurus;
  readonly #facets: FacetColumns;
  readonly #table: MatchTable;
  readonly #ranker: CandidateRanker;
  readonly #decoded = new Map<number, SearchRecord>();

  constructor({ data }: OwnEngineOptions) {
    this.data = data;
    const { terms } = data.sections;
    const text = Buffer.from(terms.buffer, terms.byteOffset, terms.byteLength).toString("utf8");
    this.settings = withDefaults(data.meta.settings).settings;
    this.#vocabulary = new VocabularyIndex(text === "" ? [] : text.split("\n"));
    const { synonyms } = this.settings;
    this.#thesaurus = new Thesaurus(synonyms === undefined ? THESAURUS : entriesOfGroups(synonyms));
    this.#facets = new FacetColumns(data);
    this.#table = new MatchTable(data);
    this.#ranker = new CandidateRanker(data, this.#table);
  }

  search(asked: EngineQuery): EngineAnswer {
    const query = { ...asked, text: asked.text.slice(0, MAX_SEARCHED_CHARACTERS) };
    const words = parseQueryWords(query.text, query.queryType);
    const allowed = this.#facets.compile(query.filter);
    if (words.length === 0) {
      return query.text.trim() === "" ? this.#browseByRank(query, allowed) : this.#answerOf([], 0, [], query);
    }
    const first = this.#collect(words, query, allowed, false);
    if (first.ranking.fullPages > 0 || !query.typoTolerance) return this.#answer(first, words, query);
    // Nothing has every word: perhaps one is a mistake that happens to be a word as well, or a compound nobody wrote.
    const widened = this.#collect(words, query, allowed, true);
    const isBetter = widened.ranking.fullPages > 0 || first.ranking.total === 0;
    return this.#answer(isBetter ? widened : first, words, query);
  }

  /** A record by its number in the index, 0 to `recordCount` - 1. */
  recordAt(number: number): SearchRecord {
    const known = this.#decoded.get(number);
    if (known !== undefined) return known;
    const { records, recordStart } = this.data.sections;
    const start = recordStart[number] as number;
    const bytes = Buffer.from(records.buffer, records.byteOffset + start, (recordStart[number + 1] as number) - start);
    const record: SearchRecord = JSON.parse(bytes.toString("utf8"));
    if (this.#decoded.size >= MAX_DECODED_RECORDS) this.#decoded.clear();
    this.#decoded.set(number, record);
    return record;
  }

  #collect(
    words: readonly QueryWord[],
    query: EngineQuery,
    allowed: Uint8Array | undefined,
    widen: boolean,
  ): Collected {
    const alternatives = alternativesOf(words, {
      vocabulary: this.#vocabulary,
      frequencyOf: this.#frequencyOf,
      thesaurus: this.#thesaurus,
      matches: this.#thesaurus.find(query.text),
      settings: this.settings,
      widen,
      typoTolerance: query.typoTolerance,
      allowsPrefix: query.queryType !== "prefixNone",
    });
    const kind = classifyQuery(query.text, words);
    try {
      this.#table.addWords(alternatives, {
        allowed,
        sizes: words.map(({ parts }) => Math.max(1, parts.length)),
        weights: words.map(({ term }) => (kind === "question" && isAskingWord(term) ? ASKING_WORD_WEIGHT : 1)),
        querySum: describeName(query.text).sum,
      });
      const found = this.#table.foundMask;
      // Words of asking alone say nothing about the subject: the other words are the telling ones, and nobody has them.
      const isFiller = words.every(({ term }, word) => (found & (1 << word)) === 0 || isAskingWord(term));
      if (isFiller && found !== this.#table.fullMask) return { alternatives, ranking: NOTHING, found };
      const ranking = this.#ranker.rank({
        kind,
        wanted: query.offset + query.limit,
        wantsCounted: query.facets.length > 0,
      });
      return { alternatives, ranking, found };
    } finally {
      this.#table.clear();
    }
  }

  readonly #frequencyOf = (term: number): number => {
    const { termStart } = this.data.sections;
    return (termStart[term + 1] as number) - (termStart[term] as number);
  };

  #describeUnknown(words: readonly QueryWord[], found: number): UnknownWord[] {
    return words.flatMap(({ label, term }, word) => {
      if ((found & (1 << word)) !== 0) return [];
      return [{ word: label, nearest: this.#vocabulary.nearestTo(term, MAX_NEAREST, this.#frequencyOf) }];
    });
  }

  #answer({ alternatives, ranking, found }: Collected, words: readonly QueryWord[], query: EngineQuery): EngineAnswer {
    const { candidates, total, counted } = ranking;
    return {
      ...this.#answerOf(takeTurns(candidates, query.offset, query.limit), total, counted, query),
      words: words.map(({ label }) => label),
      unknown: this.#describeUnknown(words, found),
      matchTerm: this.#termMatcher(alternatives, words),
    };
  }

  #answerOf(
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

  #termMatcher(
    alternatives: readonly Alternatives[],
    words: readonly QueryWord[],
  ): (term: string) => TermMatch | undefined {
    const matches = new Map<string, TermMatch>();
    const add = (term: number, word: number, typed: string | undefined): void => {
      const text = this.#vocabulary.terms[term] as string;
      const prefixLength = typed === undefined || typed.length === text.length ? undefined : typed.length;
      const known = matches.get(text);
      // A match of the whole term marks more than one of its beginning.
      if (known === undefined || (known.prefixLength !== undefined && prefixLength === undefined)) {
        matches.set(text, { word, prefixLength });
      }
    };
    for (const [word, { terms, prefixes, phrases }] of alternatives.entries()) {
      for (const term of terms.keys()) add(term, word, prefixes.get(term));
      for (const { parts } of phrases) {
        for (const term of parts.flat()) {
          const text = this.#vocabulary.terms[term] as string;
          add(
            term,
            word,
            words[word]?.parts.find((part) => text.startsWith(part)),
          );
        }
      }
    }
    return (term) => matches.get(term);
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
    return this.#answerOf(hits, heads.length, heads, query);
  }
}
