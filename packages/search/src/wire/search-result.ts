/** The answer to one search, as the clients read it. */
import type { IndexSettings } from "../engine/index-settings.ts";
import type { EngineAnswer, EngineHit } from "../engine/search-engine.ts";
import { HIERARCHY_LEVELS, type SearchRecord } from "../records/search-record.ts";
import { escapeHtml, withoutMarkup } from "./escape.ts";
import { type HighlightOptions, highlight, snippet } from "./highlight.ts";
import type { SearchParams } from "./search-params.ts";

export interface SearchResult {
  readonly hits: readonly Readonly<Record<string, unknown>>[];
  readonly nbHits: number;
  readonly page: number;
  readonly nbPages: number;
  readonly hitsPerPage: number;
  /** Byte for byte what was asked: the search page drops answers to anything else. */
  readonly query: string;
  readonly index: string;
  readonly processingTimeMS: number;
  readonly exhaustiveNbHits: true;
  readonly exhaustiveTypo: true;
  readonly exhaustive: { readonly nbHits: true; readonly typo: true; readonly facetsCount?: true };
  readonly facets?: EngineAnswer["facets"];
  readonly exhaustiveFacetsCount?: true;
  readonly renderingContent: Readonly<Record<string, never>>;
}

/** Attributes that hold text for readers; the client inserts them as HTML. Level 0 is apart, see {@link withoutMarkup}. */
const TEXT_ATTRIBUTES = new Set(["content", "keywords"]);

export function toSearchResult(
  answer: EngineAnswer,
  params: SearchParams,
  { index, settings, processingTimeMS }: { index: string; settings: IndexSettings; processingTimeMS: number },
): SearchResult {
  const reachable = Math.min(answer.total, settings.paginationLimitedTo);
  const withFacets = params.engineQuery.facets.length > 0;
  return {
    hits: answer.hits.map((hit) => toHit(hit, answer, params)),
    nbHits: answer.total,
    page: params.page,
    nbPages: params.hitsPerPage === 0 ? 0 : Math.ceil(reachable / params.hitsPerPage),
    hitsPerPage: params.hitsPerPage,
    query: params.query,
    index,
    processingTimeMS,
    exhaustiveNbHits: true,
    exhaustiveTypo: true,
    exhaustive: { nbHits: true, typo: true, ...(withFacets ? ({ facetsCount: true } as const) : {}) },
    ...(withFacets ? ({ facets: answer.facets, exhaustiveFacetsCount: true } as const) : {}),
    renderingContent: {},
  };
}

function toHit({ record }: EngineHit, answer: EngineAnswer, params: SearchParams): Record<string, unknown> {
  const hit = retrieve(record, params.attributesToRetrieve);
  const options: HighlightOptions = {
    words: answer.words,
    matchTerm: answer.matchTerm,
    preTag: params.highlightPreTag,
    postTag: params.highlightPostTag,
  };
  const snippets = nested(record, params.attributesToSnippet, ({ words }, text, isLevel0) =>
    snippet(text, words, params.snippetEllipsisText, isLevel0 ? { ...options, toHtml: withoutMarkup } : options),
  );
  const highlights = nested(
    record,
    params.attributesToHighlight.map((attribute) => ({ attribute })),
    (_, text, isLevel0) => highlight(text, isLevel0 ? { ...options, toHtml: withoutMarkup } : options),
  );
  if (Object.keys(snippets).length > 0) hit._snippetResult = snippets;
  if (Object.keys(highlights).length > 0) hit._highlightResult = highlights;
  return hit;
}

/** The asked attributes, `a` or `a.b` or `*`, escaped; `objectID` always. */
function retrieve(record: SearchRecord, attributes: readonly string[]): Record<string, unknown> {
  const hit: Record<string, unknown> = { objectID: record.objectID };
  const hierarchy: Record<string, string | null> = {};
  const isAll = attributes.includes("*");
  const wanted = isAll ? Object.keys(record) : attributes;
  for (const name of wanted) {
    if (name === "objectID") continue;
    const [attribute = "", member] = name.split(".");
    if (attribute === "hierarchy") {
      hit.hierarchy = hierarchy;
      for (const level of HIERARCHY_LEVELS) {
        if (member !== undefined && member !== level) continue;
        const text = record.hierarchy[level];
        hierarchy[level] = text === null ? null : level === "lvl0" ? withoutMarkup(text) : escapeHtml(text);
      }
      continue;
    }
    const value = record[attribute];
    if (value === undefined) continue;
    hit[attribute] = typeof value === "string" && TEXT_ATTRIBUTES.has(attribute) ? escapeHtml(value) : value;
  }
  return hit;
}

/**
 * Applies something to every text attribute named, and puts the results in the record's shape. Null levels are left out
 * and levels stay in order: the search page makes its breadcrumb of all keys, in order.
 */
function nested<Result, Wanted extends { readonly attribute: string }>(
  record: SearchRecord,
  wanted: readonly Wanted[],
  make: (wanted: Wanted, text: string, isLevel0: boolean) => Result,
): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  const isNamed = (name: string): Wanted | undefined =>
    wanted.find(({ attribute }) => attribute === name || attribute === "*");
  const hierarchy: Record<string, Result> = {};
  for (const level of HIERARCHY_LEVELS) {
    const text = record.hierarchy[level];
    const named = isNamed(`hierarchy.${level}`) ?? isNamed("hierarchy");
    if (text !== null && named !== undefined) hierarchy[level] = make(named, text, level === "lvl0");
  }
  if (Object.keys(hierarchy).length > 0) result.hierarchy = hierarchy;
  for (const attribute of TEXT_ATTRIBUTES) {
    const text = record[attribute];
    const named = isNamed(attribute);
    if (typeof text === "string" && named !== undefined) result[attribute] = make(named, text, false);
  }
  return result;
}
