/**
 * How well the sections of pages fit a query: a heading and the paragraphs below it have one address, and each word counts
 * by its best place among them. A question is rarely answered in one paragraph, and a page that has its words far apart
 * answers another one. Tables are reused, as in `match-table.ts`.
 */
import type { IndexData } from "../index/index-format.ts";

export class SectionTable {
  readonly #sectionByRecord: Uint32Array;
  /** Of the word that is being added, what it is worth in each section, 0–1. */
  readonly #best: Float32Array;
  readonly #wordSections: Uint32Array;
  #wordSectionCount = 0;
  /** Of all words so far: the sum of their rarities times worths. */
  readonly #score: Float32Array;
  readonly #sections: Uint32Array;
  #sectionCount = 0;

  constructor({ meta, sections }: IndexData) {
    this.#sectionByRecord = sections.recordUrl;
    this.#best = new Float32Array(meta.recordCount);
    this.#wordSections = new Uint32Array(meta.recordCount);
    this.#score = new Float32Array(meta.recordCount);
    this.#sections = new Uint32Array(meta.recordCount);
  }

  /** Notes a record of the word that is being added, and what the word is worth to it, 0–1. */
  mark(record: number, worth: number): void {
    const section = this.#sectionByRecord[record] as number;
    const before = this.#best[section] as number;
    if (before === 0) this.#wordSections[this.#wordSectionCount++] = section;
    if (worth > before) this.#best[section] = worth;
  }

  endWord(rarity: number): void {
    for (let at = 0; at < this.#wordSectionCount; at++) {
      const section = this.#wordSections[at] as number;
      if (this.#score[section] === 0) this.#sections[this.#sectionCount++] = section;
      this.#score[section] = (this.#score[section] as number) + rarity * (this.#best[section] as number);
      this.#best[section] = 0;
    }
    this.#wordSectionCount = 0;
  }

  /** What the record's section is worth: up to the sum of the words' rarities. */
  readScore(record: number): number {
    return this.#score[this.#sectionByRecord[record] as number] as number;
  }

  clear(): void {
    for (let at = 0; at < this.#sectionCount; at++) this.#score[this.#sections[at] as number] = 0;
    this.#sectionCount = 0;
  }
}
