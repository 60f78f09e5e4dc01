/** The terms of an index and the ways from a typed word to them: exact, beginning, word form, typing mistake. */
import { editDistance } from "../../text/edit-distance.ts";
import { stemWord } from "../../text/stem.ts";

export class VocabularyIndex {
  /** In order of UTF-16 units. */
  readonly terms: readonly string[];
  readonly #byStem = new Map<string, number[]>();

  constructor(terms: readonly string[]) {
    this.terms = terms;
    for (const [number, term] of terms.entries()) {
      const stem = stemWord(term);
      const family = this.#byStem.get(stem);
      if (family === undefined) this.#byStem.set(stem, [number]);
      else family.push(number);
    }
    // Most words are alone in their family and need no entry: `find` answers for them.
    for (const [stem, family] of this.#byStem) {
      if (family.length === 1 && terms[family[0] as number] === stem) this.#byStem.delete(stem);
    }
  }

  /** The first term that is not below `text`. */
  #lowerBound(text: string): number {
    let low = 0;
    let high = this.terms.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.terms[middle] as string) < text) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The number of a term, or -1. */
  find(term: string): number {
    const at = this.#lowerBound(term);
    return this.terms[at] === term ? at : -1;
  }

  /** The terms that begin with `prefix`: from the first number up to, not including, the second. */
  findRange(prefix: string): readonly [from: number, to: number] {
    return [this.#lowerBound(prefix), this.#lowerBound(`${prefix}\uffff`)];
  }

  /** Other forms of a word: the same stem. */
  findForms(word: string): readonly number[] {
    const stem = stemWord(word);
    const family = this.#byStem.get(stem);
    if (family !== undefined) return family;
    const alone = this.find(stem);
    return alone < 0 ? [] : [alone];
  }

  /**
   * Terms that somebody may have meant with a word that is none, best first.
   *
   * @param weigh How often a term is used; of equally near ones the more frequent come first.
   */
  nearestTo(word: string, count: number, weigh: (term: number) => number): string[] {
    const limit = word.length < 4 ? 1 : word.length < 7 ? 2 : 3;
    return this.similarTo(word, limit, false)
      .filter(({ term }) => /^\p{L}+$/u.test(this.terms[term] as string))
      .sort((a, b) => a.mistakes - b.mistakes || weigh(b.term) - weigh(a.term))
      .slice(0, count)
      .map(({ term }) => this.terms[term] as string);
  }

  /**
   * Terms within some typing mistakes of a word, with the same first letter; with two mistakes allowed, also those whose
   * first two letters were swapped.
   *
   * @param asPrefix Also terms that only begin with something close to the word.
   */
  similarTo(word: string, limit: number, asPrefix: boolean): { term: number; mistakes: number }[] {
    const found: { term: number; mistakes: number }[] = [];
    const initials = new Set([word.slice(0, 1), ...(limit > 1 ? [word.slice(1, 2)] : [])]);
    for (const initial of initials) {
      const [from, to] = this.findRange(initial);
      for (let number = from; number < to; number++) {
        const term = this.terms[number] as string;
        if (term.length < word.length - limit || (!asPrefix && term.length > word.length + limit)) continue;
        const mistakes = editDistance(word, term, limit, asPrefix);
        if (mistakes > 0 && mistakes <= limit) found.push({ term: number, mistakes });
      }
    }
    return found;
  }
}
