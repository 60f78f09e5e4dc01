/**
 * Which pages and records the words of one query occur in, and how well. Tables as long as the index, made once and reused:
 * a search cleans what it touched, so that its cost follows the matches and not the size of the index.
 */
import { CAMEL_BIT, FIELD, FIELD_SHIFT, type IndexData } from "./index-format.ts";
import {
  LENGTH_PENALTY,
  MIN_RARITY,
  PAGE_WEIGHTS,
  QUALITY,
  RECORD_WEIGHTS,
  SATURATION,
  TOP_RECORD_WEIGHT,
} from "./ranking.ts";
import type { Alternatives } from "./word-alternatives.ts";

const NO_POSTING = -1;

export class MatchTable {
  readonly #data: IndexData;
  readonly #pageNorm: Float32Array;

  // Sums of the word that is being added.
  readonly #headSum: Float32Array;
  readonly #textSum: Float32Array;
  readonly #recordBest: Float32Array;
  readonly #wordPages: number[] = [];
  readonly #wordRecords: number[] = [];

  // Of all words so far.
  readonly #pageScore: Float32Array;
  readonly #pageCover: Float32Array;
  readonly #pageMask: Uint32Array;
  readonly #recordScore: Float32Array;
  readonly #recordMask: Uint32Array;
  /** Per word, the posting through which a record matched best; below {@link NO_POSTING} it names a phrase's own list. */
  readonly #recordPosting: Int32Array[] = [];
  /** Per word, how good that match is, 0–1. */
  readonly #recordQuality: Float32Array[] = [];
  #phraseOccurrences: (readonly number[])[] = [];
  #rarities: number[] = [];
  #totalRarity = 0;
  readonly pages: number[] = [];
  readonly records: number[] = [];

  constructor(data: IndexData) {
    const { pageCount, recordCount, averagePageWords } = data.meta;
    this.#data = data;
    const mean = averagePageWords || 1;
    const normOf = (words: number): number => 1 - LENGTH_PENALTY + (LENGTH_PENALTY * words) / mean;
    this.#pageNorm = Float32Array.from(data.sections.pageWords, normOf);
    this.#headSum = new Float32Array(pageCount);
    this.#textSum = new Float32Array(pageCount);
    this.#recordBest = new Float32Array(recordCount);
    this.#pageScore = new Float32Array(pageCount);
    this.#pageCover = new Float32Array(pageCount);
    this.#pageMask = new Uint32Array(pageCount);
    this.#recordScore = new Float32Array(recordCount);
    this.#recordMask = new Uint32Array(recordCount);
  }

  /** Words added so far. */
  get words(): number {
    return this.#rarities.length;
  }

  /** A bit for every word. */
  get fullMask(): number {
    return 2 ** this.#rarities.length - 1;
  }

