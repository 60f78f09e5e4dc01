/**
 * The order of sections for a question in sentences, as programs ask: the search's order and that of the sections' own words are
 * joined, the form of the product that the words name comes first, a definition only when one is asked for, and a page gives one
 * section after another only where it is sure.
 */
import { isAskingWord, isStopWord, saysProblem, tokenize } from "@toolhive/search/offline";
import { FORM_WORDS, type Form, isOfForm } from "./forms.ts";

/** Words that are about something; a question of fewer is ranked by the search alone. */
const LEAST_LONG = 4;
/** A sentence of fewer is no question of its own; more sentences than this are read as parts of the whole only. */
const LEAST_SENTENCE = 3;
const MAX_SENTENCES = 4;
/** Reciprocal ranks are joined (Cormack, Clarke and Büttcher, 2009); a smaller number trusts first places more. */
const RANK_OFFSET = 5;
const OTHER_FORM = 0.6;
const DEFINITION = 0.5;
/** What each further section of the same page is worth. */
const SAME_PAGE = 0.72;

/** Of a section that belongs to every guide and has no fact of its own, and of one that is for those who met a problem. */
const FRAME = 0.5;
const TROUBLE = 0.5;
/** Of a page's introduction, which says what the page is about: a question in sentences wants what one of its sections says. */
const INTRODUCTION = 0.7;
/** Pages that explain instead of saying what to do. */
const EXPLANATION = 0.85;

const ASKS_DEFINITION =
  /\b(?:what(?:'s| is| are| does)|define|definition|meaning of|difference between|compare|versus|vs)\b/i;
const IS_DEFINITION = /^what (?:is|are|does)\b/i;

const IS_FRAME = /^(?:before you begin|verify|clean up|related|see also|next steps|limits)$/i;
const IS_TROUBLE = /^(?:troubleshooting|if it went wrong)$/i;
export interface RankedPlace {
  readonly path: string;
  readonly start: number;
  readonly title: string;
}

export function isLong(question: string): boolean {
  return countWords(question) >= LEAST_LONG;
}

function countWords(question: string): number {
  const words = new Set<string>();
  tokenize(question, (term, _start, _end, _position, kind) => {
    if (kind !== "whole" && !isStopWord(term) && !isAskingWord(term)) words.add(term);
  });
  return words.size;
}

/** Sentences that have something to say by themselves; none where a question is one sentence. */
export function listSentences(question: string): string[] {
  const sentences = question.split(/[.?!;:]\s+/).filter((sentence) => countWords(sentence) >= LEAST_SENTENCE);
  return sentences.length > 1 ? sentences.slice(0, MAX_SENTENCES) : [];
}

/** The form that the words of a question name; the command line where they name none. */
export function readForm(question: string): Form {
  return (Object.entries(FORM_WORDS) as [Form, RegExp][]).find(([, words]) => words.test(question))?.[0] ?? "cli";
}

/** Of the same question, best first. */
export interface PlaceOrder<P> {
  /** What a place in it counts; 1 where two orders are worth the same. */
  readonly weight: number;
  readonly places: readonly P[];
}

export function joinOrders<P extends RankedPlace>(
  question: string,
  orders: readonly PlaceOrder<P>[],
  limit: number,
): P[] {
  const found = new Map<string, { place: P; score: number }>();
  for (const { weight, places } of orders) {
    for (const [rank, place] of places.entries()) {
      const key = `${place.path} ${place.start}`;
      const known = found.get(key) ?? { place, score: 0 };
      known.score += weight / (RANK_OFFSET + rank);
      found.set(key, known);
    }
  }
  const form = readForm(question);
  const hasProblem = saysProblem(question);
  const wantsDefinition = ASKS_DEFINITION.test(question);
  const left = [...found.values()].map(({ place, score }) => {
    const ofForm = isOfForm(place.path, form) ? 1 : OTHER_FORM;
    const asDefinition = !wantsDefinition && IS_DEFINITION.test(place.title) ? DEFINITION : 1;
    const asFrame = IS_FRAME.test(place.title) ? FRAME : 1;
    const asTrouble = !hasProblem && IS_TROUBLE.test(place.title) ? TROUBLE : 1;
    const asExplanation = !wantsDefinition && place.path.includes("/concepts/") ? EXPLANATION : 1;
    const asIntroduction = place.start === 0 ? INTRODUCTION : 1;
    return { place, score: score * ofForm * asDefinition * asFrame * asTrouble * asExplanation * asIntroduction };
  });
  const chosen: P[] = [];
  while (chosen.length < limit && left.length > 0) {
    let best = 0;
    let bestWorth = 0;
    for (const [at, { place, score }] of left.entries()) {
      const worth = score * SAME_PAGE ** chosen.filter(({ path }) => path === place.path).length;
      if (worth > bestWorth) [best, bestWorth] = [at, worth];
    }
    chosen.push(...left.splice(best, 1).map(({ place }) => place));
  }
  return chosen;
}
