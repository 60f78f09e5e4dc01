/**
 * The engine as a port: what the wire needs from whatever finds the records. Adapters: our own index
 * (`memory/memory-engine.ts`) and OpenSearch (`opensearch/opensearch-engine.ts`).
 */
import type { SearchRecord } from "../records/search-record.ts";
import type { IndexSettings } from "./index-settings.ts";

/** A condition on facets: every group must hold, a group holds when one of its terms does. */
export type FacetFilter = readonly (readonly FacetTerm[])[];

export interface FacetTerm {
  readonly attribute: string;
  readonly value: string;
  /** `attribute:-value`: holds for records without the value. */
  readonly isNegated: boolean;
}

export interface EngineQuery {
  readonly text: string;
  readonly filter: FacetFilter;
  /** Attributes to count values of, over the same hits. */
  readonly facets: readonly string[];
  readonly offset: number;
  /** 0–1000. */
  readonly limit: number;
  /** Default true. */
  readonly typoTolerance: boolean;
  /** Default `prefixLast`. */
  readonly queryType: "prefixLast" | "prefixAll" | "prefixNone";
}

/** How a term of a text matched a word of the query. */
export interface TermMatch {
  /** Number of the query's word. */
  readonly word: number;
  /** Highlight this many characters of the term; undefined for all of it. */
  readonly prefixLength: number | undefined;
}

/** A word of the query that could not be searched. */
export interface UnknownWord {
  /** As it was typed, folded. */
  readonly word: string;
  /** Best first. */
  readonly nearest: readonly string[];
}

export const MAX_NEAREST = 3;

export interface EngineHit {
  readonly record: SearchRecord;
  readonly score: number;
}

export interface EngineAnswer {
  readonly hits: readonly EngineHit[];
  /** Hits in all, after filters and one per url. */
  readonly total: number;
  readonly facets: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** The words that were searched, folded, as `matchedWords` reports them. */
  readonly words: readonly string[];
  /** Words that no record has, and the nearest that some have, at most {@link MAX_NEAREST} each. */
  readonly unknown: readonly UnknownWord[];
  /** For highlighting. Undefined when the term did not match. */
  readonly matchTerm: (term: string) => TermMatch | undefined;
  /** Whether `total` and `facets` are reckoned from the best pages. Default: they are counted. */
  readonly isEstimate?: boolean;
  /** Whether another engine answered than the one that was asked. */
  readonly isFallback?: boolean;
}

/** The engine behind an adapter refuses, fails or does not answer. */
export class EngineError extends Error {
  override readonly name: string = "EngineError";
}

export interface SearchEngine {
  /** Name of the adapter, for logs and benchmarks. */
  readonly name: string;
  /** Changes with the content. */
  readonly version: string;
  readonly settings: IndexSettings;
  /** @throws {EngineError} when the engine behind an adapter does not answer. */
  search(query: EngineQuery): EngineAnswer | Promise<EngineAnswer>;
}
