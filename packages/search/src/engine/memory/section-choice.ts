/**
 * Which section of a page answers: a heading and what stands below it have one address. Among the sections of one page a word
 * says as much as few of them have it: what every section says, or inherits from the page's title, tells none from the others.
 */
import { type IndexData, NO_RECORD } from "../index/index-format.ts";
import type { MatchTable } from "./match-table.ts";
import { PART_MIX } from "./ranking.ts";

interface Section {
  readonly url: number;
  /** The record that stands for it: the one that fits best by itself. */
  record: number;
  /** What each word is worth in it, 0–1. */
  readonly words: Float64Array;
  heading: number;
  /** How much of the query its heading says. */
  cover: number;
  proximity: number;
  isHead: boolean;
  isComplete: boolean;
  score: number;
}

export interface PageParts {
  readonly page: number;
  /** All records of the page with a word of the query. */
  readonly records: Uint32Array;
  readonly proximityOf: (record: number) => number;
}

/** A title that says this much of what the best heading says of the query, says as much. */
const SAME_COVER = 0.9;
/** Sections shown of a page on which none has every word. */
const MAX_PARTIAL_SECTIONS = 3;

export class SectionChoice {
  readonly #data: IndexData;
  readonly #table: MatchTable;
  /** Per page, its number of addresses. */
  readonly #sectionCount: Uint32Array;

  constructor(data: IndexData, table: MatchTable) {
    this.#data = data;
    this.#table = table;
    const { recordPage, recordUrl } = data.sections;
    this.#sectionCount = new Uint32Array(data.meta.pageCount);
    const seen = new Uint8Array(data.meta.recordCount);
    for (let record = 0; record < recordPage.length; record++) {
      const url = recordUrl[record] as number;
      if (seen[url] === 1) continue;
      seen[url] = 1;
      const page = recordPage[record] as number;
      this.#sectionCount[page] = (this.#sectionCount[page] as number) + 1;
    }
  }

  /** A record for each section that answers, best first. */
  choose({ page, records, proximityOf }: PageParts): number[] {
    const table = this.#table;
    const sections = this.#collect(page, records, proximityOf);
    const weights = this.#weighWords(page, sections);
    const sum = weights.reduce((total, weight) => total + weight, 0) || 1;
    const cover = sections.reduce((most, section) => (section.isHead ? most : Math.max(most, section.cover)), 0);
    const isOneWord = (table.foundMask & (table.foundMask - 1)) === 0;
    for (const section of sections) {
      const fit = section.words.reduce((total, worth, word) => total + worth * (weights[word] as number), 0) / sum;
      const isNamed = section.isHead && isOneWord && section.cover > 0 && section.cover >= cover * SAME_COVER;
      section.score =
        (isNamed ? 1 : 0) +
        PART_MIX.section * fit +
        PART_MIX.proximity * section.proximity +
        (section.isHead ? PART_MIX.title * section.heading - PART_MIX.head : PART_MIX.heading * section.heading);
    }
    sections.sort((a, b) => b.score - a.score || a.record - b.record);
    const complete = sections.filter(({ isComplete, isHead }) => isComplete || isHead);
    const chosen = complete.some(({ isComplete }) => isComplete) ? complete : sections.slice(0, MAX_PARTIAL_SECTIONS);
    return chosen.map(({ record }) => record);
  }

  #collect(page: number, records: Uint32Array, proximityOf: (record: number) => number): Section[] {
    const { recordUrl, pageHead } = this.#data.sections;
    const table = this.#table;
    const head = pageHead[page] as number;
    const headUrl = head === NO_RECORD ? undefined : recordUrl[head];
    const byUrl = new Map<number, Section>();
    const masks = new Map<number, number>();
    const fits = new Map<number, number>();
    for (const record of records) {
      const url = recordUrl[record] as number;
      let section = byUrl.get(url);
      if (section === undefined) {
        const words = new Float64Array(table.words);
        section = {
          url,
          record,
          words,
          heading: 0,
          cover: 0,
          proximity: 0,
          isHead: url === headUrl,
          isComplete: false,
          score: 0,
        };
        byUrl.set(url, section);
      }
      const mask = table.maskOfRecord(record);
      masks.set(url, (masks.get(url) ?? 0) | mask);
      for (let word = 0; word < table.words; word++) {
        if (!table.hasWord(record, word)) continue;
        const worth = table.worthOf(word, record);
        if (worth > (section.words[word] as number)) section.words[word] = worth;
      }
      const proximity = proximityOf(record);
      section.heading = Math.max(section.heading, section.isHead ? table.titleFitOf(record) : table.nameFitOf(record));
      section.cover = Math.max(section.cover, table.titleCoverOf(record));
      section.proximity = Math.max(section.proximity, proximity);
      const fit =
        table.recordScoreOf(record) + proximity + (mask === table.fullMask ? 1 : 0) + (record === head ? 1 : 0);
      if (fit > (fits.get(url) ?? -1)) {
        fits.set(url, fit);
        section.record = record;
      }
    }
    for (const section of byUrl.values()) {
      section.isComplete = masks.get(section.url) === table.fullMask;
    }
    return [...byUrl.values()];
  }

  /** Per word, how much it tells the sections of the page apart. */
  #weighWords(page: number, sections: readonly Section[]): number[] {
    const all = this.#sectionCount[page] as number;
    return Array.from({ length: this.#table.words }, (_, word) => {
      const having = sections.filter(({ words }) => (words[word] as number) > 0).length;
      const rarity = Math.log(1 + (all - having + 0.5) / (having + 0.5));
      return this.#table.rarityOfWord(word) ** PART_MIX.globalRarity * rarity;
    });
  }
}
