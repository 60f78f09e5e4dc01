/**
 * The numbers of the ranking, in one place. A page is scored as a whole (BM25F: each word's weighted occurrences,
 * saturated, times how rare the word is), then its records choose which part of it is shown. The numbers were chosen by
 * judgement and checked by a coordinate search over the relevance set on two sites: halving or doubling any of them gains
 * at most 0.01 nDCG, so none of them sits on a peak of its own.
 */
import { FIELD, FIELD_COUNT } from "../index/index-format.ts";
import type { QueryKind } from "../query-words.ts";

function perField(values: Readonly<Record<keyof typeof FIELD, number>>): Float64Array {
  const table = new Float64Array(FIELD_COUNT);
  for (const [name, field] of Object.entries(FIELD)) table[field] = values[name as keyof typeof FIELD];
  return table;
}

/** What an occurrence adds to its page. Context repeats the headings and would count them twice. */
export const PAGE_WEIGHTS = perField({
  title: 8,
  heading: 1.5,
  alias: 5,
  content: 1,
  category: 1.5,
  context: 0,
  description: 2.5,
  question: 1.5,
});

/** What the best occurrence in a record is worth to that record. */
export const RECORD_WEIGHTS = perField({
  title: 8,
  heading: 7,
  alias: 5,
  content: 4,
  category: 1,
  context: 2,
  description: 3,
  question: 4.5,
});
export const TOP_RECORD_WEIGHT = 8;

/** What words next to each other are worth, by place. */
export const PROXIMITY_WEIGHTS = perField({
  title: 1,
  heading: 0.9,
  alias: 0.5,
  content: 0.5,
  category: 0.3,
  context: 0.3,
  description: 0.7,
  question: 1,
});

/** Half of a word's full worth is reached at this weighted count. */
export const SATURATION = 3;
/** How much a long page's text counts less: 0 not at all, 1 in proportion. */
export const LENGTH_PENALTY = 0.25;
/** A word of nearly every page keeps this weight. */
export const MIN_RARITY = 0.15;

/** How good a match is that is not the word itself. */
export const QUALITY = {
  exact: 1,
  /** Singular for plural and the other way round. */
  plural: 0.97,
  /** Another form with the same stem. */
  form: 0.85,
  /** The beginning of a word: from `prefix` for a short beginning up to `prefix + prefixSpan` for a nearly full word. */
  prefix: 0.55,
  prefixSpan: 0.35,
  /** The parts of a compound next to each other. */
  phrase: 0.9,
  /** A flag found as words without dashes, when no text has the flag, and when one has. */
  flagAsWords: 0.4,
  knownFlagAsWords: 0.05,
  /** An identifier found without its underscores, when a text has it with them. */
  knownIdentifierAsWords: 0.05,
  /** Two typed words that the text writes as one, or the other way round. */
  joined: 0.9,
  /** What the thesaurus says for a word. */
  meaning: 0.6,
  /** The same for a word that the texts use themselves: a hint, which does not make a page one that has the word. */
  meaningOfKnown: 0.25,
  /** A part of a compound without the others. */
  loosePart: 0.4,
  /** The last name of a path of fields (`spec.targetPort`) that no text has as a whole, and the names before it. */
  field: 0.8,
  fieldAround: 0.4,
  oneTypo: 0.6,
  twoTypos: 0.4,
  /** A word inside camelCase counts this much of itself. */
  camelPart: 0.8,
} as const;

/** The parts of a page's score; each part is 0–1, `heading` is what a section's name is worth beside the page's. */
export const PAGE_MIX = {
  text: 1,
  title: 0.5,
  heading: 0.5,
  record: 0.4,
  section: 0.4,
  proximity: 0.5,
  rank: 0.1,
} as const;

/** Decides which section of a page is first; compared among the page's own sections only. */
export const PART_MIX = {
  /** The words that distinguish sections, each with its best place in the section. */
  section: 1,
  proximity: 0.35,
  heading: 1.3,
  /** The page's names, for its own record. */
  title: 0.8,
  /** What the page's own record is behind its sections, unless the query names the page. */
  head: 0.4,
  /** What a section for those who met a problem is behind the others, for a query that says nothing of one. */
  trouble: 0.5,
  /** What it is ahead of them for a message as a program prints it: guides quote messages there. */
  message: 0.2,
  /** Puts the page's own record first where one word is searched that the page's name has. */
  named: 1,
  /** How much the rarity of a word among all pages counts beside that among the sections, as a power. */
  globalRarity: 0.5,
} as const;

/**
 * A name (title, alias, heading) answers the query fully when the query says all of it: `share` of its worth depends on how
 * much of the name the query says, and a query that is the name word for word (`What is MCP?`) earns `whole` more. Aliases
 * count less than titles.
 */
export const NAME_WEIGHTS = { alias: 0.7, share: 0.5, whole: 1 } as const;

/**
 * How many times the text of the whole page counts, by what the query is: a message is in one place, and a long page has its
 * words here and there.
 */
export const TEXT_FACTOR: Readonly<Record<QueryKind, number>> = { question: 1, message: 0.5, name: 1 };
/** How many times the prior of a page counts, by what the query is. */
export const RANK_FACTOR: Readonly<Record<QueryKind, number>> = { question: 2, message: 0, name: 2 };
/** In such a query a word of asking (`how do I make …`) counts this share of another word. */
export const ASKING_WORD_WEIGHT = 0.2;

/** Words further apart than this are not near each other; the provider's limit. */
export const MAX_PROXIMITY_GAP = 8;

/** Pages that miss a word are added when fewer pages than this have them all. */
export const ENOUGH_PAGES = 10;
/**
 * Pages whose names and neighbouring words are examined; the rest stay in order of their text: 40 miss pages whose name is a word
 * of most pages.
 */
export const REFINED_PAGES = 60;
/** Terms that match one typed beginning; the most frequent ones. */
export const MAX_EXPANSIONS = 400;
/** Postings that the terms of one typed beginning may have together, and one of them: a letter would be half the index. */
export const MAX_PREFIX_POSTINGS = 40_000;
export const MAX_POSTINGS_OF_EXPANSION = 10_000;
/** A word with more postings than this counts only on pages that rarer words named, when these are many. */
export const MANY_POSTINGS = 5_000;
/** Pages that are many: more than anybody pages through. */
export const MANY_PAGES = 1_000;

/** Hits that a page gets before the next page has its turn, by the page's rank; the rest of its hits follow after all pages. */
export function countSlots(rank: number): number {
  if (rank === 0) return 3;
  return rank < 4 ? 2 : 1;
}
