/**
 * Sections by the words of a long question. The search compares pages first, as a reader types few words and each of them counts; a
 * program writes sentences, of which some words are on no page. Here each section is judged by itself (BM25F), and words that few
 * sections have count most.
 */
import {
  computeRarity,
  fold,
  isAskingWord,
  isStopWord,
  stemWord,
  THESAURUS,
  Thesaurus,
  tokenize,
} from "@toolhive/search/offline";
import type { DocsPage } from "../pack/docs-content.ts";
import type { DocsLibrary, SectionText } from "./docs-library.ts";

export interface RankedSection {
  readonly page: DocsPage;
  readonly section: SectionText;
}

/**
 * What an occurrence counts, by where it is. Questions say the same in other words and have an order of their own
 * ({@link SectionIndex.rankByQuestions}); if one counted as a title here, a section of many questions would win by their number.
 */
const WEIGHTS = { title: 3, page: 2, question: 0.5, text: 1 } as const;
/** Half of a word's worth is reached at this weighted count. */
const SATURATION = 2;
/** How much a longer section counts less, 0 to 1. */
const LENGTH_PENALTY = 0.7;
/** Of a word that belongs to asking (`use`, `make`), and of a word that the thesaurus has for one of the question. */
const ASKING_WEIGHT = 0.2;
const MEANING_WEIGHT = 0.4;
/** Words that a question of a section has, and shares with one that is like it. */
const LEAST_QUESTION = 2;
/** Sections that are returned. */
const MAX_RANKED = 20;
/** Words that say who asks and how. */
const ASKER_WORDS = new Set(
  "user users want wants need needs please write show tell explain exactly command commands correct right best existing new one two".split(
    " ",
  ),
);

/** A question that a section answers. */
interface KnownQuestion {
  readonly at: number;
  /** Its words, each with how rare it is. */
  readonly terms: ReadonlyMap<string, number>;
  /** How rare its words are together. */
  readonly all: number;
}

/** Where a word is. */
interface KnownTerm {
  readonly rarity: number;
  /** Numbers of the sections, and how often each has it, less for a longer section. */
  readonly sections: number[];
  readonly counts: number[];
  /** Numbers of the questions with it. */
  readonly questions: number[];
}

export class SectionIndex {
  readonly #sections: readonly RankedSection[];
  readonly #terms: ReadonlyMap<string, KnownTerm>;
  readonly #questions: KnownQuestion[] = [];
  readonly #thesaurus = new Thesaurus(THESAURUS);
  /** Per section, what it is worth for the question that is being answered; 0 between two questions. */
  readonly #scores: Float64Array;
  /** Per question of a section, how many words of the one that is being answered it has; 0 between two questions. */
  readonly #shared: Uint8Array;

