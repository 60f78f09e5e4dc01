/** The search for candidate pages, as data: words with their possible matches, filters, and counts of the words' rarity. */

import type { Alternatives, Meanings } from "../memory/word-alternatives.ts";
import type { FacetFilter, FacetTerm } from "../search-engine.ts";

/** Terms of a word that are scored one by one; the others count alike. */
const MAX_SCORED_TERMS = 24;
/** Terms of a word at all; the best. */
const MAX_TERMS = 400;
/** Puts pages with every word before those that miss one, whatever their other scores. */
const EVERY_WORD = 1_000;
/** The prior of a page is worth this share of a rare word. */
const RANK_SHARE = 0.3;

export interface PageQuery {
  /** Per word, in the query's order. */
  readonly alternatives: readonly Alternatives[];
  /** Terms of the vocabulary by their numbers. */
  readonly terms: readonly string[];
  readonly filter: FacetFilter;
  /** How much a page's prior counts, 0 or more. */
  readonly rankFactor: number;
  readonly maxRank: number;
  readonly size: number;
}

/** Body of the search for candidates; its aggregations are `word0`, `word1`, … and `every`. */
export function toPageSearch({ alternatives, terms, filter, rankFactor, maxRank, size }: PageQuery): object {
  const words = alternatives.map((word) => readWord(word, terms));
  const hints = alternatives.map((word) => readWord(word.hints, terms));
  const filters = words.map(wordFilter);
  const every = { bool: { filter: filters } };
  return {
    query: {
      function_score: {
        query: {
          bool: {
            filter: pageFilter(filter),
            should: [
              ...words.map(wordScore),
              ...hints.filter(hasAny).map(wordScore),
              { constant_score: { filter: every, boost: EVERY_WORD } },
            ],
            minimum_should_match: 1,
          },
        },
        functions: [{ field_value_factor: { field: "rank", factor: (RANK_SHARE * rankFactor) / maxRank, missing: 0 } }],
        boost_mode: "sum",
      },
    },
    aggs: {
      every: { filter: every },
      // As our own engine counts a word's pages: those that have only a hint of it are among them.
      ...Object.fromEntries(
        words.map((word, at) => [`word${at}`, { filter: anyFilter([word, hints[at] as Word].filter(hasAny)) }]),
      ),
    },
    sort: [{ _score: "desc" }, { number: "asc" }],
    size,
    track_total_hits: true,
    _source: false,
  };
}

/** Body of the search for everything: the pages' own records, best prior first. */
export function toBrowseSearch(filter: FacetFilter, offset: number, limit: number, countsFacets: boolean): object {
  return {
    query: { bool: { filter: [...pageFilter(filter), { exists: { field: "headFacets" } }] } },
    sort: [{ rank: "desc" }, { number: "asc" }],
    from: offset,
    size: limit,
    track_total_hits: true,
    _source: false,
    ...(countsFacets ? { aggs: { facets: { terms: { field: "headFacets", size: 1_000 } } } } : {}),
  };
}

interface Word {
  /** Best first. */
  readonly terms: readonly { readonly text: string; readonly quality: number }[];
  readonly phrases: readonly { readonly parts: readonly (readonly string[])[]; readonly quality: number }[];
}

function hasAny({ terms, phrases }: Word): boolean {
  return terms.length + phrases.length > 0;
}

function readWord({ terms, phrases }: Meanings, vocabulary: readonly string[]): Word {
  const readTerm = (term: number): string => vocabulary[term] as string;
  return {
    terms: [...terms]
      .map(([term, quality]) => ({ text: readTerm(term), quality }))
      .sort((a, b) => b.quality - a.quality)
      .slice(0, MAX_TERMS),
    phrases: phrases.map(({ parts, quality }) => ({
      quality,
      parts: parts.map((part) => part.slice(0, MAX_SCORED_TERMS).map(readTerm)),
    })),
  };
}

function wordFilter({ terms, phrases }: Word): object {
  const should = [
    ...(terms.length === 0 ? [] : [{ terms: { words: terms.map(({ text }) => text) } }]),
    ...phrases.map(({ parts }) => phraseClause(parts, 1)),
  ];
  return should.length === 0 ? { match_none: {} } : { bool: { should, minimum_should_match: 1 } };
}

function anyFilter(words: readonly Word[]): object {
  const [first, ...others] = words.map(wordFilter);
  if (first === undefined) return { match_none: {} };
  return others.length === 0 ? first : { bool: { should: [first, ...others], minimum_should_match: 1 } };
}

function wordScore({ terms, phrases }: Word): object {
  const scored = terms.slice(0, MAX_SCORED_TERMS);
  const others = terms.slice(MAX_SCORED_TERMS);
  const queries = [
    ...scored.map(({ text, quality }) => ({ term: { words: { value: text, boost: quality } } })),
    ...(others.length === 0
      ? []
      : [{ terms: { words: others.map(({ text }) => text), boost: others[0]?.quality ?? 1 } }]),
    ...phrases.map(({ parts, quality }) => phraseClause(parts, quality)),
  ];
  return queries.length === 0 ? { match_none: {} } : { dis_max: { queries, tie_breaker: 0.2 } };
}

/** Words side by side; a part may be one of several. */
function phraseClause(parts: readonly (readonly string[])[], boost: number): object {
  const clauses = parts.map((part) => {
    const spans = part.map((text) => ({ span_term: { text } }));
    return spans.length === 1 ? (spans[0] as object) : { span_or: { clauses: spans } };
  });
  return { span_near: { clauses, slop: 0, in_order: true, boost } };
}

function facetValue({ attribute, value }: FacetTerm): string {
  return `${attribute}:${value}`;
}

/** What a page must have so that one of its records may pass; its records are checked one by one afterwards. */
function pageFilter(filter: FacetFilter): object[] {
  return [
    { term: { kind: "page" } },
    ...filter
      .filter((group) => group.every(({ isNegated }) => !isNegated))
      .map((group) => ({ terms: { facets: group.map(facetValue) } })),
  ];
}
