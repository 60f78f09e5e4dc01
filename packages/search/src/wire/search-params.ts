/** One search of a request: its parameters, parsed once. Unknown parameters are ignored, as the provider does. */
import type { IndexSettings } from "../engine/index-settings.ts";
import type { EngineQuery, FacetFilter } from "../engine/search-engine.ts";
import { parseFacetFilters, parseFilters } from "./filters.ts";
import { WireError } from "./wire-error.ts";

interface AttributeSnippet {
  readonly attribute: string;
  readonly words: number;
}

export interface SearchParams {
  readonly query: string;
  readonly page: number;
  readonly hitsPerPage: number;
  /** What the engine is asked. */
  readonly engineQuery: EngineQuery;
  readonly attributesToRetrieve: readonly string[];
  readonly attributesToHighlight: readonly string[];
  readonly attributesToSnippet: readonly AttributeSnippet[];
  readonly highlightPreTag: string;
  readonly highlightPostTag: string;
  readonly snippetEllipsisText: string;
  readonly clickAnalytics: boolean;
  /** False when the client asks to be left out of statistics. */
  readonly analytics: boolean;
}

/** The provider's limit on hits in one answer. */
const MAX_HITS_PER_PAGE = 1000;
/** Snippets without a number of words have this many. */
const DEFAULT_SNIPPET_WORDS = 10;

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A sub-request with its `params`, URL-encoded or an object, laid over the other fields. */
export function mergeParams(request: unknown): Fields {
  if (!isFields(request)) throw new WireError(400, "every request must be an object");
  const { params, ...fields } = request;
  if (params === undefined || params === null) return fields;
  if (typeof params === "string") return { ...fields, ...Object.fromEntries(new URLSearchParams(params)) };
  if (isFields(params)) return { ...fields, ...params };
  throw new WireError(400, "params must be a string or an object");
}

function integerOf(fields: Fields, name: string, fallback: number): number {
  const value = fields[name];
  if (value === undefined || value === null || value === "") return fallback;
  const number = typeof value === "string" ? Number(value) : value;
  if (typeof number !== "number" || !Number.isInteger(number) || number < 0) {
    throw new WireError(400, `${name} must be a whole number, 0 or more`);
  }
  return number;
}

function booleanOf(value: unknown, fallback: boolean): boolean {
  if (typeof value === "boolean") return value;
  if (value === "true") return true;
  return value === "false" ? false : fallback;
}

function textOf(fields: Fields, name: string, fallback: string): string {
  const value = fields[name];
  if (value === undefined || value === null) return fallback;
  if (typeof value === "string") return value;
  if (typeof value === "number") return String(value);
  throw new WireError(400, `${name} must be a string`);
}

/** A list as an array, as `a,b`, or as the JSON text of an array. */
function listOf(fields: Fields, name: string, fallback: readonly string[]): readonly string[] {
  const value = fields[name];
  if (value === undefined || value === null) return fallback;
  if (typeof value === "string") {
    if (value.trimStart().startsWith("[")) {
      try {
        return listOf({ [name]: JSON.parse(value) }, name, fallback);
      } catch {
        throw new WireError(400, `${name} is not valid JSON`);
      }
    }
    return value
      .split(",")
      .map((item) => item.trim())
      .filter((item) => item !== "");
  }
  if (Array.isArray(value) && value.every((item) => typeof item === "string")) return value;
  throw new WireError(400, `${name} must be an array of strings`);
}

function snippetOf(text: string): AttributeSnippet {
  const [attribute = "", words] = text.split(":");
  const number = Number(words);
  return { attribute, words: words === undefined || !Number.isInteger(number) ? DEFAULT_SNIPPET_WORDS : number };
}

function queryTypeOf(value: unknown): EngineQuery["queryType"] {
  return value === "prefixAll" || value === "prefixNone" ? value : "prefixLast";
}

/** @throws {WireError} 400 naming the parameter. */
export function parseSearchParams(fields: Fields, settings: IndexSettings): SearchParams {
  const query = textOf(fields, "query", "");
  const hitsPerPage = Math.min(integerOf(fields, "hitsPerPage", settings.hitsPerPage), MAX_HITS_PER_PAGE);
  const page = integerOf(fields, "page", 0);
  const offset = integerOf(fields, "offset", page * hitsPerPage);
  const length = Math.min(integerOf(fields, "length", hitsPerPage), MAX_HITS_PER_PAGE);
  const reachable = Math.max(0, settings.paginationLimitedTo - offset);
  const filter: FacetFilter = [...parseFacetFilters(fields.facetFilters), ...parseFilters(fields.filters)];
  const typoTolerance = fields.typoTolerance !== false && fields.typoTolerance !== "false";
  return {
    query,
    page,
    hitsPerPage,
    engineQuery: {
      text: query,
      filter,
      facets: listOf(fields, "facets", []),
      offset,
      limit: Math.min(length, reachable),
      typoTolerance,
      queryType: queryTypeOf(fields.queryType),
    },
    attributesToRetrieve: listOf(fields, "attributesToRetrieve", settings.attributesToRetrieve),
    attributesToHighlight: listOf(fields, "attributesToHighlight", settings.attributesToHighlight),
    attributesToSnippet: listOf(fields, "attributesToSnippet", settings.attributesToSnippet).map(snippetOf),
    highlightPreTag: textOf(fields, "highlightPreTag", settings.highlightPreTag),
    highlightPostTag: textOf(fields, "highlightPostTag", settings.highlightPostTag),
    snippetEllipsisText: textOf(fields, "snippetEllipsisText", settings.snippetEllipsisText),
    clickAnalytics: booleanOf(fields.clickAnalytics, false),
    analytics: booleanOf(fields.analytics, true),
  };
}
