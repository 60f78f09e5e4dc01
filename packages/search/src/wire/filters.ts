/** Facet filters in both of the provider's notations, as groups that must all hold. */
import type { FacetFilter, FacetTerm } from "../engine/search-engine.ts";
import { WireError } from "./wire-error.ts";

/** Terms in one filter; more is a mistake or an attack. */
const MAX_TERMS = 1_000;

function parseTerm(text: string): FacetTerm {
  const colon = text.indexOf(":");
  if (colon <= 0) throw new WireError(400, `invalid facet filter "${text.slice(0, 100)}": expected attribute:value`);
  const value = text.slice(colon + 1);
  const isNegated = value.startsWith("-");
  // A value that begins with a dash is written with a backslash before it.
  return {
    attribute: text.slice(0, colon),
    value: value.slice(isNegated || value.startsWith("\\-") ? 1 : 0),
    isNegated,
  };
}

/**
 * `facetFilters`: a string or a flat array is "and", an inner array "or". Also accepts the JSON text of such an array.
 *
 * @throws {WireError} 400.
 */
export function parseFacetFilters(given: unknown): FacetFilter {
  if (given === undefined || given === null || given === "") return [];
  if (typeof given === "string") {
    if (!given.trimStart().startsWith("[")) return given.split(",").map((part) => [parseTerm(part.trim())]);
    try {
      return parseFacetFilters(JSON.parse(given));
    } catch (error) {
      if (error instanceof WireError) throw error;
      throw new WireError(400, "facetFilters is not valid JSON");
    }
  }
  if (!Array.isArray(given)) throw new WireError(400, "facetFilters must be an array or a string");
  let terms = 0;
  const parseItem = (item: unknown): FacetTerm => {
    if (typeof item !== "string") throw new WireError(400, "facetFilters may hold strings and arrays of strings");
    terms += 1;
    if (terms > MAX_TERMS) throw new WireError(400, `facetFilters has more than ${MAX_TERMS} terms`);
    return parseTerm(item);
  };
  return given
    .map((group) => (Array.isArray(group) ? group.map(parseItem) : [parseItem(group)]))
    .filter((group) => group.length > 0);
}

/**
 * `filters`: `a:b AND (c:d OR NOT c:e)`, facets only. As with the hosted provider, "and" may join groups of "or" but not
 * the other way round.
 *
 * @throws {WireError} 400 with the place where it ends to be understood.
 */
export function parseFilters(given: unknown): FacetFilter {
  if (given === undefined || given === null) return [];
  if (typeof given !== "string") throw new WireError(400, "filters must be a string");
  const tokens = given.match(/\(|\)|(?:[^\s()"':]+|"[^"]*"|'[^']*')(?::(?:"[^"]*"|'[^']*'|[^\s()]+))?/g) ?? [];
  if (tokens.length > MAX_TERMS * 2) throw new WireError(400, `filters has more than ${MAX_TERMS} terms`);
  const groups: FacetTerm[][] = [];
  let at = 0;
  const fail = (): never => {
    throw new WireError(400, `filters: unexpected ${tokens[at] === undefined ? "end" : `"${tokens[at]}"`}`);
  };
  const term = (): FacetTerm => {
    const isNot = tokens[at] === "NOT";
    if (isNot) at += 1;
    const token = tokens[at];
    if (token === undefined || /^(?:AND|OR|NOT|\(|\))$/.test(token) || !token.includes(":")) return fail();
    at += 1;
    const parsed = parseTerm(withoutValueQuotes(token.replace(/^(?:"([^"']*)"|'([^"']*)')/, "$1$2")));
    return isNot ? { ...parsed, isNegated: !parsed.isNegated } : parsed;
  };
  const group = (): FacetTerm[] => {
    const isOpen = tokens[at] === "(";
    if (isOpen) at += 1;
    const terms = [term()];
    while (tokens[at] === "OR") {
      at += 1;
      terms.push(term());
    }
    if (isOpen && tokens[at++] !== ")") {
      at -= 1;
      return fail();
    }
    return terms;
  };
  while (at < tokens.length) {
    if (groups.length > 0 && tokens[at++] !== "AND") {
      at -= 1;
      return fail();
    }
    groups.push(group());
  }
  return groups;
}

/** `type:"page"` as `type:page`; the caller chooses the number of quotes. */
function withoutValueQuotes(term: string): string {
  const quote = term.at(-1);
  const start = quote === '"' || quote === "'" ? term.indexOf(`:${quote}`) : -1;
  if (start === -1 || start + 2 >= term.length) return term;
  return `${term.slice(0, start + 1)}${term.slice(start + 2, -1)}`;
}
