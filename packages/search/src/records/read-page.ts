/**
 * Records of one built page: one for the page, one for every heading, and the text, table rows and code below each. Hidden
 * tabs and closed details are in the HTML and are read too.
 */
import {
  byTag,
  extractText,
  findAll,
  type HtmlDocument,
  type HtmlElement,
  hasClass,
  readAttribute,
} from "./html-tree.ts";
import { EMPTY_HIERARCHY, type Hierarchy, type SearchRecord } from "./search-record.ts";
import { clean, isPageChrome, walkArticle } from "./walk-article.ts";

export interface ReadPageOptions {
  /** The page as parse5 reads it. */
  readonly document: HtmlDocument;
  /** Path of the page from the root of the site, used when the page names no canonical address. */
  readonly path: string;
  /** Origin of the site, and its base path if it has one. */
  readonly siteUrl: string;
}

/** Level 0 is text in one user interface and HTML in the other: without `& < >` both are right. */
function withoutMarkup(text: string): string {
  return clean(text.replace(/\s*&\s*/g, " and ").replace(/[<>]/g, ""));
}

/**
 * The page's records, the page's own (`lvl1`) first; none when it asks not to be indexed or has no title.
 *
 * @throws {Error} when the page has questions for a section that it does not have.
 */
export function readPage({ document: root, path, siteUrl }: ReadPageOptions): SearchRecord[] {
  const metas = findAll(root, byTag("meta"));
  const readMeta = (name: string): string | undefined => {
    const meta = metas.find((one) => readAttribute(one, "name") === name || readAttribute(one, "property") === name);
    return meta === undefined ? undefined : readAttribute(meta, "content");
  };
  if (metas.some((meta) => isRobots(meta) && /noindex/i.test(readAttribute(meta, "content") ?? ""))) return [];

  const articles = findAll(root, byTag("article"));
  const main = findAll(root, byTag("main"))[0] ?? findAll(root, byTag("body"))[0];
  // Index pages have an article for every card; then all of the page's main part is its text.
  const scope = articles.length === 1 ? articles[0] : main;
  if (scope === undefined) return [];
  const breadcrumbs = findAll(root, (element) => hasClass(element, "breadcrumbs__item"))
    .map((item) => clean(extractText(item)))
    .filter((text) => text !== "");
  const documentTitle = findAll(root, byTag("title"))[0];
  const title = readTitle(
    scope,
    readMeta("og:title") ?? (documentTitle === undefined ? "" : extractText(documentTitle)),
  );
  if (title === "") return [];
  const canonical = findAll(root, byTag("link")).find((link) => readAttribute(link, "rel") === "canonical");
  const url = resolveAddress(canonical === undefined ? undefined : readAttribute(canonical, "href"), path, siteUrl);
  const trail = breadcrumbs.at(-1) === undefined ? [title] : [...breadcrumbs.slice(0, -1), title];
  const base: Hierarchy = { ...EMPTY_HIERARCHY, lvl0: withoutMarkup(trail.join(" / ")), lvl1: title };

  const attributes = docsearchAttributes(metas);
  const pageRank = Number(attributes.pageRank ?? chooseDefaultRank(url));
  delete attributes.pageRank;
  const { ofPage: questions, ofSections } = splitQuestions(attributes.questions);
  delete attributes.questions;
  const language = findAll(root, byTag("html")).map((element) => readAttribute(element, "lang"))[0];
  if (language !== undefined) attributes.lang = language;

  const records: SearchRecord[] = [];
  const add = (draft: Pick<SearchRecord, "type" | "content" | "hierarchy" | "anchor">, extra: object = {}): void => {
    const level = draft.type === "content" ? 0 : 100 - 10 * Number(draft.type.slice(3));
    records.push({
      objectID: `${records.length}-${url}`,
      url: draft.anchor === null ? url : `${url}#${draft.anchor}`,
      url_without_anchor: url,
      ...draft,
      weight: { pageRank: Number.isFinite(pageRank) ? pageRank : 0, level, position: records.length },
      ...attributes,
      ...extra,
    });
  };
  const description = clean(readMeta("description") ?? "");
  const aliases = [breadcrumbs.at(-1) ?? "", slugWords(url, siteUrl), ...(readMeta("keywords") ?? "").split(",")].map(
    clean,
  );
  const keywords = [...new Set(aliases)].filter((alias) => alias !== "");
  add(
    { type: "lvl1", content: description === "" ? null : description, hierarchy: base, anchor: null },
    { keywords, ...(questions.length > 0 && { questions }) },
  );
  for (const item of walkArticle(scope, base)) {
    if ("level" in item) {
      const asked = item.anchor === null ? undefined : ofSections.get(item.anchor);
      const heading = { type: item.level, content: null, hierarchy: item.hierarchy, anchor: item.anchor };
      add(heading, asked === undefined ? {} : { questions: asked });
      // What is below the section and has no anchor of its own would repeat them.
      ofSections.delete(item.anchor ?? "");
    } else add({ type: "content", content: item.text, hierarchy: item.hierarchy, anchor: item.anchor });
  }
  const [unknown] = ofSections.keys();
  if (unknown !== undefined) {
    throw new Error(`${url} names questions for the section "${unknown}", and has no heading with this anchor.`);
  }
  return records;
}

