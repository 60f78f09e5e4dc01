/** The answer to one search, as the clients read it. */
import type { IndexSettings } from "../engine/index-settings.ts";
import type { EngineAnswer, EngineHit } from "../engine/search-engine.ts";
import { HIERARCHY_LEVELS, type HierarchyLevel, type SearchRecord } from "../records/search-record.ts";
import { escapeHtml, withoutMarkup } from "./escape.ts";
import { type HighlightOptions, type HighlightResult, highlight, type SnippetResult, snippet } from "./highlight.ts";
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

function escapeTexts(value: unknown): unknown {
  if (typeof value === "string") return escapeHtml(value);
  return Array.isArray(value) ? value.map(escapeTexts) : value;
}

export function toSearchResult(
  answer: EngineAnswer,
  params: SearchParams,
  { index, settings, processingTimeMS }: { index: string; settings: IndexSettings; processingTimeMS: number },
): SearchResult {
  const reachable = Math.min(answer.total, settings.paginationLimitedTo);
  const withFacets = params.engineQuery.facets.length > 0;
  const shape = shapeOf(answer, params);
  return {
    hits: answer.hits.map((hit) => toHit(hit, shape)),
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

/** What every hit of an answer gets, worked out once for all of them. */
interface HitShape {
  readonly attributes: readonly string[];
  readonly isAll: boolean;
  /** Levels to retrieve; undefined for no hierarchy at all. */
  readonly levels: readonly HierarchyLevel[] | undefined;
  readonly snippets: NestedPlan<SnippetResult>;
  readonly highlights: NestedPlan<HighlightResult>;
}

/** Makes a text's snippet or highlight, for the levels and the attributes that were asked for. */
interface NestedPlan<Result> {
  readonly levels: readonly (readonly [level: HierarchyLevel, make: (text: string) => Result])[];
  readonly attributes: readonly (readonly [attribute: string, make: (text: string) => Result])[];
}

function shapeOf(answer: EngineAnswer, params: SearchParams): HitShape {
  const options: HighlightOptions = {
    words: answer.words,
    matchTerm: answer.matchTerm,
    preTag: params.highlightPreTag,
    postTag: params.highlightPostTag,
  };
  const level0: HighlightOptions = { ...options, toHtml: withoutMarkup };
  const { attributesToRetrieve } = params;
  const isAll = attributesToRetrieve.includes("*");
  const isWhole = isAll || attributesToRetrieve.includes("hierarchy");
  const levels = HIERARCHY_LEVELS.filter((level) => isWhole || attributesToRetrieve.includes(`hierarchy.${level}`));
  const hasHierarchy = isAll || attributesToRetrieve.some((name) => name.split(".")[0] === "hierarchy");
  const isOther = (name: string): boolean => name !== "objectID" && name.split(".")[0] !== "hierarchy";
  return {
    attributes: attributesToRetrieve.filter(isOther).map((name) => name.split(".")[0] as string),
    isAll,
    levels: hasHierarchy ? levels : undefined,
    snippets: planOf(
      params.attributesToSnippet,
      ({ words }, isLevel0) =>
        (text) =>
          snippet(text, words, params.snippetEllipsisText, isLevel0 ? level0 : options),
    ),
    highlights: planOf(
      params.attributesToHighlight.map((attribute) => ({ attribute })),
      (_, isLevel0) => (text) => highlight(text, isLevel0 ? level0 : options),
    ),
  };
}

/** Levels stay in order: the search page makes its breadcrumb of all keys, in order. */
function planOf<Result, Wanted extends { readonly attribute: string }>(
  wanted: readonly Wanted[],
  make: (wanted: Wanted, isLevel0: boolean) => (text: string) => Result,
): NestedPlan<Result> {
  const named = (...names: readonly string[]): Wanted | undefined =>
    wanted.find(({ attribute }) => attribute === "*" || names.includes(attribute));
  const planFor = <Name extends string>(name: Name, isLevel0: boolean, ...names: readonly string[]) => {
    const found = named(...names);
    return found === undefined ? [] : [[name, make(found, isLevel0)] as const];
  };
  return {
    levels: HIERARCHY_LEVELS.flatMap((level) =>
      planFor(level, level === "lvl0", ...(named(`hierarchy.${level}`) ? [`hierarchy.${level}`] : ["hierarchy"])),
    ),
    attributes: [...TEXT_ATTRIBUTES].flatMap((attribute) => planFor(attribute, false, attribute)),
  };
}

function toHit({ record }: EngineHit, shape: HitShape): Record<string, unknown> {
  const hit = retrieve(record, shape);
  const snippets = nested(record, shape.snippets);
  const highlights = nested(record, shape.highlights);
  if (snippets !== undefined) hit._snippetResult = snippets;
  if (highlights !== undefined) hit._highlightResult = highlights;
  return hit;
}

/** The asked attributes, `a` or `a.b` or `*`, escaped; `objectID` always. */
function retrieve(record: SearchRecord, { attributes, isAll, levels }: HitShape): Record<string, unknown> {
  const hit: Record<string, unknown> = { objectID: record.objectID };
  if (levels !== undefined) {
    const hierarchy: Record<string, string | null> = {};
    for (const level of levels) {
      const text = record.hierarchy[level];
      hierarchy[level] = text === null ? null : level === "lvl0" ? withoutMarkup(text) : escapeHtml(text);
    }
    hit.hierarchy = hierarchy;
  }
  for (const attribute of isAll ? Object.keys(record) : attributes) {
    if (attribute === "hierarchy" || attribute === "objectID") continue;
    const value = record[attribute];
    if (value === undefined) continue;
    hit[attribute] = TEXT_ATTRIBUTES.has(attribute) ? escapeTexts(value) : value;
  }
  return hit;
}

/** Applies a plan to a record, in the record's shape; null levels are left out. @returns undefined when nothing is left. */
function nested<Result>(record: SearchRecord, plan: NestedPlan<Result>): Record<string, unknown> | undefined {
  let result: Record<string, unknown> | undefined;
  let hierarchy: Record<string, Result> | undefined;
  for (const [level, make] of plan.levels) {
    const text = record.hierarchy[level];
    if (text === null) continue;
    hierarchy ??= {};
    hierarchy[level] = make(text);
  }
  if (hierarchy !== undefined) result = { hierarchy };
  for (const [attribute, make] of plan.attributes) {
    const text = record[attribute];
    if (typeof text !== "string") continue;
    result ??= {};
    result[attribute] = make(text);
  }
  return result;
}
