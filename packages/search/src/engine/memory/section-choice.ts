/**
 * Which section of a page answers: a heading and the text below it have one address. Among the sections of one page a word weighs
 * more the fewer of them contain it: a word of every section, or of the page's title, distinguishes none of them. Tables are
 * reused, as in `match-table.ts`.
 */
import { computeRarity } from "../../text/rarity.ts";
import { FIELD, FIELD_SHIFT, type IndexData, NO_RECORD, readTerms } from "../index/index-format.ts";
import type { MatchTable } from "./match-table.ts";
import { PART_MIX } from "./ranking.ts";

interface Section {
  readonly isHead: boolean;
  /** Whether it is the one for those who met a problem, which repeats the words of the others. */
  readonly isTrouble: boolean;
  /** The record that represents it: the one that fits best by itself. */
  record: number;
  /** How well that one fits. */
  fit: number;
  /** The words that its records have, a bit for each. */
  mask: number;
  name: number;
  /** How much of the query its heading says. */
  cover: number;
  proximity: number;
  score: number;
}

/** What a query is about. */
export interface Asked {
  /** Whether it says that something does not work. */
  readonly saysProblem: boolean;
  /** Whether it is a message as a program prints it. */
  readonly isMessage: boolean;
}

export interface PageParts extends Asked {
  readonly page: number;
  /** All records of the page with a word of the query. */
  readonly records: Uint32Array;
  readonly measureProximity: (record: number) => number;
}

/** Sections shown of a page on which none has every word. */
const MAX_PARTIAL_SECTIONS = 3;
/** A title that covers this share of the query's words that the best heading covers counts as equal to it. */
const SAME_COVER = 0.9;
/** Of equal fits, the record with every word, and the page's own, represent their section. */
const PREFERRED = 1;
/** Words of the headings of sections for those who met a problem. */
const TROUBLE_TERMS = ["troubleshooting", "wrong"];

export class SectionChoice {
  readonly #data: IndexData;
  readonly #table: MatchTable;
  /** Per page, its number of addresses. */
  readonly #sectionCount: Uint32Array;
  /** Per address, its place among the sections of this page plus one, 0 for none. */
  readonly #place: Uint32Array;
  /** Per record, 1 in a section for those who met a problem. */
  readonly #isTrouble: Uint8Array;
  /** What each word is worth in each section of this page, 0–1: one row for each section. */
  #worth = new Float64Array(0);
  /** Per word, how well it distinguishes the sections of this page. */
  readonly #weights: number[] = [];

