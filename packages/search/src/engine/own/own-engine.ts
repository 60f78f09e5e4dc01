/**
 * Our own engine: one index in memory, searched without allocation in proportion to it.
 *
 * A query is answered in four steps: (1) each word's alternatives mark the pages and records they occur in and add to their
 * scores; (2) pages with every word, or the best of the others, become candidates; (3) the best candidates are looked at
 * closely: title, words side by side; (4) pages take turns in giving hits, so that one long page does not fill the screen.
 */
import type { SearchRecord } from "../../records/search-record.ts";
import { DEFAULT_SYNONYMS } from "../../text/vocabulary.ts";
import { type IndexSettings, withDefaults } from "../index-settings.ts";
import { parseQueryWords, type QueryWord } from "../query-words.ts";
import type { EngineAnswer, EngineQuery, FacetFilter, SearchEngine, TermMatch } from "../search-engine.ts";
import { CAMEL_BIT, FIELD, FIELD_SHIFT, type IndexData, NO_RECORD, POSITION_MASK } from "./index-format.ts";
import {
  COVERAGE_POWER,
  ENOUGH_PAGES,
  LENGTH_PENALTY,
  MIN_RARITY,
  PAGE_MIX,
  PAGE_WEIGHTS,
  PROXIMITY_WEIGHTS,
  QUALITY,
  RECORD_WEIGHTS,
  REFINED_PAGES,
  SATURATION,
  slotsOf,
  TOP_RECORD_WEIGHT,
} from "./ranking.ts";
import { VocabularyIndex } from "./vocabulary-index.ts";
import { type Alternatives, alternativesOf } from "./word-alternatives.ts";

/** Decoded records kept; a search page shows few of them again and again. */
const MAX_DECODED_RECORDS = 4_000;
/** Compiled filters kept; a site uses one or two. */
const MAX_COMPILED_FILTERS = 16;
const NO_POSTING = -1;

interface Candidate {
  readonly page: number;
  /** Score of the text alone, then of everything. */
  score: number;
  /** Records of the page that match, best first once ordered. */
  readonly records: number[];
}

export interface OwnEngineOptions {
  readonly data: IndexData;
}

export class OwnEngine implements SearchEngine {
  readonly name = "own";
  readonly data: IndexData;
  readonly settings: IndexSettings;
  readonly #vocabulary: VocabularyIndex;
  readonly #synonyms: ReadonlyMap<string, readonly string[]>;
  readonly #pageNorm: Float32Array;
  readonly #filters = new Map<string, Uint8Array>();
  readonly #decoded = new Map<number, SearchRecord>();
  readonly #maxRank: number;

  // Scratch space of one search, as long as the index; what a search touched it cleans.
  readonly #headSum: Float32Array;
  readonly #textSum: Float32Array;
  readonly #pageScore: Float32Array;
  readonly #pageCover: Float32Array;
  readonly #pageMask: Uint32Array;
  readonly #recordBest: Float32Array;
  readonly #recordScore: Float32Array;
  readonly #recordMask: Uint32Array;
  /** Per word, the posting through which a record matched best; negative numbers below -1 name a phrase's own list. */
  readonly #recordPosting: Int32Array[] = [];
  readonly #urlStamp: Uint32Array;
  #stamp = 0;
  #phraseOccurrences: number[][] = [];

