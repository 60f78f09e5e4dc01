/**
 * Which pages and records the words of one query occur in, and how well. Tables as long as the index, made once and reused:
 * a search cleans what it touched, so that its cost follows the matches and not the size of the index.
 */

import { computeRarity } from "../../text/rarity.ts";
import { CAMEL_BIT, FIELD, FIELD_SHIFT, type IndexData } from "../index/index-format.ts";
import { BestMatches } from "./best-matches.ts";
import { NameTable } from "./name-table.ts";
import { findPhrase } from "./phrase-places.ts";
import {
  LENGTH_PENALTY,
  MANY_PAGES,
  MANY_POSTINGS,
  MIN_RARITY,
  PAGE_WEIGHTS,
  QUALITY,
  RECORD_WEIGHTS,
  SATURATION,
  TOP_RECORD_WEIGHT,
} from "./ranking.ts";
import { SectionTable } from "./section-table.ts";
import { countPostings } from "./shared-pages.ts";
import type { Alternatives, Meanings } from "./word-alternatives.ts";

/** Bits of the words that a page or record has; those of which it has a hint only are this many further up. */
const HINT_SHIFT = 16;
const ALL_WORDS = 2 ** HINT_SHIFT - 1;

type Phrase = Alternatives["phrases"][number];

/** Of all pages, for an index that holds only some of them. */
export interface CorpusStatistics {
  readonly pageCount: number;
  /** Per word, the pages that have it. */
  readonly pagesWith: readonly number[];
}

export interface AddWordsOptions {
  /** A byte per record, 0 where a filter forbids it. */
  readonly allowed: Uint8Array | undefined;
  /** Per word, how many words it is written with. */
  readonly sizes: readonly number[];
  /** Per word, how much it counts beside how rare it is, above 0 up to 1. */
  readonly weights: readonly number[];
  /** The query as a whole, see `describeName`. */
  readonly querySum: number;
  /** Default: the index holds every page. */
  readonly statistics?: CorpusStatistics;
}

export class MatchTable {
  readonly #data: IndexData;
  readonly #pageNorm: Float32Array;
  readonly #names: NameTable;
  readonly #sections: SectionTable;
  readonly #matches: BestMatches;

  // Sums of the word that is being added.
  readonly #headSum: Float32Array;
  readonly #textSum: Float32Array;
  readonly #recordBest: Float32Array;
  readonly #wordPages: Uint32Array;
  #wordPageCount = 0;
  readonly #wordRecords: Uint32Array;
  #wordRecordCount = 0;
  /** How many of these have the word and not only a hint of it; they are first. */
  #surePageCount = 0;
  #sureRecordCount = 0;

  // Of all words so far.
  readonly #pageScore: Float32Array;
  readonly #pageCover: Float32Array;
  readonly #pageMask: Uint32Array;
  readonly #recordScore: Float32Array;
  readonly #recordMask: Uint32Array;
  #rarities: number[] = [];
  #totalRarity = 0;
  #fullMask = 0;
  #foundMask = 0;
  readonly #pages: Uint32Array;
  #pageCount = 0;
  readonly #records: Uint32Array;
  #recordCount = 0;

  constructor(data: IndexData) {
    const { pageCount, recordCount, averagePageWords } = data.meta;
    this.#data = data;
    this.#names = new NameTable(data);
    this.#sections = new SectionTable(data);
    this.#matches = new BestMatches(data);
    const mean = averagePageWords || 1;
    const computeNorm = (words: number): number => 1 - LENGTH_PENALTY + (LENGTH_PENALTY * words) / mean;
    this.#pageNorm = Float32Array.from(data.sections.pageWords, computeNorm);
    this.#wordPages = new Uint32Array(pageCount);
    this.#wordRecords = new Uint32Array(recordCount);
    this.#pages = new Uint32Array(pageCount);
    this.#records = new Uint32Array(recordCount);
    this.#headSum = new Float32Array(pageCount);
    this.#textSum = new Float32Array(pageCount);
    this.#recordBest = new Float32Array(recordCount);
    this.#pageScore = new Float32Array(pageCount);
    this.#pageCover = new Float32Array(pageCount);
    this.#pageMask = new Uint32Array(pageCount);
    this.#recordScore = new Float32Array(recordCount);
    this.#recordMask = new Uint32Array(recordCount);
  }

  /** Pages with at least one of the words; valid until the next change. */
  get pages(): Uint32Array {
    return this.#pages.subarray(0, this.#pageCount);
  }

  /** Records with at least one of the words; valid until the next change. */
  get records(): Uint32Array {
    return this.#records.subarray(0, this.#recordCount);
  }

  /** Words of the query. */
  get words(): number {
    return this.#rarities.length;
  }

  /** A bit for every word. */
  get fullMask(): number {
    return this.#fullMask;
  }

  /** The words that any record of all pages has, a bit for each. */
  get foundMask(): number {
    return this.#foundMask;
  }

