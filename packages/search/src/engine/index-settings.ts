/**
 * Settings of an index, in the hosted provider's words. The defaults are DocSearch's template where it has one; ours differ in
 * the default for highlights: clients use only the snippet of `content`, and no highlights of it.
 */

export interface IndexSettings {
  readonly attributesForFaceting: readonly string[];
  readonly attributesToRetrieve: readonly string[];
  readonly attributesToHighlight: readonly string[];
  readonly attributesToSnippet: readonly string[];
  readonly highlightPreTag: string;
  readonly highlightPostTag: string;
  readonly snippetEllipsisText: string;
  /** Default 20, 0–1000. */
  readonly hitsPerPage: number;
  /** Hits that paging can reach. Default 1000. */
  readonly paginationLimitedTo: number;
  readonly minWordSizefor1Typo: number;
  readonly minWordSizefor2Typos: number;
  /** Groups of words that find one another; replaces the built-in groups. */
  readonly synonyms?: readonly (readonly string[])[];
  /** `userData.textIsHtml`: the texts of uploaded records are HTML-escaped already, as the hosted provider needs them. */
  readonly userData?: unknown;
}

export const DEFAULT_SETTINGS: IndexSettings = {
  attributesForFaceting: ["type", "lang", "language", "version", "docusaurus_tag"],
  attributesToRetrieve: ["hierarchy", "content", "anchor", "url", "url_without_anchor", "type"],
  attributesToHighlight: ["hierarchy"],
  attributesToSnippet: ["content:10"],
  highlightPreTag: '<span class="algolia-docsearch-suggestion--highlight">',
  highlightPostTag: "</span>",
  snippetEllipsisText: "…",
  hitsPerPage: 20,
  paginationLimitedTo: 1000,
  minWordSizefor1Typo: 4,
  minWordSizefor2Typos: 8,
};

/** The attribute behind `filterOnly(x)`, `searchable(x)` or `x`. */
export function readFacetAttribute(setting: string): string {
  return /^\w+\((.+)\)$/.exec(setting)?.[1] ?? setting;
}

function isStringArray(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

/** Whether settings read from a file or an upload can replace a known one; unknown names may hold anything. */
function isValid(name: string, value: unknown): boolean {
  if (name === "synonyms") return Array.isArray(value) && value.every(isStringArray);
  if (!(name in DEFAULT_SETTINGS)) return true;
  const expected = DEFAULT_SETTINGS[name as keyof IndexSettings];
  if (Array.isArray(expected)) return isStringArray(value);
  if (typeof expected === "number") return typeof value === "number" && Number.isInteger(value) && value >= 0;
  return typeof value === typeof expected;
}

/**
 * Lays settings over the defaults.
 *
 * @returns The settings, and the names of those whose value has the wrong type; these keep their default.
 */
export function withDefaults(given: Readonly<Record<string, unknown>>): {
  settings: IndexSettings;
  invalid: readonly string[];
} {
  const invalid = Object.keys(given).filter((name) => given[name] !== null && !isValid(name, given[name]));
  const accepted = Object.entries(given).filter(([name, value]) => value !== null && !invalid.includes(name));
  return { settings: { ...DEFAULT_SETTINGS, ...Object.fromEntries(accepted) }, invalid };
}
