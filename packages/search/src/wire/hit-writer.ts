/**
 * Writes the hits of one answer as JSON. Text is put together and objects are not: readers who type get twenty hits for every
 * letter, and what of a hit does not depend on the query is written once and remembered.
 */
import { escapeHtml } from "@toolhive/http/values";
import type { EngineAnswer } from "../engine/search-engine.ts";
import { HIERARCHY_LEVELS, type HierarchyLevel, type SearchRecord } from "../records/search-record.ts";
import { withoutMarkup } from "./escape.ts";
import { Highlighter } from "./highlight.ts";
import type { SearchParams } from "./search-params.ts";
import type { TextTokens } from "./text-tokens.ts";

/** Attributes that hold text for readers; the client inserts them as HTML. Level 0 is apart, see {@link withoutMarkup}. */
const TEXT_ATTRIBUTES = new Set(["content", "keywords"]);

/** One attribute that is shown with its matches: as a snippet, as a highlight, or as both. */
interface Part<Name extends string> {
  readonly name: Name;
  /** The attribute's name as JSON. */
  readonly key: string;
  /** Words of its snippet; undefined when none was asked for. */
  readonly snippetWords: number | undefined;
  readonly isHighlighted: boolean;
  readonly toHtml: (text: string) => string;
}

interface Plan {
  readonly levels: readonly Part<HierarchyLevel>[];
  readonly attributes: readonly Part<string>[];
}

/** One attribute of one hit as JSON; "" where it was not asked for. */
interface WrittenText {
  readonly snippet: string;
  readonly highlight: string;
}

/** Per record, the attributes that were written last, and their JSON without the last brace. */
const writtenAttributes = new WeakMap<SearchRecord, { readonly wanted: string; readonly open: string }>();

/** What was asked for last, and its plan: readers who type ask for the same with every letter. */
let lastPlan: { readonly wanted: string; readonly plan: Plan } | undefined;

export class HitWriter {
  readonly #params: SearchParams;
  readonly #words: readonly string[];
  readonly #wanted: string;
  readonly #highlighter: Highlighter;
  readonly #plan: Plan;
  /** What was written for this answer, by text in the order of the plan's levels: hits of one page have most levels in common. */
  readonly #writtenLevels: readonly Map<string, WrittenText>[];

