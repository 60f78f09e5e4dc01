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

/** What an occurrence counts, by where it is. */
const WEIGHTS = { title: 3, page: 2, question: 2.5, text: 1 } as const;
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
/** Say who asks and how. */
const ASKER_WORDS = new Set(
  "user users want wants need needs please write show tell explain exactly command commands correct right best existing new one two".split(
    " ",
  ),
);

/** A question that a section answers, as words. */
interface KnownQuestion {
  readonly at: number;
  readonly terms: ReadonlySet<string>;
}

interface Posting {
  readonly at: number;
  readonly count: number;
}

export class SectionIndex {
  readonly #sections: readonly RankedSection[];
  readonly #postings = new Map<string, Posting[]>();
  readonly #questions: KnownQuestion[] = [];
  readonly #thesaurus = new Thesaurus(THESAURUS);

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
    const mean = sections.reduce((sum, { length }) => sum + length, 0) / Math.max(1, sections.length);
    for (const [at, { section, counts, length }] of sections.entries()) {
      for (const question of section.questions ?? []) {
        const terms = new Set(listTerms(question).filter((term) => !isAskingWord(term)));
        if (terms.size >= LEAST_QUESTION) this.#questions.push({ at, terms });
      }
      const norm = 1 - LENGTH_PENALTY + (LENGTH_PENALTY * length) / mean;
      for (const [term, count] of counts) {
        const postings = this.#postings.get(term) ?? [];
        postings.push({ at, count: count / norm });
        this.#postings.set(term, postings);
      }
    }
    this.#sections = sections.map(({ page, section }) => ({ page, section }));
  }

  /** @returns The sections that have most of a question's words, best first. */
  rank(question: string): RankedSection[] {
    const scores = new Map<number, number>();
    for (const [term, weight] of this.#weighTerms(question)) {
      const postings = this.#postings.get(term) ?? [];
      const rarity = this.#measureRarity(term);
      for (const { at, count } of postings) {
        scores.set(at, (scores.get(at) ?? 0) + (weight * rarity * count) / (count + SATURATION));
      }
    }
    return this.#listBest(scores);
  }

  /**
   * The sections with a question most like the given one, best first. Authors wrote these questions in readers' words, and a task of
   * several sentences says one of them among much else: what counts is how much of the section's question is in it.
   */
  rankByQuestions(question: string): RankedSection[] {
    const weights = this.#weighTerms(question);
    const scores = new Map<number, number>();
    for (const { at, terms } of this.#questions) {
      let all = 0;
      let shared = 0;
      let words = 0;
      for (const term of terms) {
        const rarity = this.#measureRarity(term);
        const weight = weights.get(term) ?? 0;
        all += rarity;
        shared += rarity * weight;
        if (weight > 0) words++;
      }
      if (words < LEAST_QUESTION) continue;
      const score = (shared * shared) / all;
      if (score > (scores.get(at) ?? 0)) scores.set(at, score);
    }
    return this.#listBest(scores);
  }

  #measureRarity(term: string): number {
    const count = this.#postings.get(term)?.length ?? 0;
    return computeRarity(this.#sections.length, count);
  }

  #listBest(scores: ReadonlyMap<number, number>): RankedSection[] {
    return [...scores]
      .sort(([left, leftScore], [right, rightScore]) => rightScore - leftScore || left - right)
      .slice(0, MAX_RANKED)
      .flatMap(([at]) => this.#sections[at] ?? []);
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