/**
 * Reference pages are looked up by name; where a name does not decide, pages that explain are first. A tutorial mentions in
 * passing what a guide explains.
 */
function chooseDefaultRank(url: string): number {
  if (/\/reference(?:\/|$)/.test(url)) return 0;
  return /\/tutorials\/./.test(url) ? 0.5 : 1;
}

/** Questions that a page answers, and those that one of its sections answers, by the section's anchor. */
interface Questions {
  readonly ofPage: readonly string[];
  readonly ofSections: Map<string, string[]>;
}

/**
 * `docsearch:questions` holds them one after the other, each up to its question mark. `#anchor` before one says that the section
 * answers it and those behind it.
 */
function splitQuestions(text: unknown): Questions {
  const ofPage: string[] = [];
  const ofSections = new Map<string, string[]>();
  let questions = ofPage;
  for (const part of typeof text === "string" ? text.split("?") : []) {
    const [, anchor, question = ""] = /^\s*(?:#(\S+)\s)?(.*)$/s.exec(part) ?? [];
    if (clean(question) === "") continue;
    if (anchor !== undefined) {
      questions = ofSections.get(anchor) ?? [];
      ofSections.set(anchor, questions);
    }
    questions.push(`${clean(question)}?`);
  }
  return { ofPage, ofSections };
}

function isRobots(meta: HtmlElement): boolean {
  return readAttribute(meta, "name") === "robots" || readAttribute(meta, "property") === "robots";
}

function docsearchAttributes(metas: readonly HtmlElement[]): Record<string, unknown> {
  const attributes: Record<string, unknown> = {};
  for (const meta of metas) {
    const name = readAttribute(meta, "name");
    const value = readAttribute(meta, "content");
    if (name === undefined || value === undefined || !name.startsWith("docsearch:")) continue;
    const attribute = name.slice("docsearch:".length);
    attributes[attribute] = attribute === "version" ? value.split(",").map((part) => part.trim()) : value;
  }
  return attributes;
}

/** The page's heading; without one, the document's title up to the site's name. */
function readTitle(scope: HtmlElement, documentTitle: string): string {
  const first = findAll(scope, byTag("h1"))[0];
  const heading = first === undefined ? "" : clean(extractText(first, isPageChrome));
  return heading === "" ? clean(documentTitle.split(" | ")[0] ?? "") : heading;
}

function resolveAddress(canonical: string | undefined, path: string, siteUrl: string): string {
  const origin = siteUrl.replace(/\/+$/, "");
  const basePath = new URL(origin).pathname.replace(/\/+$/, "");
  if (canonical === undefined || !URL.canParse(canonical)) return `${origin}${path}`;
  // The canonical address has the site's trailing slash policy; its origin may be that of another build.
  const { pathname } = new URL(canonical);
  return `${origin}${pathname.startsWith(`${basePath}/`) ? pathname.slice(basePath.length) : pathname}`;
}

/** The last part of the address as words, with the part before it: names readers know pages by. */
function slugWords(url: string, siteUrl: string): string {
  const path = url.slice(siteUrl.replace(/\/+$/, "").length);
  const slug = path.split("/").filter(Boolean).at(-1) ?? "";
  return decodeOr(slug.replace(/\.html$/, ""));
}

function decodeOr(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A slug with a bare percent sign is its own name.
    return text;
  }
}
