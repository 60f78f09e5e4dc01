/**
 * The possible matches of a typed word in the index: itself, other forms, longer words, synonyms, its parts side by side, and
 * words a typing mistake away, each with the quality of the match.
 */
import { typosAllowed } from "../../text/edit-distance.ts";
import { toSingular } from "../../text/stem.ts";
import type { Thesaurus, ThesaurusMatch } from "../../text/thesaurus.ts";
import type { VocabularyIndex } from "../index/vocabulary-index.ts";
import type { IndexSettings } from "../index-settings.ts";
import type { QueryWord } from "../query-words.ts";
import { MAX_EXPANSIONS, MAX_POSTINGS_OF_EXPANSION, MAX_PREFIX_POSTINGS, QUALITY } from "./ranking.ts";

export interface Meanings {
  /** Term number → quality, 0–1. */
  readonly terms: Map<number, number>;
  /** Words to be found side by side, in order; the last one matches several terms when it was being typed. */
  readonly phrases: { readonly parts: readonly (readonly number[])[]; readonly quality: number }[];
}

export interface Alternatives extends Meanings {
  /** Term number → what was typed, for terms of which only the beginning was. */
  readonly prefixes: Map<number, string>;
  /** What the thesaurus says for a word that texts use themselves: adds to what a page is worth, and the page still lacks the word. */
  readonly hints: Meanings;
}

export interface AlternativesOptions {
  readonly vocabulary: VocabularyIndex;
  /** Number of records with a term. */
  readonly countUses: (term: number) => number;
  readonly thesaurus: Thesaurus;
  /** Where the query has entries of the thesaurus. */
  readonly matches: readonly ThesaurusMatch[];
  readonly settings: IndexSettings;
  /** Find typing mistakes even when the word itself occurs, and the parts of compounds apart from each other. */
  readonly widen: boolean;
  readonly typoTolerance: boolean;
  /** Take a word that occurs nowhere for the beginning of one. */
  readonly allowsPrefix: boolean;
}

/** A word this rare is compared with its neighbours: it may be a mistake that the texts repeat. In records. */
const RARE_WORD = 3;
/** A term this much more frequent than a rare word makes the rare word look like a mistake. */
const MISTAKE_RATIO = 20;
/** Shorter beginnings of words before the last one are words of their own. */
const MIN_INNER_PREFIX = 3;

function raise(terms: Map<number, number>, term: number, quality: number): void {
  if (quality > (terms.get(term) ?? 0)) terms.set(term, quality);
}

/** Every word of the query with its possible matches, in the query's order. */
export function findAlternatives(words: readonly QueryWord[], options: AlternativesOptions): Alternatives[] {
  const all = words.map((word) => new WordExpander(word, options).expand());
  const { vocabulary } = options;
  for (let at = 0; at + 1 < words.length; at++) {
    const left = words[at] as QueryWord;
    const right = words[at + 1] as QueryWord;
    if (left.parts.length !== 1 || right.parts.length !== 1 || left.flag !== undefined || right.flag !== undefined)
      continue;
    const joined = vocabulary.find(left.term + right.term);
    if (joined < 0) continue;
    for (const side of [at, at + 1]) raise((all[side] as Alternatives).terms, joined, QUALITY.joined);
  }
  return all;
}

