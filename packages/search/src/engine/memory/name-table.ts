/**
 * How well the names of pages and sections fit a query: titles, aliases, headings. A name that the query says whole is
 * worth more than a long one that has the query's words among others. Tables are reused, as in `match-table.ts`.
 */
import { ALIAS_STRIDE, FIELD, FIELD_SHIFT, type IndexData, POSITION_MASK } from "../index/index-format.ts";
import { NAME_WEIGHTS } from "./ranking.ts";

export class NameTable {
  readonly #data: IndexData;
  /** Of the word that is being added, the best quality in each name. */
  readonly #best: Float32Array;
  readonly #wordNames: Uint32Array;
  #wordNameCount = 0;
  /** Of all words so far: the sum of their rarities times qualities, and how many words of the name they are. */
  readonly #answered: Float32Array;
  readonly #named: Uint16Array;
  readonly #names: Uint32Array;
  #nameCount = 0;
  #querySum = 0;

  constructor(data: IndexData) {
    const names = data.sections.nameWords.length;
    this.#data = data;
    this.#best = new Float32Array(names);
    this.#wordNames = new Uint32Array(names);
    this.#answered = new Float32Array(names);
    this.#named = new Uint16Array(names);
    this.#names = new Uint32Array(names);
  }

  /** @param querySum The query as a whole, see {@link describeName}. */
  begin(querySum: number): void {
    this.#querySum = querySum;
  }

  /** Notes an occurrence of the word that is being added. */
  mark(record: number, occurrence: number, quality: number): void {
    const field = occurrence >>> FIELD_SHIFT;
    const { nameStart } = this.#data.sections;
    let name = nameStart[record] as number;
    if (field === FIELD.alias || field === FIELD.question)
      name += 1 + Math.floor((occurrence & POSITION_MASK) / ALIAS_STRIDE);
    else if (field !== FIELD.title && field !== FIELD.heading) return;
    if (name >= (nameStart[record + 1] as number)) return;
    const before = this.#best[name] as number;
    if (before === 0) this.#wordNames[this.#wordNameCount++] = name;
    if (quality > before) this.#best[name] = quality;
  }

  /** @param size How many words the word is written with. */
  endWord(rarity: number, size: number): void {
    for (let at = 0; at < this.#wordNameCount; at++) {
      const name = this.#wordNames[at] as number;
      if (this.#named[name] === 0) this.#names[this.#nameCount++] = name;
      this.#answered[name] = (this.#answered[name] as number) + rarity * (this.#best[name] as number);
      this.#named[name] = (this.#named[name] as number) + size;
      this.#best[name] = 0;
    }
    this.#wordNameCount = 0;
  }

  /** How much of the query the record's names answer, and how much of the name the query says; aliases count less. */
  scoreNames(record: number): number {
    const { nameStart } = this.#data.sections;
    const first = nameStart[record] as number;
    const end = nameStart[record + 1] as number;
    let best = first < end ? this.#fitOfName(first) : 0;
    for (let name = first + 1; name < end; name++) best = Math.max(best, this.#fitOfName(name) * NAME_WEIGHTS.alias);
    return best;
  }

  /** The same for the record's title or heading alone. */
  scoreTitle(record: number): number {
    const { nameStart } = this.#data.sections;
    const first = nameStart[record] as number;
    return first < (nameStart[record + 1] as number) ? this.#fitOfName(first) : 0;
  }

  /** How much of the query the record's title or heading says, whatever else it says. */
  readTitleCover(record: number): number {
    const { nameStart } = this.#data.sections;
    const first = nameStart[record] as number;
    return first < (nameStart[record + 1] as number) ? (this.#answered[first] as number) : 0;
  }

  #fitOfName(name: number): number {
    const named = this.#named[name] as number;
    if (named === 0) return 0;
    const { nameWords, nameSum } = this.#data.sections;
    const share = Math.min(1, named / Math.max(1, nameWords[name] as number));
    const whole = this.#querySum !== 0 && nameSum[name] === this.#querySum ? NAME_WEIGHTS.whole : 0;
    return (this.#answered[name] as number) * (1 - NAME_WEIGHTS.share + NAME_WEIGHTS.share * share + whole);
  }

  clear(): void {
    for (let at = 0; at < this.#nameCount; at++) {
      const name = this.#names[at] as number;
      this.#answered[name] = 0;
      this.#named[name] = 0;
    }
    this.#nameCount = 0;
  }
}