  constructor(answer: EngineAnswer, params: SearchParams) {
    this.#params = params;
    this.#words = answer.words;
    this.#wanted = JSON.stringify(params.attributesToRetrieve);
    this.#highlighter = new Highlighter({
      words: answer.words,
      matchTerm: answer.matchTerm,
      preTag: params.highlightPreTag,
      postTag: params.highlightPostTag,
    });
    this.#plan = planFor(params);
    this.#writtenLevels = this.#plan.levels.map(() => new Map());
  }

  /** In the record's shape; null levels are omitted. */
  write(record: SearchRecord): string {
    let snippetLevels = "";
    let highlightLevels = "";
    for (const [at, part] of this.#plan.levels.entries()) {
      const text = record.hierarchy[part.name];
      if (text === null) continue;
      const known = this.#writtenLevels[at] as Map<string, WrittenText>;
      let written = known.get(text);
      if (written === undefined) {
        written = this.#writeText(part, text);
        known.set(text, written);
      }
      const { snippet, highlight } = written;
      if (snippet !== "") snippetLevels += `${snippetLevels === "" ? "" : ","}${part.key}:${snippet}`;
      if (highlight !== "") highlightLevels += `${highlightLevels === "" ? "" : ","}${part.key}:${highlight}`;
    }
    let snippets = snippetLevels === "" ? "" : `"hierarchy":{${snippetLevels}}`;
    let highlights = highlightLevels === "" ? "" : `"hierarchy":{${highlightLevels}}`;
    for (const part of this.#plan.attributes) {
      const text = record[part.name];
      if (typeof text !== "string") continue;
      const { snippet, highlight } = this.#writeText(part, text);
      if (snippet !== "") snippets += `${snippets === "" ? "" : ","}${part.key}:${snippet}`;
      if (highlight !== "") highlights += `${highlights === "" ? "" : ","}${part.key}:${highlight}`;
    }
    let json = this.#writeAttributes(record);
    if (snippets !== "") json += `,"_snippetResult":{${snippets}}`;
    if (highlights !== "") json += `,"_highlightResult":{${highlights}}`;
    return `${json}}`;
  }

  #writeText({ snippetWords, isHighlighted, toHtml }: Part<string>, text: string): WrittenText {
    const marked = this.#highlighter.mark(text);
    const whole = marked.words === 0 ? writeJson(text, marked.tokens, toHtml) : undefined;
    let snippet = "";
    if (snippetWords !== undefined) {
      if (whole !== undefined && snippetWords > 0 && marked.tokens.spans.length / 2 <= snippetWords) {
        snippet = `{"value":${whole},"matchLevel":"none"}`;
      } else {
        const { snippetEllipsisText } = this.#params;
        const { value, matchLevel } = this.#highlighter.snippet(marked, snippetWords, snippetEllipsisText, toHtml);
        snippet = `{"value":${JSON.stringify(value)},"matchLevel":"${matchLevel}"}`;
      }
    }
    let highlight = "";
    if (isHighlighted && whole !== undefined) {
      highlight = `{"value":${whole},"matchLevel":"none","matchedWords":[]}`;
    } else if (isHighlighted) {
      const { value, matchLevel, matched, isComplete } = this.#highlighter.highlight(marked, toHtml);
      const words = JSON.stringify(this.#words.filter((_, word) => (matched & (1 << word)) !== 0));
      highlight = `{"value":${JSON.stringify(value)},"matchLevel":"${matchLevel}","fullyHighlighted":${isComplete},"matchedWords":${words}}`;
    }
    return { snippet, highlight };
  }

  #writeAttributes(record: SearchRecord): string {
    const known = writtenAttributes.get(record);
    if (known?.wanted === this.#wanted) return known.open;
    const open = JSON.stringify(retrieve(record, this.#params.attributesToRetrieve)).slice(0, -1);
    writtenAttributes.set(record, { wanted: this.#wanted, open });
    return open;
  }
}

/** A whole text without a match, as a JSON string. */
function writeJson(text: string, tokens: TextTokens, toHtml: (text: string) => string): string {
  if (toHtml !== escapeHtml) return JSON.stringify(toHtml(text));
  tokens.html ??= JSON.stringify(escapeHtml(text));
  return tokens.html;
}

function planFor({ attributesToHighlight, attributesToSnippet }: SearchParams): Plan {
  const wanted = JSON.stringify([attributesToHighlight, attributesToSnippet]);
  if (lastPlan?.wanted !== wanted) lastPlan = { wanted, plan: createPlan(attributesToHighlight, attributesToSnippet) };
  return lastPlan.plan;
}

/** Levels stay in order: the search page makes its breadcrumb of all keys, in order. */
function createPlan(highlighted: readonly string[], snippets: SearchParams["attributesToSnippet"]): Plan {
  const partsFor = <Name extends string>(name: Name, ...selectors: readonly string[]): Part<Name>[] => {
    const snippet = selectors.flatMap((selector) =>
      snippets.filter(({ attribute }) => attribute === "*" || attribute === selector),
    )[0];
    const isHighlighted = highlighted.some((attribute) => attribute === "*" || selectors.includes(attribute));
    if (snippet === undefined && !isHighlighted) return [];
    const toHtml = name === "lvl0" ? withoutMarkup : escapeHtml;
    return [{ name, key: JSON.stringify(name), snippetWords: snippet?.words, isHighlighted, toHtml }];
  };
  return {
    levels: HIERARCHY_LEVELS.flatMap((level) => partsFor(level, `hierarchy.${level}`, "hierarchy")),
    attributes: [...TEXT_ATTRIBUTES].flatMap((attribute) => partsFor(attribute, attribute)),
  };
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
