/**
 * What a typed word may stand for in the index: itself, other forms, longer words, synonyms, its parts side by side, and
 * words a typing mistake away, each with the quality of the match.
 */
import { typosAllowed } from "../../text/edit-distance.ts";
import { singularOf } from "../../text/stem.ts";
import type { IndexSettings } from "../index-settings.ts";
import type { QueryWord } from "../query-words.ts";
import { MAX_EXPANSIONS, QUALITY } from "./ranking.ts";
import type { VocabularyIndex } from "./vocabulary-index.ts";

export interface Alternatives {
  /** Term number → quality, 0–1. */
  readonly terms: Map<number, number>;
  /** Term number → what was typed, for terms of which only the beginning was. */
  readonly prefixes: Map<number, string>;
  /** Words to be found side by side, in order; the last one stands for several terms when it was being typed. */
  readonly phrases: { readonly parts: readonly (readonly number[])[]; readonly quality: number }[];
}

export interface AlternativesOptions {
  readonly vocabulary: VocabularyIndex;
  /** Number of records with a term. */
  readonly frequencyOf: (term: number) => number;
  readonly synonyms: ReadonlyMap<string, readonly string[]>;
  readonly settings: IndexSettings;
  /** Look for typing mistakes even when the word itself occurs, and for the parts of compounds apart from each other. */
  readonly widen: boolean;
  readonly typoTolerance: boolean;
  /** Take a word that occurs nowhere for the beginning of one. */
  readonly allowsPrefix: boolean;
}

/** A term this much more frequent than the typed word makes the typed word look like a mistake that the texts repeat. */
const MISTAKE_RATIO = 20;
/** Shorter beginnings of words before the last one are words of their own. */
const MIN_INNER_PREFIX = 3;

function raise(terms: Map<number, number>, term: number, quality: number): void {
  if (quality > (terms.get(term) ?? 0)) terms.set(term, quality);
}

/** Every word of the query with what it may stand for, in the query's order. */
export function alternativesOf(words: readonly QueryWord[], options: AlternativesOptions): Alternatives[] {
  const all = words.map((word) => alternativesOfWord(word, options));
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

function alternativesOfWord(word: QueryWord, options: AlternativesOptions): Alternatives {
  const { vocabulary, frequencyOf, synonyms, widen, typoTolerance } = options;
  const result: Alternatives = { terms: new Map(), prefixes: new Map(), phrases: [] };
  const { terms, prefixes } = result;

  const addPrefix = (prefix: string, factor: number): void => {
    const [from, to] = vocabulary.rangeOf(prefix);
    for (const term of mostFrequent(from, to, frequencyOf)) {
      const length = (vocabulary.terms[term] as string).length;
      if (length > prefix.length && !terms.has(term)) prefixes.set(term, prefix);
      const quality = length === prefix.length ? 1 : QUALITY.prefix + (QUALITY.prefixSpan * prefix.length) / length;
      raise(terms, term, factor * quality);
    }
  };
  const addExact = (text: string, quality: number): void => {
    const term = vocabulary.find(text);
    if (term >= 0) raise(terms, term, quality);
  };

  if (word.flag !== undefined) {
    addExact(word.flag, QUALITY.exact);
    if (word.isPrefix) addPrefix(word.flag, QUALITY.exact);
  }
  const flagAsWords = terms.size > 0 ? QUALITY.knownFlagAsWords : QUALITY.flagAsWords;
  const asWords = word.flag === undefined ? 1 : flagAsWords;
  if (word.parts.length > 1) {
    addExact(word.term, asWords);
    if (word.isPrefix && word.term !== "") addPrefix(word.term, asWords);
    const parts = word.parts.map((part, at) => {
      const [from, to] = vocabulary.rangeOf(part);
      if (word.isPrefix && at === word.parts.length - 1) return mostFrequent(from, to, frequencyOf);
      const term = vocabulary.find(part);
      return term < 0 ? [] : [term];
    });
    if (parts.every((part) => part.length > 0)) result.phrases.push({ parts, quality: asWords * QUALITY.phrase });
  } else {
    addExact(word.term, asWords);
    for (const form of vocabulary.formsOf(word.term)) raise(terms, form, asWords * QUALITY.form);
    // A plural is as good as the word itself.
    addExact(singularOf(word.term), asWords * 0.97);
    addExact(`${word.term}s`, asWords * 0.97);
    const isKnown = terms.size > 0;
    if (word.isPrefix) addPrefix(word.term, asWords);
    const asSynonym = asWords * (isKnown ? QUALITY.synonymOfKnown : QUALITY.synonym);
    for (const synonym of synonyms.get(singularOf(word.term)) ?? []) {
      addExact(synonym, asSynonym);
      for (const form of vocabulary.formsOf(synonym)) raise(terms, form, asSynonym * QUALITY.form);
    }
  }

  const isFound = terms.size > 0 || result.phrases.length > 0;
  if (!isFound && options.allowsPrefix && !word.isPrefix && word.term.length >= MIN_INNER_PREFIX)
    addPrefix(word.flag ?? word.term, 1);
  if (!isFound) addSplits(word, result, vocabulary);
  if (typoTolerance && word.term !== "") {
    const frequency = [...terms.keys()].reduce((sum, term) => sum + frequencyOf(term), 0);
    if (terms.size === 0 || widen) addTypos(word, result, options, 0);
    else if (frequency <= 3) addTypos(word, result, options, frequency * MISTAKE_RATIO);
  }
  if (word.parts.length > 1 && word.term !== "" && (widen || (terms.size === 0 && result.phrases.length === 0))) {
    // A compound that nobody wrote: its parts on their own.
    for (const part of word.parts) addExact(part, QUALITY.loosePart);
  }
  return result;
}

/** The terms of a range, the most frequent {@link MAX_EXPANSIONS} when there are more. */
function mostFrequent(from: number, to: number, frequencyOf: (term: number) => number): number[] {
  const range = Array.from({ length: to - from }, (_, at) => from + at);
  if (range.length <= MAX_EXPANSIONS) return range;
  return range.sort((a, b) => frequencyOf(b) - frequencyOf(a)).slice(0, MAX_EXPANSIONS);
}

function addTypos(word: QueryWord, { terms }: Alternatives, options: AlternativesOptions, minFrequency: number): void {
  const { vocabulary, frequencyOf, settings } = options;
  const typed = word.flag ?? word.term;
  const limit = typosAllowed(word.term, settings.minWordSizefor1Typo, settings.minWordSizefor2Typos);
  if (limit === 0) return;
  const similar = vocabulary
    .similarTo(typed, limit, word.isPrefix)
    .filter(({ term }) => frequencyOf(term) >= Math.max(1, minFrequency));
  const fewest = similar.reduce((least, { mistakes }) => Math.min(least, mistakes), limit);
  for (const { term, mistakes } of similar) {
    if (mistakes > fewest) continue;
    raise(terms, term, mistakes === 1 ? QUALITY.oneTypo : QUALITY.twoTypos);
  }
}

/** `claudecode` for a text that says `claude code`. */
function addSplits(word: QueryWord, { phrases }: Alternatives, vocabulary: VocabularyIndex): void {
  for (let at = 2; at <= word.term.length - 2; at++) {
    const left = vocabulary.find(word.term.slice(0, at));
    if (left < 0) continue;
    const right = vocabulary.find(word.term.slice(at));
    if (right >= 0) phrases.push({ parts: [[left], [right]], quality: QUALITY.joined });
  }
}