  constructor(data: IndexData, table: MatchTable) {
    this.#data = data;
    this.#table = table;
    const { recordPage, recordUrl } = data.sections;
    const { pageCount, recordCount } = data.meta;
    this.#sectionCount = new Uint32Array(pageCount);
    this.#place = new Uint32Array(recordCount);
    for (let record = 0; record < recordCount; record++) {
      const url = recordUrl[record] as number;
      if (this.#place[url] === 1) continue;
      this.#place[url] = 1;
      const page = recordPage[record] as number;
      this.#sectionCount[page] = (this.#sectionCount[page] as number) + 1;
    }
    this.#place.fill(0);
    this.#isTrouble = findTroubleRecords(data);
  }

  /** A record for each section that answers, best first. */
  choose({ page, saysProblem, isMessage, records, measureProximity }: PageParts): number[] {
    const table = this.#table;
    const sections = this.#collect(page, records, measureProximity);
    this.#score(page, sections);
    const ofTrouble = isMessage ? PART_MIX.message : saysProblem ? 0 : -PART_MIX.trouble;
    for (const section of sections) if (section.isTrouble) section.score += ofTrouble;
    sections.sort((a, b) => b.score - a.score || a.record - b.record);
    const isComplete = ({ mask, isTrouble }: Section): boolean =>
      mask === table.fullMask && (saysProblem || !isTrouble);
    const chosen = sections.some(isComplete)
      ? sections.filter((section) => section.isHead || isComplete(section))
      : sections.slice(0, MAX_PARTIAL_SECTIONS);
    return chosen.map(({ record }) => record);
  }

  #collect(page: number, records: Uint32Array, measureProximity: (record: number) => number): Section[] {
    const { recordUrl, pageHead } = this.#data.sections;
    const table = this.#table;
    const { words, fullMask } = table;
    const head = pageHead[page] as number;
    const headUrl = head === NO_RECORD ? undefined : recordUrl[head];
    const room = words * Math.min(records.length, this.#sectionCount[page] as number);
    if (this.#worth.length < room) this.#worth = new Float64Array(room * 2);
    else this.#worth.fill(0, 0, room);
    const sections: Section[] = [];
    for (const record of records) {
      const url = recordUrl[record] as number;
      let place = this.#place[url] as number;
      if (place === 0) {
        const isHead = url === headUrl;
        place = sections.push({
          isHead,
          isTrouble: this.#isTrouble[record] === 1,
          record,
          fit: -1,
          mask: 0,
          name: 0,
          cover: 0,
          proximity: 0,
          score: 0,
        });
        this.#place[url] = place;
      }
      const section = sections[place - 1] as Section;
      const mask = table.maskOfRecord(record);
      section.mask |= mask;
      const row = (place - 1) * words;
      for (let word = 0; word < words; word++) {
        if (!table.hasWord(record, word)) continue;
        const worth = table.readWorth(word, record);
        if (worth > (this.#worth[row + word] as number)) this.#worth[row + word] = worth;
      }
      const proximity = measureProximity(record);
      section.proximity = Math.max(section.proximity, proximity);
      section.name = Math.max(section.name, section.isHead ? table.scoreTitle(record) : table.scoreNames(record));
      section.cover = Math.max(section.cover, table.measureTitleCover(record));
      const preferred = (mask === fullMask ? PREFERRED : 0) + (record === head ? PREFERRED : 0);
      const fit = table.scoreRecord(record) + proximity + preferred;
      if (fit > section.fit) {
        section.fit = fit;
        section.record = record;
      }
    }
    for (const record of records) this.#place[recordUrl[record] as number] = 0;
    return sections;
  }

  #score(page: number, sections: readonly Section[]): void {
    const { words, foundMask } = this.#table;
    const sum = this.#weighWords(page, sections.length);
    let cover = 0;
    for (const section of sections) if (!section.isHead) cover = Math.max(cover, section.cover);
    const isOneWord = (foundMask & (foundMask - 1)) === 0;
    for (const [at, section] of sections.entries()) {
      let fit = 0;
      for (let word = 0; word < words; word++) {
        fit += (this.#worth[at * words + word] as number) * (this.#weights[word] as number);
      }
      section.score = (PART_MIX.section * fit) / sum + PART_MIX.proximity * section.proximity;
      if (!section.isHead) section.score += PART_MIX.heading * section.name;
      else {
        section.score += PART_MIX.title * section.name - PART_MIX.head;
        // One word that is in the page's name asks for the page, not for a section with the same word in its heading.
        if (isOneWord && section.cover > 0 && section.cover >= cover * SAME_COVER) section.score += PART_MIX.named;
      }
    }
  }

  /** @returns The sum of the weights. */
  #weighWords(page: number, sections: number): number {
    const { words } = this.#table;
    const all = this.#sectionCount[page] as number;
    let sum = 0;
    for (let word = 0; word < words; word++) {
      let having = 0;
      for (let at = 0; at < sections; at++) if ((this.#worth[at * words + word] as number) > 0) having += 1;
      const rarity = computeRarity(all, having);
      const weight = this.#table.rarityOfWord(word) ** PART_MIX.globalRarity * rarity;
      this.#weights[word] = weight;
      sum += weight;
    }
    return sum || 1;
  }
}

/** Records of headings with such a word, and of what is below them. */
function findTroubleRecords(data: IndexData): Uint8Array {
  const { termStart, postingRecord, occurrenceStart, occurrences } = data.sections;
  const found = new Uint8Array(data.meta.recordCount);
  const terms = readTerms(data);
  for (const word of TROUBLE_TERMS) {
    const term = terms.indexOf(word);
    if (term < 0) continue;
    for (let posting = termStart[term] as number; posting < (termStart[term + 1] as number); posting++) {
      for (let at = occurrenceStart[posting] as number; at < (occurrenceStart[posting + 1] as number); at++) {
        const field = (occurrences[at] as number) >>> FIELD_SHIFT;
        if (field === FIELD.heading || field === FIELD.context) found[postingRecord[posting] as number] = 1;
      }
    }
  }
  return found;
}