/** Collects the possible matches of one word, each with the best quality that was found for it. */
class WordExpander {
  readonly #word: QueryWord;
  readonly #options: AlternativesOptions;
  readonly #result: Alternatives = {
    terms: new Map(),
    prefixes: new Map(),
    phrases: [],
    hints: { terms: new Map(), phrases: [] },
  };

  constructor(word: QueryWord, options: AlternativesOptions) {
    this.#word = word;
    this.#options = options;
  }

  expand(): Alternatives {
    const { flag, identifier, isPrefix, parts, term } = this.#word;
    const { allowsPrefix, thesaurus, typoTolerance } = this.#options;
    if (flag !== undefined) {
      this.#addExact(flag, QUALITY.exact);
      if (isPrefix) this.#addPrefix(flag, QUALITY.exact);
    } else if (identifier !== undefined) {
      this.#addExact(identifier, QUALITY.exact);
      if (isPrefix) this.#addPrefix(identifier, QUALITY.exact);
    }
    const factor = this.#factorOfParts();
    if (parts.length > 1) this.#addCompound(factor);
    else this.#addWord(factor);
    this.#addMeanings(factor);

    if (!this.#isFound()) {
      const mayBeBeginning = allowsPrefix && !isPrefix && term.length >= MIN_INNER_PREFIX;
      if (mayBeBeginning) this.#addPrefix(flag ?? term, QUALITY.exact);
      this.#addSplits();
    }
    if (typoTolerance && term !== "") {
      this.#addTypos();
      if (!this.#isFound()) this.#addMeans(thesaurus.guess(term, isPrefix), QUALITY.meaning * QUALITY.oneTypo);
    }
    this.#addLooseParts();
    return this.#result;
  }

  /** What flags and identifiers are worth where a text has them without their dashes or underscores. */
  #factorOfParts(): number {
    const { flag, identifier } = this.#word;
    if (flag !== undefined) return this.#isFound() ? QUALITY.knownFlagAsWords : QUALITY.flagAsWords;
    if (identifier !== undefined && this.#isFound()) return QUALITY.knownIdentifierAsWords;
    return QUALITY.exact;
  }

  #isFound(): boolean {
    return this.#result.terms.size > 0 || this.#result.phrases.length > 0;
  }

  #addExact(text: string, quality: number, to: Meanings = this.#result): void {
    const term = this.#options.vocabulary.find(text);
    if (term >= 0) raise(to.terms, term, quality);
  }

  #addForms(text: string, quality: number, to: Meanings = this.#result): void {
    for (const form of this.#options.vocabulary.findForms(text)) raise(to.terms, form, quality * QUALITY.form);
  }

  #addPrefix(prefix: string, factor: number): void {
    const { vocabulary, countUses } = this.#options;
    const { terms, prefixes } = this.#result;
    const [from, to] = vocabulary.findRange(prefix);
    const expand = (term: number): void => {
      const { length } = vocabulary.terms[term] as string;
      if (length > prefix.length && !terms.has(term)) prefixes.set(term, prefix);
      const quality = length === prefix.length ? 1 : QUALITY.prefix + (QUALITY.prefixSpan * prefix.length) / length;
      raise(terms, term, factor * quality);
    };
    const longer = mostFrequent(from, to, this.#options).filter((term) => {
      if (vocabulary.terms[term] !== prefix) return true;
      expand(term);
      return false;
    });
    let left = MAX_PREFIX_POSTINGS;
    const affordable = longer.filter((term) => {
      const frequency = countUses(term);
      if (frequency > Math.min(left, MAX_POSTINGS_OF_EXPANSION)) return false;
      left -= frequency;
      return true;
    });
    // A beginning that only words of many records have matches the first of them.
    for (const term of affordable.length > 0 ? affordable : longer.slice(0, 1)) expand(term);
  }

  /** A plain word: itself, its forms, longer words while it is typed, synonyms. */
  #addWord(factor: number): void {
    const { term, isPrefix } = this.#word;
    this.#addExact(term, factor);
    this.#addForms(term, factor);
    this.#addExact(toSingular(term), factor * QUALITY.plural);
    this.#addExact(`${term}s`, factor * QUALITY.plural);
    if (isPrefix) this.#addPrefix(term, factor);
  }

  /** What the thesaurus says for the word, or for the phrase that it belongs to. */
  #addMeanings(factor: number): void {
    const { start, end } = this.#word;
    const match = this.#options.matches.find((each) => each.start <= start && each.end >= end);
    if (match === undefined) return;
    if (this.#isFound()) this.#addMeans(match.means, factor * QUALITY.meaningOfKnown, this.#result.hints);
    else this.#addMeans(match.means, factor * QUALITY.meaning);
  }

  #addMeans(means: readonly (readonly string[])[], quality: number, to: Meanings = this.#result): void {
    const { vocabulary } = this.#options;
    for (const words of means) {
      const [only, ...others] = words;
      if (only === undefined) continue;
      if (others.length === 0) {
        this.#addExact(only, quality, to);
        this.#addForms(only, quality, to);
        continue;
      }
      const parts = words.map((word) => {
        const forms = [...new Set([vocabulary.find(word), ...vocabulary.findForms(word)])];
        return forms.filter((term) => term >= 0);
      });
      if (parts.every((terms) => terms.length > 0)) to.phrases.push({ parts, quality });
    }
  }

  /** A compound or a quoted phrase: joined, and its parts side by side. */
  #addCompound(factor: number): void {
    const { term, isPrefix, parts } = this.#word;
    const { vocabulary } = this.#options;
    this.#addExact(term, factor);
    if (isPrefix && term !== "") this.#addPrefix(term, factor);
    const numbers = parts.map((part, at) => {
      if (isPrefix && at === parts.length - 1) return mostFrequent(...vocabulary.findRange(part), this.#options);
      const number = vocabulary.find(part);
      return number < 0 ? [] : [number];
    });
    if (numbers.every((terms) => terms.length > 0)) {
      this.#result.phrases.push({ parts: numbers, quality: factor * QUALITY.phrase });
    }
  }

  /** `claudecode` for a text that says `claude code`. */
  #addSplits(): void {
    const { vocabulary } = this.#options;
    const { term } = this.#word;
    for (let at = 2; at <= term.length - 2; at++) {
      const left = vocabulary.find(term.slice(0, at));
      if (left < 0) continue;
      const right = vocabulary.find(term.slice(at));
      if (right >= 0) this.#result.phrases.push({ parts: [[left], [right]], quality: QUALITY.joined });
    }
  }

  /** Words a mistake away: when the word occurs nowhere, when asked to, and when it is rare beside a frequent neighbour. */
  #addTypos(): void {
    const { vocabulary, countUses, settings, widen } = this.#options;
    const { terms } = this.#result;
    const { flag, isPrefix, term } = this.#word;
    const frequency = [...terms.keys()].reduce((sum, known) => sum + countUses(known), 0);
    const isSought = widen || terms.size === 0;
    if (!isSought && frequency > RARE_WORD) return;
    const limit = typosAllowed(term, settings.minWordSizefor1Typo, settings.minWordSizefor2Typos);
    if (limit === 0) return;
    const minFrequency = isSought ? 1 : frequency * MISTAKE_RATIO;
    const similar = vocabulary
      .similarTo(flag ?? term, limit, isPrefix)
      .filter((found) => countUses(found.term) >= minFrequency);
    const fewest = similar.reduce((least, { mistakes }) => Math.min(least, mistakes), limit);
    for (const found of similar) {
      if (found.mistakes === fewest) raise(terms, found.term, fewest === 1 ? QUALITY.oneTypo : QUALITY.twoTypos);
    }
  }

  /** A compound that no text contains: its parts on their own. Of a path of fields, the last field, as pages rarely write the path. */
  #addLooseParts(): void {
    const { parts, segments, term } = this.#word;
    if (parts.length < 2 || term === "") return;
    const field = segments.length > 1 ? segments.at(-1) : undefined;
    // The last part of `mcp.json` is the kind of a file, and one word.
    if (field !== undefined && field !== parts.at(-1)) this.#addExact(field, QUALITY.field);
    if (this.#isFound() && !this.#options.widen) return;
    for (const part of parts) this.#addExact(part, QUALITY.loosePart);
    for (const segment of segments.slice(0, -1)) this.#addExact(segment, QUALITY.fieldAround);
    if (field !== undefined) this.#addExact(field, QUALITY.field);
  }
}

