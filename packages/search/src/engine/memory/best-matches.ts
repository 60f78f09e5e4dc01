/** Through what each word of a query matched each record best; the tables are reused, as in `match-table.ts`. */
import type { IndexData } from "../index/index-format.ts";

/** A posting below this names the list of places of a phrase, which has no posting of its own. */
const NO_POSTING = -1;

export class BestMatches {
  readonly #data: IndexData;
  /** Per word, the posting through which a record matched best. */
  readonly #posting: Int32Array[] = [];
  /** Per word, how good that match is, 0–1. */
  readonly #quality: Float32Array[] = [];
  /** Per word, what its best place in a record is worth, 0–1. */
  readonly #worth: Float32Array[] = [];
  #phrases: (readonly number[])[] = [];

  constructor(data: IndexData) {
    this.#data = data;
  }

  /** Makes room for a word. */
  begin(word: number): void {
    const { recordCount } = this.#data.meta;
    this.#posting[word] ??= new Int32Array(recordCount);
    this.#quality[word] ??= new Float32Array(recordCount);
    this.#worth[word] ??= new Float32Array(recordCount);
  }

  set(word: number, record: number, posting: number, quality: number): void {
    (this.#posting[word] as Int32Array)[record] = posting;
    (this.#quality[word] as Float32Array)[record] = quality;
  }

  setWorth(word: number, record: number, worth: number): void {
    (this.#worth[word] as Float32Array)[record] = worth;
  }

  /** @returns The posting of a phrase that was found at these places. */
  addPhrase(occurrences: readonly number[]): number {
    this.#phrases.push(occurrences);
    return NO_POSTING - this.#phrases.length;
  }

  /** Only where the record has the word. */
  readQuality(word: number, record: number): number {
    return this.#quality[word]?.[record] ?? 0;
  }

  /** Only where the record has the word. */
  readWorth(word: number, record: number): number {
    return this.#worth[word]?.[record] ?? 0;
  }

  /** Only where the record has the word. */
  listOccurrences(word: number, record: number): Uint32Array | readonly number[] {
    const posting = this.#posting[word]?.[record] ?? 0;
    if (posting < NO_POSTING) return this.#phrases[NO_POSTING - 1 - posting] ?? [];
    const { occurrenceStart, occurrences } = this.#data.sections;
    return occurrences.subarray(occurrenceStart[posting], occurrenceStart[posting + 1]);
  }

  clear(): void {
    this.#phrases = [];
  }
}