  constructor(library: DocsLibrary) {
    const sections: { page: DocsPage; section: SectionText; counts: Map<string, number>; length: number }[] = [];
    for (const page of library.content.pages) {
      for (const section of library.listSections(page)) {
        const counts = new Map<string, number>();
        let length = 0;
        const add = (text: string, weight: number): void => {
          const terms = listTerms(text);
          length += terms.length;
          for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + weight);
        };
        add(section.title, WEIGHTS.title);
        add(section.level > 1 ? page.title : page.description, WEIGHTS.page);
        for (const question of section.questions ?? []) add(question, WEIGHTS.question);
        add(page.markdown.slice(section.start, section.end), WEIGHTS.text);
        sections.push({ page, section, counts, length });
      }
    }
    this.#sections = sections.map(({ page, section }) => ({ page, section }));
    this.#terms = listPlaces(sections);
    for (const [at, { section }] of sections.entries()) {
      for (const question of section.questions ?? []) this.#addQuestion(at, question);
    }
    this.#scores = new Float64Array(sections.length);
    this.#shared = new Uint8Array(this.#questions.length);
  }

  #addQuestion(at: number, question: string): void {
    const terms = new Map<string, number>();
    let all = 0;
    for (const term of new Set(listTerms(question).filter((word) => !isAskingWord(word)))) {
      const rarity = this.#terms.get(term)?.rarity ?? 0;
      terms.set(term, rarity);
      all += rarity;
    }
    if (terms.size < LEAST_QUESTION) return;
    for (const term of terms.keys()) this.#terms.get(term)?.questions.push(this.#questions.length);
    this.#questions.push({ at, terms, all });
  }

  /** @returns The sections that have most of a question's words, best first. */
  rank(question: string): RankedSection[] {
    const found: number[] = [];
    const scores = this.#scores;
    for (const [term, weight] of this.#weighTerms(question)) {
      const known = this.#terms.get(term);
      if (known === undefined) continue;
      const { sections, counts, rarity } = known;
      for (let place = 0; place < sections.length; place++) {
        const at = sections[place] as number;
        const count = counts[place] as number;
        const before = scores[at] as number;
        if (before === 0) found.push(at);
        scores[at] = before + (weight * rarity * count) / (count + SATURATION);
      }
    }
    return this.#listBest(found);
  }

  /**
   * The sections with a question most like the given one, best first. Authors wrote these questions in readers' words, and a task of
   * several sentences says one of them among much else: what counts is how much of the section's question is in it.
   */
  rankByQuestions(question: string): RankedSection[] {
    const weights = this.#weighTerms(question);
    const found: number[] = [];
    for (const number of this.#listAlike(weights.keys())) {
      const { at, terms, all } = this.#questions[number] as KnownQuestion;
      let shared = 0;
      for (const [term, rarity] of terms) shared += rarity * (weights.get(term) ?? 0);
      const score = (shared * shared) / all;
      const before = this.#scores[at] as number;
      if (before === 0) found.push(at);
      if (score > before) this.#scores[at] = score;
    }
    return this.#listBest(found);
  }

  /** Questions with enough of the words. */
  #listAlike(words: Iterable<string>): number[] {
    const shared = this.#shared;
    const touched: number[] = [];
    const alike: number[] = [];
    for (const word of words) {
      for (const number of this.#terms.get(word)?.questions ?? []) {
        const count = (shared[number] as number) + 1;
        if (count === 1) touched.push(number);
        if (count === LEAST_QUESTION) alike.push(number);
        shared[number] = Math.min(count, LEAST_QUESTION);
      }
    }
    for (const number of touched) shared[number] = 0;
    return alike;
  }

  /** Takes the scores of the found sections away. */
  #listBest(found: readonly number[]): RankedSection[] {
    const scores = this.#scores;
    const best: number[] = [];
    for (const at of found) {
      const score = scores[at] as number;
      const isBelow = (other: number): boolean => {
        const otherScore = scores[other] as number;
        return otherScore < score || (otherScore === score && other > at);
      };
      const last = best.at(-1);
      if (best.length === MAX_RANKED && last !== undefined && !isBelow(last)) continue;
      let place = best.length;
      while (place > 0 && isBelow(best[place - 1] as number)) place -= 1;
      best.splice(place, 0, at);
      if (best.length > MAX_RANKED) best.pop();
    }
    for (const at of found) scores[at] = 0;
    return best.flatMap((at) => this.#sections[at] ?? []);
  }

  #weighTerms(question: string): Map<string, number> {
    const weights = new Map<string, number>();
    const add = (term: string, weight: number): void => {
      weights.set(term, Math.max(weight, weights.get(term) ?? 0));
    };
    for (const match of this.#thesaurus.find(question)) {
      for (const word of match.means.flat()) for (const term of listTerms(word)) add(term, MEANING_WEIGHT);
    }
    tokenize(fold(question), (word) => {
      if (isStopWord(word) || ASKER_WORDS.has(word)) return;
      add(toTerm(word), isAskingWord(word) ? ASKING_WEIGHT : 1);
    });
    return weights;
  }
}

/** The words of sections, each with the places where it is. */
function listPlaces(
  sections: readonly { readonly counts: ReadonlyMap<string, number>; readonly length: number }[],
): ReadonlyMap<string, KnownTerm> {
  const mean = sections.reduce((sum, { length }) => sum + length, 0) / Math.max(1, sections.length);
  const places = new Map<string, { sections: number[]; counts: number[] }>();
  for (const [at, { counts, length }] of sections.entries()) {
    const norm = 1 - LENGTH_PENALTY + (LENGTH_PENALTY * length) / mean;
    for (const [term, count] of counts) {
      const known = places.get(term) ?? { sections: [], counts: [] };
      known.sections.push(at);
      known.counts.push(count / norm);
      places.set(term, known);
    }
  }
  const terms = new Map<string, KnownTerm>();
  for (const [term, known] of places) {
    terms.set(term, { ...known, rarity: computeRarity(sections.length, known.sections.length), questions: [] });
  }
  return terms;
}

function listTerms(text: string): string[] {
  const terms: string[] = [];
  tokenize(fold(text), (word) => {
    if (!isStopWord(word)) terms.push(toTerm(word));
  });
  return terms;
}

function toTerm(word: string): string {
  return /^[a-z]+$/.test(word) ? stemWord(word) : word;
}