/** Of each vocabulary, the most frequent terms of ranges that were sorted: those of the first letters that everybody types. */
const sortedRanges = new WeakMap<VocabularyIndex, Map<number, readonly number[]>>();
/** More ranges are sorted again; each has {@link MAX_EXPANSIONS} terms. */
const MAX_SORTED_RANGES = 1_000;
/** Above the number of any term. */
const TERM_RANGE = 2 ** 26;

/** The terms of a range, the most frequent {@link MAX_EXPANSIONS} when there are more. */
function mostFrequent(from: number, to: number, { vocabulary, countUses }: AlternativesOptions): readonly number[] {
  const range = (): number[] => Array.from({ length: to - from }, (_, at) => from + at);
  if (to - from <= MAX_EXPANSIONS) return range();
  let known = sortedRanges.get(vocabulary);
  if (known === undefined) {
    known = new Map();
    sortedRanges.set(vocabulary, known);
  }
  const key = from * TERM_RANGE + to;
  let sorted = known.get(key);
  if (sorted === undefined) {
    sorted = range()
      .sort((a, b) => countUses(b) - countUses(a))
      .slice(0, MAX_EXPANSIONS);
    if (known.size >= MAX_SORTED_RANGES) known.clear();
    known.set(key, sorted);
  }
  return sorted;
}
