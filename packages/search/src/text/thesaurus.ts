/**
 * Words of readers and the words that texts use for the same. An entry is found in a query as a whole, in singular or plural,
 * however it is written (`sign-in`, `sign in`); the longest entry that begins at a word precedes shorter ones.
 */

import { editDistance } from "./edit-distance.ts";
import { toSingular } from "./stem.ts";
import data from "./thesaurus.json" with { type: "json" };
import { tokenize } from "./tokenize.ts";

export interface ThesaurusEntry {
  /** 1–4 words. */
  readonly say: string;
  /** What texts say for it, 1–4 words each, best first. */
  readonly means: readonly string[];
}

/** Where a query has an entry. */
export interface ThesaurusMatch {
  /** Offsets in the query. */
  readonly start: number;
  readonly end: number;
  /** Folded words of each meaning. */
  readonly means: readonly (readonly string[])[];
}

/** Of this documentation; an index may bring others. */
export const THESAURUS: readonly (ThesaurusEntry & { readonly source: string })[] = data.entries;

const MAX_WORDS = 4;
/** Shorter words are not completed or corrected: too many entries begin like them. */
const MIN_COMPLETED = 4;
const MIN_CORRECTED = 5;

interface Word {
  readonly key: string;
  readonly start: number;
  readonly end: number;
}

function splitWords(text: string): Word[] {
  const words: Word[] = [];
  tokenize(text, (term, start, end, _position, kind) => {
    if (kind === "word" || kind === "part" || kind === "camelPart") words.push({ key: toSingular(term), start, end });
  });
  return words;
}

function splitTerms(text: string): string[] {
  const terms: string[] = [];
  tokenize(text, (term, _start, _end, _position, kind) => {
    if (kind === "word" || kind === "part" || kind === "camelPart") terms.push(term);
  });
  return terms;
}

export class Thesaurus {
  readonly #entries = new Map<string, readonly (readonly string[])[]>();
  /** Entries of one word. */
  readonly #words: readonly string[];

  constructor(entries: readonly ThesaurusEntry[]) {
    for (const { say, means } of entries) {
      const key = splitWords(say)
        .map((word) => word.key)
        .join(" ");
      if (key !== "") this.#entries.set(key, [...(this.#entries.get(key) ?? []), ...means.map(splitTerms)]);
    }
    this.#words = [...this.#entries.keys()].filter((key) => !key.includes(" "));
  }

  /** The entries that a query says; none of them overlap. */
  find(query: string): ThesaurusMatch[] {
    const words = splitWords(query);
    const found: ThesaurusMatch[] = [];
    for (let at = 0; at < words.length; ) {
      let size = Math.min(MAX_WORDS, words.length - at);
      let means: readonly (readonly string[])[] | undefined;
      for (; size > 0; size--) {
        const key = words.slice(at, at + size).map((word) => word.key);
        means = this.#entries.get(key.join(" "));
        if (means !== undefined) break;
      }
      if (means === undefined) at += 1;
      else {
        found.push({ start: (words[at] as Word).start, end: (words[at + size - 1] as Word).end, means });
        at += size;
      }
    }
    return found;
  }

  /** What an entry means that a word begins, or that is one typing mistake away; for a word that no text has. */
  guess(term: string, isPrefix: boolean): readonly (readonly string[])[] {
    if (isPrefix && term.length >= MIN_COMPLETED) {
      const longer = this.#words.filter((word) => word.startsWith(term));
      if (longer.length === 1) return this.#entries.get(longer[0] as string) ?? [];
    }
    if (term.length < MIN_CORRECTED) return [];
    const near = this.#words.find((word) => editDistance(term, word, 1) === 1);
    return near === undefined ? [] : (this.#entries.get(near) ?? []);
  }
}

/** Entries for words that find one another. */
export function entriesOfGroups(groups: readonly (readonly string[])[]): ThesaurusEntry[] {
  return groups.flatMap((group) => group.map((say) => ({ say, means: group.filter((other) => other !== say) })));
}