  constructor({ data }: OwnEngineOptions) {
    this.data = data;
    const { meta, sections } = data;
    this.settings = withDefaults(meta.settings).settings;
    const text = Buffer.from(sections.terms.buffer, sections.terms.byteOffset, sections.terms.byteLength).toString(
      "utf8",
    );
    this.#vocabulary = new VocabularyIndex(text === "" ? [] : text.split("\n"));
    this.#synonyms = synonymTable(this.settings.synonyms ?? DEFAULT_SYNONYMS);
    const mean = meta.averagePageWords || 1;
    this.#pageNorm = Float32Array.from(
      sections.pageWords,
      (words) => 1 - LENGTH_PENALTY + (LENGTH_PENALTY * words) / mean,
    );
    this.#maxRank = sections.pageRank.reduce((most, rank) => Math.max(most, rank), 1);
    this.#headSum = new Float32Array(meta.pageCount);
    this.#textSum = new Float32Array(meta.pageCount);
    this.#pageScore = new Float32Array(meta.pageCount);
    this.#pageCover = new Float32Array(meta.pageCount);
    this.#pageMask = new Uint32Array(meta.pageCount);
    this.#recordBest = new Float32Array(meta.recordCount);
    this.#recordScore = new Float32Array(meta.recordCount);
    this.#recordMask = new Uint32Array(meta.recordCount);
    this.#urlStamp = new Uint32Array(meta.recordCount);
  }

  search(query: EngineQuery): EngineAnswer {
    const words = parseQueryWords(query.text, query.queryType);
    const allowed = this.#compileFilter(query.filter);
    if (words.length === 0)
      return query.text.trim() === "" ? this.#browseByRank(query, allowed) : this.#noHits(query, []);

    const first = this.#collect(words, query, allowed, false);
    if (first.fullPages > 0 || !query.typoTolerance) return this.#answer(first, words, query);
    // Nothing has every word: perhaps a mistake that happens to be a word as well.
    const widened = this.#collect(words, query, allowed, true);
    return this.#answer(widened.fullPages > 0 ? widened : this.#collect(words, query, allowed, false), words, query);
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

  #frequencyOf = (term: number): number => {
    const { termStart } = this.data.sections;
    return (termStart[term + 1] as number) - (termStart[term] as number);
  };

  /** Step 1 and 2: scores of everything that the words touch, and the candidates. */
  #collect(
    words: readonly QueryWord[],
    query: EngineQuery,
    allowed: Uint8Array | undefined,
    widen: boolean,
  ): Collected {
    const { sections } = this.data;
    const alternatives = alternativesOf(words, {
      vocabulary: this.#vocabulary,
      frequencyOf: this.#frequencyOf,
      synonyms: this.#synonyms,
      settings: this.settings,
      widen,
      typoTolerance: query.typoTolerance,
      allowsPrefix: query.queryType !== "prefixNone",
    });
    this.#phraseOccurrences = [];
    const touchedPages: number[] = [];
    const touchedRecords: number[] = [];
    const rarities: number[] = [];
    for (const [word, { terms, phrases }] of alternatives.entries()) {
      const postings = this.#postingsOf(word);
      const pages: number[] = [];
      const records: number[] = [];
      for (const [term, quality] of terms) this.#addTerm(term, quality, allowed, postings, pages, records);
      for (const phrase of phrases) this.#addPhrase(phrase, allowed, postings, pages, records);

      const rarity = this.#rarityOf(pages.length);
      rarities.push(rarity);
      const bit = 1 << word;
      for (const page of pages) {
        const sum =
          (this.#headSum[page] as number) + (this.#textSum[page] as number) / (this.#pageNorm[page] as number);
        if (this.#pageMask[page] === 0) touchedPages.push(page);
        this.#pageMask[page] = (this.#pageMask[page] as number) | bit;
        this.#pageScore[page] = (this.#pageScore[page] as number) + (rarity * sum) / (sum + SATURATION);
        this.#pageCover[page] = (this.#pageCover[page] as number) + rarity;
        this.#headSum[page] = 0;
        this.#textSum[page] = 0;
      }
      for (const record of records) {
        if (this.#recordMask[record] === 0) touchedRecords.push(record);
        this.#recordMask[record] = (this.#recordMask[record] as number) | bit;
        const share = Math.min(1, (this.#recordBest[record] as number) / TOP_RECORD_WEIGHT);
        this.#recordScore[record] = (this.#recordScore[record] as number) + rarity * share;
        this.#recordBest[record] = 0;
      }
    }

    const totalRarity = rarities.reduce((sum, rarity) => sum + rarity, 0) || 1;
    const full = 2 ** words.length - 1;
    let fullPages = 0;
    for (const page of touchedPages) if (this.#pageMask[page] === full) fullPages += 1;
    const wantsPartial = words.length > 1 && fullPages < ENOUGH_PAGES;
    const byPage = new Map<number, Candidate>();
    for (const page of touchedPages) {
      if (this.#pageMask[page] !== full && !wantsPartial) continue;
      const coverage = (this.#pageCover[page] as number) / totalRarity;
      const text = (this.#pageScore[page] as number) / totalRarity;
      const rank = (sections.pageRank[page] as number) / this.#maxRank;
      byPage.set(page, {
        page,
        score: PAGE_MIX.text * text * coverage ** COVERAGE_POWER + PAGE_MIX.rank * rank,
        records: [],
      });
    }
    for (const record of touchedRecords) byPage.get(sections.recordPage[record] as number)?.records.push(record);

    const candidates: Candidate[] = [];
    for (const candidate of byPage.values()) {
      this.#keepBestRecords(candidate, full);
      if (candidate.records.length > 0) candidates.push(candidate);
    }
    const ordered = this.#refine(candidates, words.length, rarities, totalRarity);
    const collected = { alternatives, fullPages, candidates: ordered };
    for (const page of touchedPages) {
      this.#pageMask[page] = 0;
      this.#pageScore[page] = 0;
      this.#pageCover[page] = 0;
    }
    for (const record of touchedRecords) {
      this.#recordMask[record] = 0;
      this.#recordScore[record] = 0;
    }
    return collected;
  }

  #postingsOf(word: number): Int32Array {
    this.#recordPosting[word] ??= new Int32Array(this.data.meta.recordCount);
    return this.#recordPosting[word];
  }

  #rarityOf(pages: number): number {
    if (pages === 0) return 1;
    const all = this.data.meta.pageCount;
    return Math.max(MIN_RARITY, Math.log(1 + (all - pages + 0.5) / (pages + 0.5)));
  }

  #addTerm(
    term: number,
    quality: number,
    allowed: Uint8Array | undefined,
    postings: Int32Array,
    pages: number[],
    records: number[],
  ): void {
    const { termStart, postingRecord, occurrenceStart, occurrences, recordPage } = this.data.sections;
    const end = termStart[term + 1] as number;
    for (let posting = termStart[term] as number; posting < end; posting++) {
      const record = postingRecord[posting] as number;
      if (allowed !== undefined && allowed[record] === 0) continue;
      let head = 0;
      let text = 0;
      let best = 0;
      const last = occurrenceStart[posting + 1] as number;
      for (let at = occurrenceStart[posting] as number; at < last; at++) {
        const occurrence = occurrences[at] as number;
        const field = occurrence >>> FIELD_SHIFT;
        const factor = (occurrence & CAMEL_BIT) === 0 ? quality : quality * QUALITY.camelPart;
        const forPage = factor * (PAGE_WEIGHTS[field] as number);
        if (field === FIELD.content) text += forPage;
        else head += forPage;
        const forRecord = factor * (RECORD_WEIGHTS[field] as number);
        if (forRecord > best) best = forRecord;
      }
      this.#mark(record, recordPage[record] as number, head, text, best, posting, postings, pages, records);
    }
  }

  #mark(
    record: number,
    page: number,
    head: number,
    text: number,
    best: number,
    posting: number,
    postings: Int32Array,
    pages: number[],
    records: number[],
  ): void {
    if (head + text > 0) {
      if (this.#headSum[page] === 0 && this.#textSum[page] === 0) pages.push(page);
      this.#headSum[page] = (this.#headSum[page] as number) + head;
      this.#textSum[page] = (this.#textSum[page] as number) + text;
    }
    const before = this.#recordBest[record] as number;
    if (before === 0) records.push(record);
    if (best > before) {
      this.#recordBest[record] = best;
      postings[record] = posting;
    }
  }

  /** Records where the parts stand side by side, counted like one term. */
  #addPhrase(
    { parts, quality }: Alternatives["phrases"][number],
    allowed: Uint8Array | undefined,
    postings: Int32Array,
    pages: number[],
    records: number[],
  ): void {
    const { recordPage } = this.data.sections;
    let open: Map<number, readonly number[]> | undefined;
    for (const part of parts) open = this.#continuePhrase(open, part, allowed);
    for (const [record, ends] of open ?? []) {
      let head = 0;
      let text = 0;
      let best = 0;
      for (const end of ends) {
        const field = end >>> FIELD_SHIFT;
        if (field === FIELD.content) text += quality * (PAGE_WEIGHTS[field] as number);
        else head += quality * (PAGE_WEIGHTS[field] as number);
        best = Math.max(best, quality * (RECORD_WEIGHTS[field] as number));
      }
      this.#phraseOccurrences.push([...ends]);
      const posting = NO_POSTING - this.#phraseOccurrences.length;
      this.#mark(record, recordPage[record] as number, head, text, best, posting, postings, pages, records);
    }
  }

  /** From the places where a phrase's beginning ends to those where it ends with one more word. */
  #continuePhrase(
    open: ReadonlyMap<number, readonly number[]> | undefined,
    part: readonly number[],
    allowed: Uint8Array | undefined,
  ): Map<number, readonly number[]> {
    const { termStart, postingRecord, occurrenceStart, occurrences } = this.data.sections;
    const result = new Map<number, number[]>();
    for (const term of part) {
      const end = termStart[term + 1] as number;
      for (let posting = termStart[term] as number; posting < end; posting++) {
        const record = postingRecord[posting] as number;
        if (allowed !== undefined && allowed[record] === 0) continue;
        const before = open?.get(record);
        if (open !== undefined && before === undefined) continue;
        const last = occurrenceStart[posting + 1] as number;
        for (let at = occurrenceStart[posting] as number; at < last; at++) {
          const occurrence = ((occurrences[at] as number) & ~CAMEL_BIT) >>> 0;
          if (before !== undefined && !before.includes(occurrence - 1)) continue;
          const ends = result.get(record);
          if (ends === undefined) result.set(record, [occurrence]);
          else ends.push(occurrence);
        }
      }
    }
    return result;
  }

  /** Leaves a candidate the records that have every word, and the page's own; when none has every word, its three best. */
  #keepBestRecords({ page, records }: Candidate, full: number): void {
    const complete = records.filter((record) => this.#recordMask[record] === full);
    if (complete.length > 0) {
      const head = this.data.sections.pageHead[page] as number;
      if (records.includes(head) && !complete.includes(head)) complete.push(head);
      if (complete.length < records.length) records.splice(0, records.length, ...complete);
      return;
    }
    records.sort((a, b) => (this.#recordScore[b] as number) - (this.#recordScore[a] as number) || a - b);
    records.length = Math.min(records.length, 3);
  }

  /** Step 3: orders the candidates, the best of them by everything that is known about them. */
  #refine(candidates: Candidate[], words: number, rarities: readonly number[], totalRarity: number): Candidate[] {
    candidates.sort((a, b) => b.score - a.score || a.page - b.page);
    const close = candidates.slice(0, REFINED_PAGES);
    const scoreOf = new Map<number, number>();
    for (const candidate of close) {
      let bestRecord = 0;
      let bestProximity = 0;
      for (const record of candidate.records) {
        const proximity = words > 1 ? this.#proximityOf(record, words) : 0;
        const share = (this.#recordScore[record] as number) / totalRarity;
        scoreOf.set(record, PAGE_MIX.record * share + PAGE_MIX.proximity * proximity);
        bestRecord = Math.max(bestRecord, share);
        bestProximity = Math.max(bestProximity, proximity);
      }
      candidate.score +=
        PAGE_MIX.title * this.#titleMatchOf(candidate.page, words, rarities, totalRarity) +
        PAGE_MIX.record * bestRecord +
        PAGE_MIX.proximity * bestProximity;
    }
    close.sort((a, b) => b.score - a.score || a.page - b.page);
    const { pageHead, recordLevel } = this.data.sections;
    const full = 2 ** words - 1;
    for (const [rank, { page, records }] of close.entries()) {
      // The page's own record first, where it does not take the only turn from a better answer: readers see where the
      // others belong, and recent searches need it.
      const head = pageHead[page] as number;
      const isHeadFirst = slotsOf(rank) > 1 || this.#recordMask[head] === full;
      const worthOf = (record: number): number => (record === head && isHeadFirst ? 10 : (scoreOf.get(record) ?? 0));
      records.sort(
        (a, b) => worthOf(b) - worthOf(a) || (recordLevel[a] as number) - (recordLevel[b] as number) || a - b,
      );
    }
    return [...close, ...candidates.slice(REFINED_PAGES)];
  }

  /** Occurrences of a word in a record, through the posting that matched best. */
  #occurrencesOf(word: number, record: number): Uint32Array | readonly number[] {
    const posting = this.#postingsOf(word)[record] as number;
    if (posting < NO_POSTING) return this.#phraseOccurrences[NO_POSTING - 1 - posting] ?? [];
    const { occurrenceStart, occurrences } = this.data.sections;
    return occurrences.subarray(occurrenceStart[posting] as number, occurrenceStart[posting + 1] as number);
  }

  /** How close the query's neighbours stand in a record: 1 when all are side by side in the title, 0 when none are near. */
  #proximityOf(record: number, words: number): number {
    const mask = this.#recordMask[record] as number;
    let sum = 0;
    for (let word = 0; word + 1 < words; word++) {
      if ((mask & (0b11 << word)) !== 0b11 << word) continue;
      let best = 0;
      for (const left of this.#occurrencesOf(word, record)) {
        for (const right of this.#occurrencesOf(word + 1, record)) {
          if (left >>> FIELD_SHIFT !== right >>> FIELD_SHIFT) continue;
          const distance = (right & POSITION_MASK) - (left & POSITION_MASK);
          // Words in the wrong order are a little further apart than they look.
          const gap = distance > 0 ? distance : 1 - distance;
          if (gap > 8) continue;
          best = Math.max(best, (PROXIMITY_WEIGHTS[left >>> FIELD_SHIFT] as number) / Math.max(1, gap));
        }
      }
      sum += best;
    }
    return words > 1 ? sum / (words - 1) : 0;
  }

  /** How much of the query the page's title answers, and how much of the title the query names. */
  #titleMatchOf(page: number, words: number, rarities: readonly number[], totalRarity: number): number {
    const { pageHead, pageTitleWords } = this.data.sections;
    const head = pageHead[page] as number;
    if (head === NO_RECORD) return 0;
    const mask = this.#recordMask[head] as number;
    const matched = new Set<number>();
    let rarity = 0;
    for (let word = 0; word < words; word++) {
      if ((mask & (1 << word)) === 0) continue;
      let isInTitle = false;
      for (const occurrence of this.#occurrencesOf(word, head)) {
        if (occurrence >>> FIELD_SHIFT !== FIELD.title) continue;
        isInTitle = true;
        matched.add(occurrence & POSITION_MASK);
      }
      if (isInTitle) rarity += rarities[word] as number;
    }
    const named = Math.min(1, matched.size / Math.max(1, pageTitleWords[page] as number));
    return (rarity / totalRarity) * (0.5 + 0.5 * named);
  }

  /** Step 4: turns candidates into hits, counts them and their facets. */
  #answer({ alternatives, candidates }: Collected, words: readonly QueryWord[], query: EngineQuery): EngineAnswer {
    const { recordUrl } = this.data.sections;
    this.#nextStamp();
    let total = 0;
    const counted: number[] = [];
    for (const candidate of candidates) {
      let kept = 0;
      for (const record of candidate.records) {
        const url = recordUrl[record] as number;
        if (this.#urlStamp[url] === this.#stamp) continue;
        this.#urlStamp[url] = this.#stamp;
        candidate.records[kept++] = record;
        if (query.facets.length > 0) counted.push(record);
      }
      candidate.records.length = kept;
      total += kept;
    }
    const numbers = takeTurns(candidates, query.offset, query.limit);
    return {
      hits: numbers.map(({ record, score }) => ({ record: this.recordAt(record), score })),
      total,
      facets: this.#countFacets(query.facets, counted),
      words: words.map((word) => word.label),
      matchTerm: this.#termMatcher(alternatives, words),
    };
  }

  #nextStamp(): void {
    this.#stamp += 1;
    if (this.#stamp < 2 ** 32) return;
    this.#urlStamp.fill(0);
    this.#stamp = 1;
  }

  #termMatcher(
    alternatives: readonly Alternatives[],
    words: readonly QueryWord[],
  ): (term: string) => TermMatch | undefined {
    const matches = new Map<string, TermMatch>();
    for (const [word, { terms, prefixLengths, phrases }] of alternatives.entries()) {
      for (const { parts } of phrases) {
        for (const term of parts.flat()) {
          const text = this.#vocabulary.terms[term] as string;
          const typed = (words[word] as QueryWord).parts.find((part) => text.startsWith(part));
          const prefixLength = typed === undefined || typed.length === text.length ? undefined : typed.length;
          if (!matches.has(text)) matches.set(text, { word, prefixLength });
        }
      }
      for (const term of terms.keys()) {
        const text = this.#vocabulary.terms[term] as string;
        const prefixLength = prefixLengths.get(term);
        if (matches.get(text)?.prefixLength !== undefined || !matches.has(text))
          matches.set(text, { word, prefixLength });
      }
    }
    return (term) => matches.get(term);
  }

  /** A byte per record, 1 where the filter holds; undefined when it always does. */
  #compileFilter(filter: FacetFilter): Uint8Array | undefined {
    if (filter.length === 0) return undefined;
    const key = JSON.stringify(filter);
    const known = this.#filters.get(key);
    if (known !== undefined) return known;
    const { meta, sections } = this.data;
    const attributes = Object.keys(meta.facetSets);
    const allowed = new Uint8Array(meta.recordCount).fill(1);
    for (const group of filter) {
      const terms = group.map(({ attribute, value, isNegated }) => {
        const column = attributes.indexOf(attribute);
        const sets = meta.facetSets[attribute] ?? [];
        return { column, isNegated, holds: sets.map((values) => values.includes(value) !== isNegated) };
      });
      for (let record = 0; record < meta.recordCount; record++) {
        const holds = terms.some(({ column, isNegated, holds }) =>
          // An attribute that is not for faceting matches nothing, so its negation matches everything.
          column < 0 ? isNegated : holds[sections.facetIds[column * meta.recordCount + record] as number],
        );
        if (!holds) allowed[record] = 0;
      }
    }
    if (this.#filters.size >= MAX_COMPILED_FILTERS) this.#filters.clear();
    this.#filters.set(key, allowed);
    return allowed;
  }

  #countFacets(attributes: readonly string[], records: readonly number[]): Record<string, Record<string, number>> {
    const { meta, sections } = this.data;
    const columns = Object.keys(meta.facetSets);
    const wanted = attributes.includes("*") ? columns : attributes;
    const result: Record<string, Record<string, number>> = {};
    for (const attribute of wanted) {
      const column = columns.indexOf(attribute);
      if (column < 0) continue;
      const sets = meta.facetSets[attribute] ?? [];
      const counts = new Uint32Array(sets.length);
      for (const record of records) {
        const set = sections.facetIds[column * meta.recordCount + record] as number;
        counts[set] = (counts[set] as number) + 1;
      }
      const byValue = new Map<string, number>();
      for (const [set, values] of sets.entries()) {
        const count = counts[set] as number;
        if (count > 0) for (const value of values) byValue.set(value, (byValue.get(value) ?? 0) + count);
      }
      if (byValue.size > 0) result[attribute] = Object.fromEntries([...byValue].sort((a, b) => b[1] - a[1]));
    }
    return result;
  }

  #noHits(query: EngineQuery, words: readonly string[]): EngineAnswer {
    return { hits: [], total: 0, facets: this.#countFacets(query.facets, []), words, matchTerm: () => undefined };
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
    return {
      ...this.#noHits(query, []),
      hits: heads
        .slice(query.offset, query.offset + query.limit)
        .map((head) => ({ record: this.recordAt(head), score: 0 })),
      total: heads.length,
      facets: this.#countFacets(query.facets, heads),
    };
  }
}

