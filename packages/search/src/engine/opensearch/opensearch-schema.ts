/**
 * Index settings, mapping and query for OpenSearch (2.x and 3.x), as data. The analysis follows `text/tokenize.ts`: flags and
 * compounds whole and in parts, accents folded, English word forms in a field of their own.
 */
import type { EngineQuery, FacetTerm } from "../search-engine.ts";

/** Body of `PUT /{index}`. */
export const OPENSEARCH_INDEX = {
  settings: {
    number_of_shards: 1,
    analysis: {
      filter: {
        parts: {
          type: "word_delimiter_graph",
          preserve_original: true,
          catenate_all: true,
          split_on_numerics: false,
          stem_english_possessive: true,
        },
        beginnings: { type: "edge_ngram", min_gram: 1, max_gram: 20 },
        english_forms: { type: "stemmer", language: "light_english" },
      },
      analyzer: {
        words: { tokenizer: "whitespace", filter: ["parts", "flatten_graph", "lowercase", "asciifolding"] },
        words_asked: { tokenizer: "whitespace", filter: ["lowercase", "asciifolding"] },
        forms: { tokenizer: "standard", filter: ["lowercase", "asciifolding", "english_forms"] },
        beginnings: {
          tokenizer: "whitespace",
          filter: ["parts", "flatten_graph", "lowercase", "asciifolding", "beginnings"],
        },
      },
    },
  },
  mappings: {
    dynamic: false,
    properties: {
      title: { type: "text", analyzer: "words", search_analyzer: "words_asked", fields: subfields() },
      heading: { type: "text", analyzer: "words", search_analyzer: "words_asked", fields: subfields() },
      text: { type: "text", analyzer: "words", search_analyzer: "words_asked", fields: subfields() },
      keywords: { type: "text", analyzer: "words", search_analyzer: "words_asked", fields: subfields() },
      context: { type: "text", analyzer: "words", search_analyzer: "words_asked", fields: subfields() },
      url: { type: "keyword" },
      rank: { type: "float" },
      position: { type: "integer" },
      /** `attribute:value` of every facet. */
      facets: { type: "keyword" },
      record: { type: "object", enabled: false },
    },
  },
} as const;

function subfields() {
  return {
    forms: { type: "text", analyzer: "forms" },
    start: { type: "text", analyzer: "beginnings", search_analyzer: "words_asked" },
  } as const;
}

/** What a match in each field is worth; compare `PAGE_WEIGHTS` of our own engine. */
const FIELD_BOOSTS: Readonly<Record<string, number>> = { title: 8, heading: 4, keywords: 5, text: 1, context: 0.5 };

function fieldsWith(suffix: string, factor: number): string[] {
  return Object.entries(FIELD_BOOSTS).map(([field, boost]) => `${field}${suffix}^${boost * factor}`);
}

/** One word of the query: itself, its forms, a mistake away, and as a beginning when it is the last. */
function wordClause(word: string, isPrefix: boolean, typoTolerance: boolean): object {
  const clauses: object[] = [
    { multi_match: { query: word, fields: fieldsWith("", 1), type: "best_fields" } },
    { multi_match: { query: word, fields: fieldsWith(".forms", 0.85), type: "best_fields", operator: "and" } },
  ];
  if (isPrefix) clauses.push({ multi_match: { query: word, fields: fieldsWith(".start", 0.6), type: "best_fields" } });
  if (typoTolerance && !/\d/.test(word)) {
    clauses.push({
      multi_match: {
        query: word,
        fields: fieldsWith("", 0.3),
        fuzziness: "AUTO:4,8",
        prefix_length: 1,
        max_expansions: 50,
      },
    });
  }
  return { dis_max: { queries: clauses, tie_breaker: 0.1 } };
}

function facetValue({ attribute, value }: FacetTerm): string {
  return `${attribute}:${value}`;
}

function filterClauses(query: EngineQuery): object[] {
  return query.filter.map((group) => ({
    bool: {
      should: group.map((term) => {
        const holds = { term: { facets: facetValue(term) } };
        return term.isNegated ? { bool: { must_not: [holds] } } : holds;
      }),
      minimum_should_match: 1,
    },
  }));
}

/** A word of the query as OpenSearch is asked for it. */
export interface AskedWord {
  readonly text: string;
  readonly isPrefix: boolean;
}

/** Body of `POST /{index}/_search`. Words may be missing when there are more than two; those with all come first. */
export function toOpenSearchQuery(query: EngineQuery, words: readonly AskedWord[]): object {
  const clauses = words.map(({ text, isPrefix }) => wordClause(text, isPrefix, query.typoTolerance));
  const phrase = words.map(({ text }) => text).join(" ");
  const near = { multi_match: { query: phrase, fields: fieldsWith("", 1), type: "phrase_prefix", slop: 2 } };
  return {
    query: {
      bool: {
        filter: filterClauses(query),
        ...(words.length === 0
          ? { must: [{ match_all: {} }] }
          : { should: clauses, minimum_should_match: words.length > 2 ? "2<70%" : "100%" }),
        ...(words.length > 1 ? { must: [{ bool: { should: [near, { match_all: {} }] } }] } : {}),
      },
    },
    sort: [{ _score: "desc" }, { rank: "desc" }, { position: "asc" }],
    collapse: { field: "url" },
    track_total_hits: false,
    from: query.offset,
    size: query.limit,
    _source: ["record"],
    aggs: {
      urls: { cardinality: { field: "url", precision_threshold: 10_000 } },
      ...(query.facets.length > 0 ? { facets: { terms: { field: "facets", size: 1_000 } } } : {}),
    },
  };
}