  /** How rare a word is, relative to all words of the query: 0–1. */
  shareOf(word: number): number {
    return (this.#rarities[word] as number) / this.#totalRarity;
  }

  /** The words that a page has, a bit for each. */
  maskOfPage(page: number): number {
    return this.#pageMask[page] as number;
  }

  /** The words that a record has, its headings included. */
  maskOfRecord(record: number): number {
    return this.#recordMask[record] as number;
  }

  /** How much of the query a page has, 0–1, rare words counting more. */
  coverageOf(page: number): number {
    return (this.#pageCover[page] as number) / this.#totalRarity;
  }

  /** How well a page's text fits the query, 0–1. */
  textScoreOf(page: number): number {
    return (this.#pageScore[page] as number) / this.#totalRarity;
  }

  /** How well a record fits the query, 0–1. */
  recordScoreOf(record: number): number {
    return (this.#recordScore[record] as number) / this.#totalRarity;
  }

  /** How good the best match of a word in a record is. Only where the record has the word. */
  qualityOf(word: number, record: number): number {
    return this.#recordQuality[word]?.[record] ?? 0;
  }

  /** Where a word stands in a record, by its best match. Only where the record has the word. */
  occurrencesOf(word: number, record: number): Uint32Array | readonly number[] {
    const posting = this.#recordPosting[word]?.[record] ?? 0;
    if (posting < NO_POSTING) return this.#phraseOccurrences[NO_POSTING - 1 - posting] ?? [];
    const { occurrenceStart, occurrences } = this.#data.sections;
    return occurrences.subarray(occurrenceStart[posting], occurrenceStart[posting + 1]);
  }

  /**
   * Adds the next word of the query.
   *
   * @param allowed A byte per record, 0 where a filter forbids it.
   */
  addWord({ terms, phrases }: Alternatives, allowed: Uint8Array | undefined): void {
    const word = this.#rarities.length;
    const { recordCount } = this.#data.meta;
    this.#recordPosting[word] ??= new Int32Array(recordCount);
    this.#recordQuality[word] ??= new Float32Array(recordCount);
    for (const [term, quality] of terms) this.#addTerm(word, term, quality, allowed);
    for (const { parts, quality } of phrases) this.#addPhrase(word, parts, quality, allowed);

    const rarity = this.#rarityOf(this.#wordPages.length);
    this.#rarities.push(rarity);
    this.#totalRarity += rarity;
    const bit = 1 << word;
    for (const page of this.#wordPages) {
      const sum = (this.#headSum[page] as number) + (this.#textSum[page] as number) / (this.#pageNorm[page] as number);
      if (this.#pageMask[page] === 0) this.pages.push(page);
      this.#pageMask[page] = (this.#pageMask[page] as number) | bit;
      this.#pageScore[page] = (this.#pageScore[page] as number) + (rarity * sum) / (sum + SATURATION);
      this.#pageCover[page] = (this.#pageCover[page] as number) + rarity;
      this.#headSum[page] = 0;
      this.#textSum[page] = 0;
    }
    for (const record of this.#wordRecords) {
      if (this.#recordMask[record] === 0) this.records.push(record);
      this.#recordMask[record] = (this.#recordMask[record] as number) | bit;
      const share = Math.min(1, (this.#recordBest[record] as number) / TOP_RECORD_WEIGHT);
      this.#recordScore[record] = (this.#recordScore[record] as number) + rarity * share;
      this.#recordBest[record] = 0;
    }
    this.#wordPages.length = 0;
    this.#wordRecords.length = 0;
  }

  /** Makes the table ready for the next query. */
  clear(): void {
    for (const page of this.pages) {
      this.#pageMask[page] = 0;
      this.#pageScore[page] = 0;
      this.#pageCover[page] = 0;
    }
    for (const record of this.records) {
      this.#recordMask[record] = 0;
      this.#recordScore[record] = 0;
    }
    this.pages.length = 0;
    this.records.length = 0;
    this.#rarities = [];
    this.#totalRarity = 0;
    this.#phraseOccurrences = [];
  }

  /** BM25's inverse document frequency over pages. */
  #rarityOf(pages: number): number {
    if (pages === 0) return 1;
    const all = this.#data.meta.pageCount;
    return Math.max(MIN_RARITY, Math.log(1 + (all - pages + 0.5) / (pages + 0.5)));
  }

  #addTerm(word: number, term: number, quality: number, allowed: Uint8Array | undefined): void {
    const { termStart, postingRecord, occurrenceStart, occurrences } = this.#data.sections;
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
      this.#mark(word, record, head, text, best, quality, posting);
    }
  }

  #mark(
    word: number,
    record: number,
    head: number,
    text: number,
    best: number,
    quality: number,
    posting: number,
  ): void {
    const page = this.#data.sections.recordPage[record] as number;
    if (head + text > 0) {
      if (this.#headSum[page] === 0 && this.#textSum[page] === 0) this.#wordPages.push(page);
      this.#headSum[page] = (this.#headSum[page] as number) + head;
      this.#textSum[page] = (this.#textSum[page] as number) + text;
    }
    const before = this.#recordBest[record] as number;
    if (before === 0) this.#wordRecords.push(record);
    if (best <= before) return;
    this.#recordBest[record] = best;
    (this.#recordPosting[word] as Int32Array)[record] = posting;
    (this.#recordQuality[word] as Float32Array)[record] = quality;
  }

  /** Records where the parts stand side by side, counted like one term. */
  #addPhrase(
    word: number,
    parts: readonly (readonly number[])[],
    quality: number,
    allowed: Uint8Array | undefined,
  ): void {
    let open: ReadonlyMap<number, readonly number[]> | undefined;
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
      this.#phraseOccurrences.push(ends);
      this.#mark(word, record, head, text, best, quality, NO_POSTING - this.#phraseOccurrences.length);
    }
  }

  /** From the places where a phrase's beginning ends to those where it ends with one more word. */
  #continuePhrase(
    open: ReadonlyMap<number, readonly number[]> | undefined,
    part: readonly number[],
    allowed: Uint8Array | undefined,
  ): Map<number, number[]> {
    const { termStart, postingRecord, occurrenceStart, occurrences } = this.#data.sections;
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
}
