/** One search of a request: its parameters, parsed once. Unknown parameters are ignored, as the provider does. */
import { isRecord } from "@toolhive/http/values";
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
  /** False when the client asks to be excluded from statistics. */
  readonly analytics: boolean;
}

/** The provider's limit on hits in one answer. */
const MAX_HITS_PER_PAGE = 1000;
/** Hits that count as one search against a caller's limit. */
const HITS_PER_SEARCH = 100;
/** Characters of a tag or an ellipsis: each is repeated for every match of every hit. */
const MAX_TAG_CHARACTERS = 100;
/** Names in one list; the records have 12 attributes, and a name counts once. */
const MAX_LIST_NAMES = 50;
/** Characters of one name in a list. */
const MAX_NAME_CHARACTERS = 200;
/** Snippets without a number of words have this many. */
const DEFAULT_SNIPPET_WORDS = 10;

type Fields = Readonly<Record<string, unknown>>;

/** A sub-request with its `params`, URL-encoded or an object, laid over the other fields. */
export function mergeParams(request: unknown): Fields {
  if (!isRecord(request)) throw new WireError(400, "every request must be an object");
  const { params, ...fields } = request;
  if (params === undefined || params === null) return fields;
  if (typeof params === "string") return { ...fields, ...Object.fromEntries(new URLSearchParams(params)) };
  if (isRecord(params)) return { ...fields, ...params };
  throw new WireError(400, "params must be a string or an object");
}

function readInteger(fields: Fields, name: string, fallback: number): number {
  const value = fields[name];
  if (value === undefined || value === null || value === "") return fallback;
  const number = typeof value === "string" ? Number(value) : value;
  if (typeof number !== "number" || !Number.isInteger(number) || number < 0) {
    throw new WireError(400, `${name} must be a whole number, 0 or more`);
  }
  return number;
}

function readBoolean(value: unknown, fallback: boolean): boolean {
  if (typeof value === "boolean") return value;
  if (value === "true") return true;
  return value === "false" ? false : fallback;
}

function readTextField(fields: Fields, name: string, fallback: string): string {
  const value = fields[name];
  if (value === undefined || value === null) return fallback;
  if (typeof value === "string") return value;
  if (typeof value === "number") return String(value);
  throw new WireError(400, `${name} must be a string`);
}

function readTag(fields: Fields, name: string, fallback: string): string {
  const tag = readTextField(fields, name, fallback);
  if (tag.length > MAX_TAG_CHARACTERS) {
    throw new WireError(400, `${name} has ${tag.length} characters, at most ${MAX_TAG_CHARACTERS} are allowed`);
  }
  return tag;
}

/** A list of different names. @throws {WireError} 400 when it has more, or longer ones, than any record has attributes. */
function readNames(fields: Fields, name: string, fallback: readonly string[]): readonly string[] {
  const given = readList(fields, name, fallback);
  if (given === fallback) return fallback;
  const names = [...new Set(given)];
  if (names.length > MAX_LIST_NAMES) {
    throw new WireError(400, `${name} has ${names.length} names, at most ${MAX_LIST_NAMES} are allowed`);
  }
  if (names.some((each) => each.length > MAX_NAME_CHARACTERS)) {
    throw new WireError(400, `${name} has a name with more than ${MAX_NAME_CHARACTERS} characters`);
  }
  return names;
}

/** A list as an array, as `a,b`, or as the JSON text of an array. */
function readList(fields: Fields, name: string, fallback: readonly string[]): readonly string[] {
  const value = fields[name];
  if (value === undefined || value === null) return fallback;
  if (typeof value === "string") {
    if (value.trimStart().startsWith("[")) {
      try {
        return readList({ [name]: JSON.parse(value) }, name, fallback);
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

function parseSnippet(text: string): AttributeSnippet {
  const [attribute = "", words] = text.split(":");
  const number = Number(words);
  return { attribute, words: words === undefined || !Number.isInteger(number) ? DEFAULT_SNIPPET_WORDS : number };
}

function readQueryType(value: unknown): EngineQuery["queryType"] {
  return value === "prefixAll" || value === "prefixNone" ? value : "prefixLast";
}

/**
 * What one search counts against its caller's limit: one for every hundred hits it may answer, at least one.
 *
 * @param fields As {@link mergeParams} gives them; what is no number is refused later, and counts one here.
 */
export function costOfSearch(fields: Fields): number {
  const asked = Number(fields.length ?? fields.hitsPerPage ?? 0);
  const hits = Number.isFinite(asked) ? Math.min(asked, MAX_HITS_PER_PAGE) : 0;
  return Math.max(1, Math.ceil(hits / HITS_PER_SEARCH));
}

/** @throws {WireError} 400 naming the parameter. */
export function parseSearchParams(fields: Fields, settings: IndexSettings): SearchParams {
  const query = readTextField(fields, "query", "");
  const hitsPerPage = Math.min(readInteger(fields, "hitsPerPage", settings.hitsPerPage), MAX_HITS_PER_PAGE);
  const page = readInteger(fields, "page", 0);
  const offset = readInteger(fields, "offset", page * hitsPerPage);
  const length = Math.min(readInteger(fields, "length", hitsPerPage), MAX_HITS_PER_PAGE);
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
      facets: readNames(fields, "facets", []),
      offset,
      limit: Math.min(length, reachable),
      typoTolerance,
      queryType: readQueryType(fields.queryType),
    },
    attributesToRetrieve: readNames(fields, "attributesToRetrieve", settings.attributesToRetrieve),
    attributesToHighlight: readNames(fields, "attributesToHighlight", settings.attributesToHighlight),
    attributesToSnippet: readNames(fields, "attributesToSnippet", settings.attributesToSnippet).map(parseSnippet),
    highlightPreTag: readTag(fields, "highlightPreTag", settings.highlightPreTag),
    highlightPostTag: readTag(fields, "highlightPostTag", settings.highlightPostTag),
    snippetEllipsisText: readTag(fields, "snippetEllipsisText", settings.snippetEllipsisText),
    clickAnalytics: readBoolean(fields.clickAnalytics, false),
    analytics: readBoolean(fields.analytics, true),
  };
}
