/** Whether a page has every word of a query: much less work than an order of the pages that have some of them. */
import type { IndexData } from "../index/index-format.ts";
import { findPhrase } from "./phrase-places.ts";
import type { Alternatives, Meanings } from "./word-alternatives.ts";

/** Postings that a word's terms have; those of phrases are walked as well. */
export function countPostings(data: IndexData, meanings: readonly Meanings[]): number {
  const { termStart } = data.sections;
  const postings = (term: number): number => (termStart[term + 1] as number) - (termStart[term] as number);
  let count = 0;
  for (const { terms, phrases } of meanings) {
    for (const term of terms.keys()) count += postings(term);
    for (const { parts } of phrases) for (const part of parts) for (const term of part) count += postings(term);
  }
  return count;
}

export class SharedPages {
  readonly #data: IndexData;
  /** Per page, the number of the last step that found it. */
  readonly #step: Uint32Array;
  #lastStep = 0;

  constructor(data: IndexData) {
    this.#data = data;
    this.#step = new Uint32Array(data.meta.pageCount);
  }

  /** @param allowed A byte per record, 0 where a filter forbids it. */
  hasAny(words: readonly Alternatives[], allowed: Uint8Array | undefined): boolean {
    if (this.#lastStep > 2 ** 31) {
      this.#step.fill(0);
      this.#lastStep = 0;
    }
    // Rare words first: mostly they have no page in common.
    const costs = new Map(words.map((word) => [word, countPostings(this.#data, [word])]));
    const ordered = [...words].sort((a, b) => (costs.get(a) ?? 0) - (costs.get(b) ?? 0));
    let before: number | undefined;
    for (const word of ordered) {
      const step = ++this.#lastStep;
      if (!this.#mark(word, allowed, before, step)) return false;
      before = step;
    }
    return true;
  }

  /** Marks the pages with a word that the step before has marked. @returns Whether there are some. */
  #mark(word: Alternatives, allowed: Uint8Array | undefined, before: number | undefined, step: number): boolean {
    const { termStart, postingRecord, recordPage } = this.#data.sections;
    const pages = this.#step;
    let isFound = false;
    const add = (record: number): void => {
      const page = recordPage[record] as number;
      if (before !== undefined && pages[page] !== before) return;
      pages[page] = step;
      isFound = true;
    };
    for (const term of word.terms.keys()) {
      const end = termStart[term + 1] as number;
      for (let posting = termStart[term] as number; posting < end; posting++) {
        const record = postingRecord[posting] as number;
        if (allowed === undefined || allowed[record] !== 0) add(record);
      }
    }
    for (const { parts } of word.phrases)
      for (const record of findPhrase(this.#data, parts, allowed).keys()) add(record);
    return isFound;
  }
}