  /** The words that a page has, a bit for each. */
  maskOfPage(page: number): number {
    return (this.#pageMask[page] as number) & ALL_WORDS;
  }

  /** The words that a record has, its headings included. */
  maskOfRecord(record: number): number {
    return (this.#recordMask[record] as number) & ALL_WORDS;
  }

  /** Whether a record has the word or a hint of it. */
  hasWord(record: number, word: number): boolean {
    return ((this.#recordMask[record] as number) & ((1 | (1 << HINT_SHIFT)) << word)) !== 0;
  }

  /** How much of the query a page has, 0–1, rare words counting more. */
  measureCoverage(page: number): number {
    return (this.#pageCover[page] as number) / this.#totalRarity;
  }

  /** How well a page's text fits the query, 0–1. */
  scoreText(page: number): number {
    return (this.#pageScore[page] as number) / this.#totalRarity;
  }

  /** How well a record fits the query, 0–1. */
  scoreRecord(record: number): number {
    return (this.#recordScore[record] as number) / this.#totalRarity;
  }

  /** How well the section that the record is in fits the query, 0–1. */
  scoreSection(record: number): number {
    return this.#sections.readScore(record) / this.#totalRarity;
  }

  /** How well the record's title, aliases or heading fit the query, 0–1. */
  scoreNames(record: number): number {
    return this.#names.scoreNames(record) / this.#totalRarity;
  }

  /** The same for the record's title or heading alone. */
  scoreTitle(record: number): number {
    return this.#names.scoreTitle(record) / this.#totalRarity;
  }

  /** How good the best match of a word in a record is. Only where the record has the word. */
  readQuality(word: number, record: number): number {
    return this.#matches.readQuality(word, record);
  }

  /** What the best place of a word in a record is worth, 0–1. Only where the record has the word. */
  readWorth(word: number, record: number): number {
    return this.#matches.readWorth(word, record);
  }

  /** How much of the query the record's title or heading says, 0–1. */
  measureTitleCover(record: number): number {
    return this.#names.readTitleCover(record) / this.#totalRarity;
  }

  /** How much a word counts: how rare it is among all pages, times its weight. */
  rarityOfWord(word: number): number {
    return this.#rarities[word] ?? 0;
  }

  /** The places of a word in a record, by its best match. Only where the record has the word. */
  listOccurrences(word: number, record: number): Uint32Array | readonly number[] {
    return this.#matches.listOccurrences(word, record);
  }

  /**
   * Marks the records in which the words of a query occur.
   *
   * Words with few occurrences are first. Once they have named {@link MANY_PAGES} pages, a word with more than {@link
   * MANY_POSTINGS} postings counts on those pages only: a page without any of the rarer words would rank below them.
   */
  addWords(words: readonly Alternatives[], { allowed, sizes, weights, querySum, statistics }: AddWordsOptions): void {
    const costs = words.map((word) => countPostings(this.#data, [word, word.hints]));
    const order = words.map((_, word) => word).sort((a, b) => (costs[a] as number) - (costs[b] as number));
    this.#rarities = words.map(() => 0);
    this.#fullMask = 2 ** words.length - 1;
    this.#names.begin(querySum);
    for (const word of order) {
      const isBounded = this.#pageCount >= MANY_PAGES && (costs[word] as number) > MANY_POSTINGS;
      this.#markWord(word, words[word] as Alternatives, allowed, isBounded);
      // Where only some pages were read, the word's postings show how common it is.
      const pages = isBounded ? Math.min(costs[word] as number, this.#data.meta.pageCount) : this.#wordPageCount;
      const rarity =
        (statistics === undefined
          ? boundRarity(pages, this.#data.meta.pageCount)
          : boundRarity(statistics.pagesWith[word] as number, statistics.pageCount)) * (weights[word] as number);
      this.#rarities[word] = rarity;
      // A page without the word must not take the query for a shorter one.
      const isFound = statistics === undefined ? this.#wordRecordCount > 0 : (statistics.pagesWith[word] as number) > 0;
      if (isFound) this.#foundMask |= 1 << word;
      this.#totalRarity += rarity;
      this.#addWord(word, rarity);
      this.#names.endWord(rarity, sizes[word] as number);
      this.#sections.endWord(rarity);
    }
  }

  #markWord(word: number, alternatives: Alternatives, allowed: Uint8Array | undefined, isBounded: boolean): void {
    this.#matches.begin(word);
    const add = ({ terms, phrases }: Meanings): void => {
      for (const [term, quality] of terms) this.#addTerm(word, term, quality, allowed, isBounded);
      for (const phrase of phrases) this.#addPhrase(word, phrase, allowed, isBounded);
    };
    add(alternatives);
    this.#surePageCount = this.#wordPageCount;
    this.#sureRecordCount = this.#wordRecordCount;
    add(alternatives.hints);
  }

  /** Adds what was marked to the sums of all words. */
  #addWord(word: number, rarity: number): void {
    const sure = 1 << word;
    const hinted = sure << HINT_SHIFT;
    for (let at = 0; at < this.#wordPageCount; at++) {
      const page = this.#wordPages[at] as number;
      const sum = (this.#headSum[page] as number) + (this.#textSum[page] as number) / (this.#pageNorm[page] as number);
      if (this.#pageMask[page] === 0) this.#pages[this.#pageCount++] = page;
      const isSure = at < this.#surePageCount;
      this.#pageMask[page] = (this.#pageMask[page] as number) | (isSure ? sure : hinted);
      this.#pageScore[page] = (this.#pageScore[page] as number) + (rarity * sum) / (sum + SATURATION);
      this.#pageCover[page] = (this.#pageCover[page] as number) + (isSure ? rarity : 0);
      this.#headSum[page] = 0;
      this.#textSum[page] = 0;
    }
    for (let at = 0; at < this.#wordRecordCount; at++) {
      const record = this.#wordRecords[at] as number;
      if (this.#recordMask[record] === 0) this.#records[this.#recordCount++] = record;
      this.#recordMask[record] = (this.#recordMask[record] as number) | (at < this.#sureRecordCount ? sure : hinted);
      const share = Math.min(1, (this.#recordBest[record] as number) / TOP_RECORD_WEIGHT);
      this.#recordScore[record] = (this.#recordScore[record] as number) + rarity * share;
      this.#sections.mark(record, share);
      this.#matches.setWorth(word, record, share);
      this.#recordBest[record] = 0;
    }
    this.#wordPageCount = 0;
    this.#wordRecordCount = 0;
  }

  /** Makes the table ready for the next query. */
  clear(): void {
    this.#names.clear();
    this.#sections.clear();
    for (const page of this.pages) {
      this.#pageMask[page] = 0;
      this.#pageScore[page] = 0;
      this.#pageCover[page] = 0;
    }
    for (const record of this.records) {
      this.#recordMask[record] = 0;
      this.#recordScore[record] = 0;
    }
    this.#pageCount = 0;
    this.#recordCount = 0;
    this.#rarities = [];
    this.#totalRarity = 0;
    this.#fullMask = 0;
    this.#foundMask = 0;
    this.#matches.clear();
  }

  #addTerm(word: number, term: number, quality: number, allowed: Uint8Array | undefined, isBounded: boolean): void {
    const { termStart, postingRecord, recordPage, occurrenceStart, occurrences } = this.#data.sections;
    const end = termStart[term + 1] as number;
    for (let posting = termStart[term] as number; posting < end; posting++) {
      const record = postingRecord[posting] as number;
      if (allowed !== undefined && allowed[record] === 0) continue;
      if (isBounded && this.#pageMask[recordPage[record] as number] === 0) continue;
      const from = occurrenceStart[posting] as number;
      this.#mark(word, record, quality, posting, occurrences, from, occurrenceStart[posting + 1] as number);
    }
  }

  /** Records where the parts are side by side, counted like one term. */
  #addPhrase(word: number, phrase: Phrase, allowed: Uint8Array | undefined, isBounded: boolean): void {
    const { parts, quality } = phrase;
    const { recordPage } = this.#data.sections;
    for (const [record, ends] of findPhrase(this.#data, parts, allowed)) {
      if (isBounded && this.#pageMask[recordPage[record] as number] === 0) continue;
      this.#mark(word, record, quality, this.#matches.addPhrase(ends), ends, 0, ends.length);
    }
  }

  /** Adds the occurrences of a word in a record: list[from] up to list[to]. */
  #mark(
    word: number,
    record: number,
    quality: number,
    posting: number,
    list: Uint32Array | readonly number[],
    from: number,
    to: number,
  ): void {
    let head = 0;
    let text = 0;
    let best = 0;
    for (let at = from; at < to; at++) {
      const occurrence = list[at] as number;
      const field = occurrence >>> FIELD_SHIFT;
      const factor = (occurrence & CAMEL_BIT) === 0 ? quality : quality * QUALITY.camelPart;
      const forPage = factor * (PAGE_WEIGHTS[field] as number);
      if (field === FIELD.content) text += forPage;
      else {
        head += forPage;
        if (field !== FIELD.context) this.#names.mark(record, occurrence, factor);
      }
      const forRecord = factor * (RECORD_WEIGHTS[field] as number);
      if (forRecord > best) best = forRecord;
    }
    const page = this.#data.sections.recordPage[record] as number;
    if (head + text > 0) {
      if (this.#headSum[page] === 0 && this.#textSum[page] === 0) this.#wordPages[this.#wordPageCount++] = page;
      this.#headSum[page] = (this.#headSum[page] as number) + head;
      this.#textSum[page] = (this.#textSum[page] as number) + text;
    }
    const before = this.#recordBest[record] as number;
    if (before === 0) this.#wordRecords[this.#wordRecordCount++] = record;
    if (best <= before) return;
    this.#recordBest[record] = best;
    this.#matches.set(word, record, posting, quality);
  }
}

/** How rare a word is among pages. */
function boundRarity(pages: number, all: number): number {
  if (pages === 0) return 1;
  return Math.max(MIN_RARITY, computeRarity(all, pages));
}