interface Collected {
  readonly alternatives: readonly Alternatives[];
  /** Pages on which every word occurs. */
  readonly fullPages: number;
  /** Best first. */
  readonly candidates: readonly Candidate[];
}

/** The hits from `offset` on: every page gives as many as its rank allows, then the rest follows in the same order. */
function takeTurns(
  candidates: readonly Candidate[],
  offset: number,
  limit: number,
): { record: number; score: number }[] {
  const taken: { record: number; score: number }[] = [];
  const end = offset + limit;
  let at = 0;
  const take = (candidate: Candidate, from: number, to: number): void => {
    for (let turn = from; turn < Math.min(to, candidate.records.length) && at < end; turn++, at++) {
      if (at >= offset) taken.push({ record: candidate.records[turn] as number, score: candidate.score });
    }
  };
  for (const [rank, candidate] of candidates.entries()) {
    if (at >= end) return taken;
    take(candidate, 0, slotsOf(rank));
  }
  for (const [rank, candidate] of candidates.entries()) {
    if (at >= end) return taken;
    take(candidate, slotsOf(rank), candidate.records.length);
  }
  return taken;
}

function synonymTable(groups: readonly (readonly string[])[]): ReadonlyMap<string, readonly string[]> {
  const table = new Map<string, string[]>();
  for (const group of groups) {
    for (const member of group) {
      const others = group.filter((other) => other !== member);
      table.set(member, [...(table.get(member) ?? []), ...others]);
    }
  }
  return table;
}
