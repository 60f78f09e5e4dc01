/**
 * Writes the hits of one answer as JSON. Text is put together and objects are not: readers who type get twenty hits for every
 * letter, and what of a hit does not depend on the query is written once and remembered.
 */
import type { EngineAnswer } from "../engine/search-engine.ts";
import { HIERARCHY_LEVELS, type HierarchyLevel, type SearchRecord } from "../records/search-record.ts";
import { escapeHtml, withoutMarkup } from "./escape.ts";
import { Highlighter } from "./highlight.ts";
import type { SearchParams } from "./search-params.ts";
import type { TextTokens } from "./text-tokens.ts";

/** Attributes that hold text for readers; the client inserts them as HTML. Level 0 is apart, see {@link withoutMarkup}. */
const TEXT_ATTRIBUTES = new Set(["content", "keywords"]);

/** One member of a snippet or highlight object: its key as JSON, and how its text is written. */
interface Part<Name extends string> {
  readonly name: Name;
  readonly key: string;
  readonly write: (text: string) => string;
}

interface Plan {
  readonly levels: readonly Part<HierarchyLevel>[];
  readonly attributes: readonly Part<string>[];
}

/** Per record, the attributes that were written last, and their JSON without the last brace. */
const writtenAttributes = new WeakMap<SearchRecord, { readonly wanted: string; readonly open: string }>();

export class HitWriter {
  readonly #params: SearchParams;
  readonly #wanted: string;
  readonly #highlighter: Highlighter;
  readonly #snippets: Plan;
  readonly #highlights: Plan;

  constructor(answer: EngineAnswer, params: SearchParams) {
    const { attributesToHighlight, attributesToSnippet, snippetEllipsisText } = params;
    this.#params = params;
    this.#wanted = JSON.stringify(params.attributesToRetrieve);
    this.#highlighter = new Highlighter({
      words: answer.words,
      matchTerm: answer.matchTerm,
      preTag: params.highlightPreTag,
      postTag: params.highlightPostTag,
    });
    this.#snippets = planOf(attributesToSnippet, ({ words }, toHtml) => (text) => {
      const unmatched = this.#highlighter.findUnmatched(text);
      if (unmatched !== undefined && words > 0 && unmatched.spans.length / 2 <= words) {
        return `{"value":${jsonOf(text, unmatched, toHtml)},"matchLevel":"none"}`;
      }
      const { value, matchLevel } = this.#highlighter.snippet(text, words, snippetEllipsisText, toHtml);
      return `{"value":${JSON.stringify(value)},"matchLevel":"${matchLevel}"}`;
    });
    this.#highlights = planOf(
      attributesToHighlight.map((attribute) => ({ attribute })),
      (_, toHtml) => (text) => {
        const unmatched = this.#highlighter.findUnmatched(text);
        if (unmatched !== undefined) {
          return `{"value":${jsonOf(text, unmatched, toHtml)},"matchLevel":"none","matchedWords":[]}`;
        }
        const { value, matchLevel, matched, isComplete } = this.#highlighter.highlight(text, toHtml);
        const words = JSON.stringify(answer.words.filter((_, word) => (matched & (1 << word)) !== 0));
        return `{"value":${JSON.stringify(value)},"matchLevel":"${matchLevel}","fullyHighlighted":${isComplete},"matchedWords":${words}}`;
      },
    );
  }

  write(record: SearchRecord): string {
    const snippets = writeNested(record, this.#snippets);
    const highlights = writeNested(record, this.#highlights);
    let json = this.#attributesOf(record);
    if (snippets !== "") json += `,"_snippetResult":${snippets}`;
    if (highlights !== "") json += `,"_highlightResult":${highlights}`;
    return `${json}}`;
  }

  #attributesOf(record: SearchRecord): string {
    const known = writtenAttributes.get(record);
    if (known?.wanted === this.#wanted) return known.open;
    const open = JSON.stringify(retrieve(record, this.#params.attributesToRetrieve)).slice(0, -1);
    writtenAttributes.set(record, { wanted: this.#wanted, open });
    return open;
  }
}

/** A whole text without a match, as a JSON string. */
function jsonOf(text: string, tokens: TextTokens, toHtml: (text: string) => string): string {
  if (toHtml !== escapeHtml) return JSON.stringify(toHtml(text));
  tokens.html ??= JSON.stringify(escapeHtml(text));
  return tokens.html;
}

/** Levels stay in order: the search page makes its breadcrumb of all keys, in order. */
function planOf<Wanted extends { readonly attribute: string }>(
  wanted: readonly Wanted[],
  make: (wanted: Wanted, toHtml: (text: string) => string) => (text: string) => string,
): Plan {
  const named = (...names: readonly string[]): Wanted | undefined =>
    wanted.find(({ attribute }) => attribute === "*" || names.includes(attribute));
  const partFor = <Name extends string>(name: Name, found: Wanted | undefined): Part<Name>[] => {
    if (found === undefined) return [];
    return [{ name, key: JSON.stringify(name), write: make(found, name === "lvl0" ? withoutMarkup : escapeHtml) }];
  };
  return {
    levels: HIERARCHY_LEVELS.flatMap((level) => partFor(level, named(`hierarchy.${level}`) ?? named("hierarchy"))),
    attributes: [...TEXT_ATTRIBUTES].flatMap((attribute) => partFor(attribute, named(attribute))),
  };
}

/** Applies a plan to a record, in the record's shape; null levels are left out. @returns "" when nothing is left. */
function writeNested(record: SearchRecord, { levels, attributes }: Plan): string {
  let hierarchy = "";
  for (const { name, key, write } of levels) {
    const text = record.hierarchy[name];
    if (text !== null) hierarchy += `${hierarchy === "" ? "" : ","}${key}:${write(text)}`;
  }
  let members = hierarchy === "" ? "" : `"hierarchy":{${hierarchy}}`;
  for (const { name, key, write } of attributes) {
    const text = record[name];
    if (typeof text === "string") members += `${members === "" ? "" : ","}${key}:${write(text)}`;
  }
  return members === "" ? "" : `{${members}}`;
}

/** The asked attributes, `a` or `a.b` or `*`, escaped; `objectID` always. */
function retrieve(record: SearchRecord, asked: readonly string[]): Record<string, unknown> {
  const isAll = asked.includes("*");
  const isWhole = isAll || asked.includes("hierarchy");
  const hit: Record<string, unknown> = { objectID: record.objectID };
  if (isAll || asked.some((name) => name.split(".")[0] === "hierarchy")) {
    const hierarchy: Record<string, string | null> = {};
    for (const level of HIERARCHY_LEVELS) {
      if (!isWhole && !asked.includes(`hierarchy.${level}`)) continue;
      const text = record.hierarchy[level];
      hierarchy[level] = text === null ? null : level === "lvl0" ? withoutMarkup(text) : escapeHtml(text);
    }
    hit.hierarchy = hierarchy;
  }
  for (const name of isAll ? Object.keys(record) : asked) {
    const attribute = name.split(".")[0] as string;
    if (attribute === "hierarchy" || attribute === "objectID") continue;
    const value = record[attribute];
    if (value !== undefined) hit[attribute] = TEXT_ATTRIBUTES.has(attribute) ? escapeTexts(value) : value;
  }
  return hit;
}

function escapeTexts(value: unknown): unknown {
  if (typeof value === "string") return escapeHtml(value);
  return Array.isArray(value) ? value.map(escapeTexts) : value;
}
