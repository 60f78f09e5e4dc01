/**
 * Records of one built page. The article is walked in document order: a heading opens a section, every block of text,
 * table row and code block below it is content. Hidden tabs and closed details are in the HTML and are read too.
 */
import {
  attributeOf,
  byTag,
  findAll,
  followsElement,
  type HtmlElement,
  hasClass,
  isElement,
  parseHtml,
  textOf,
} from "./html-tree.ts";
import { EMPTY_HIERARCHY, type Hierarchy, type HierarchyLevel, type SearchRecord } from "./search-record.ts";

export interface ReadPageOptions {
  readonly html: string;
  /** Path of the page from the root of the site, used when the page names no canonical address. */
  readonly path: string;
  /** Origin of the site, and its base path if it has one. */
  readonly siteUrl: string;
}

/** Content of a section is cut into records of about this many characters, at the borders of blocks. */
const MAX_CONTENT_CHARACTERS = 600;
/** A single block, such as a long listing, is cut at words above this. */
const MAX_BLOCK_CHARACTERS = 1_200;

const CHROME_TAGS = new Set(["nav", "script", "style", "svg", "template", "noscript", "button", "form"]);
const CHROME_CLASSES = [
  "hash-link",
  "theme-doc-breadcrumbs",
  "theme-doc-toc-mobile",
  "theme-doc-toc-desktop",
  "table-of-contents",
  "theme-doc-footer",
  "theme-doc-version-banner",
  "theme-doc-version-badge",
  "pagination-nav",
];

/** Parts of the page that are not its text: menus, buttons, tab labels, the pager, and what the page itself excludes. */
function isChrome(element: HtmlElement): boolean {
  return (
    CHROME_TAGS.has(element.tagName) ||
    hasClass(element, ...CHROME_CLASSES) ||
    attributeOf(element, "role") === "tablist" ||
    attributeOf(element, "data-search-exclude") !== undefined
  );
}

const BLOCKS = new Set(
  (
    "address article aside blockquote body dd details div dl dt fieldset figcaption figure footer h1 h2 h3 h4 h5 h6 header " +
    "hr li main ol p pre section summary table tbody td tfoot th thead tr ul"
  ).split(" "),
);
/** Elements whose `id` is worth a link of its own. */
const ANCHORED = new Set(["tr", "dt", "dd", "details", "section", "article", "li", "summary"]);

interface Block {
  readonly text: string;
  readonly anchor: string | null;
  readonly hierarchy: Hierarchy;
}

/** One line: no zero-width characters, single spaces. */
function clean(text: string): string {
  return text
    .replace(/[\u200b-\u200d\u2060\ufeff]/g, "")
    .replace(/\s+/g, " ")
    .trim();
}

/** Level 0 is text in one user interface and HTML in the other: without `& < >` both are right. */
function withoutMarkup(text: string): string {
  return clean(text.replace(/\s*&\s*/g, " and ").replace(/[<>]/g, ""));
}

/** The page's records, the page's own (`lvl1`) first; none when it asks not to be indexed or has no title. */
export function readPage({ html, path, siteUrl }: ReadPageOptions): SearchRecord[] {
  const root = parseHtml(html);
  const metas = findAll(root, byTag("meta"));
  const metaOf = (name: string): string | undefined => {
    const meta = metas.find((one) => attributeOf(one, "name") === name || attributeOf(one, "property") === name);
    return meta === undefined ? undefined : attributeOf(meta, "content");
  };
  if (metas.some((meta) => isRobots(meta) && /noindex/i.test(attributeOf(meta, "content") ?? ""))) return [];

  const articles = findAll(root, byTag("article"));
  const main = findAll(root, byTag("main"))[0] ?? findAll(root, byTag("body"))[0];
  // Index pages have an article for every card; then all of the page's main part is its text.
  const scope = articles.length === 1 ? articles[0] : main;
  if (scope === undefined) return [];
  const breadcrumbs = findAll(root, (element) => hasClass(element, "breadcrumbs__item"))
    .map((item) => clean(textOf(item)))
    .filter((text) => text !== "");
  const documentTitle = findAll(root, byTag("title"))[0];
  const title = titleOf(scope, metaOf("og:title") ?? (documentTitle === undefined ? "" : textOf(documentTitle)));
  if (title === "") return [];
  const canonical = findAll(root, byTag("link")).find((link) => attributeOf(link, "rel") === "canonical");
  const url = addressOf(canonical === undefined ? undefined : attributeOf(canonical, "href"), path, siteUrl);
  const trail = breadcrumbs.at(-1) === undefined ? [title] : [...breadcrumbs.slice(0, -1), title];
  const base: Hierarchy = { ...EMPTY_HIERARCHY, lvl0: withoutMarkup(trail.join(" / ")), lvl1: title };

  const { headings, blocks } = walk(scope, base, title);
  const attributes = docsearchAttributes(metas);
  const pageRank = Number(attributes.pageRank ?? defaultRankOf(url));
  delete attributes.pageRank;
  const language = findAll(root, byTag("html")).map((element) => attributeOf(element, "lang"))[0];
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
  const description = clean(metaOf("description") ?? "");
  const keywords = clean([breadcrumbs.at(-1) ?? "", slugWords(url, siteUrl), metaOf("keywords") ?? ""].join(" "));
  add({ type: "lvl1", content: description === "" ? null : description, hierarchy: base, anchor: null }, { keywords });
  for (const item of inOrder(headings, blocks)) {
    if ("level" in item) add({ type: item.level, content: null, hierarchy: item.hierarchy, anchor: item.anchor });
    else add({ type: "content", content: item.text, hierarchy: item.hierarchy, anchor: item.anchor });
  }
  return records;
}

/** Reference pages are looked up by name; where a name does not decide, pages that explain come first. */
function defaultRankOf(url: string): number {
  return /\/reference(?:\/|$)/.test(url) ? 0 : 1;
}

function isRobots(meta: HtmlElement): boolean {
  return attributeOf(meta, "name") === "robots" || attributeOf(meta, "property") === "robots";
}

function docsearchAttributes(metas: readonly HtmlElement[]): Record<string, unknown> {
  const attributes: Record<string, unknown> = {};
  for (const meta of metas) {
    const name = attributeOf(meta, "name");
    const value = attributeOf(meta, "content");
    if (name === undefined || value === undefined || !name.startsWith("docsearch:")) continue;
    const attribute = name.slice("docsearch:".length);
    attributes[attribute] = attribute === "version" ? value.split(",").map((part) => part.trim()) : value;
  }
  return attributes;
}

/** The page's heading; without one, the document's title up to the site's name. */
function titleOf(scope: HtmlElement, documentTitle: string): string {
  const first = findAll(scope, byTag("h1"))[0];
  const heading = first === undefined ? "" : clean(textOf(first, isChrome));
  return heading === "" ? clean(documentTitle.split(" | ")[0] ?? "") : heading;
}

function addressOf(canonical: string | undefined, path: string, siteUrl: string): string {
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

interface Heading {
  readonly level: HierarchyLevel;
  readonly hierarchy: Hierarchy;
  readonly anchor: string | null;
  /** Number of the first block below it. */
  readonly firstBlock: number;
}

function* inOrder(headings: readonly Heading[], blocks: readonly Block[]): Generator<Heading | Block> {
  let next = 0;
  const merged = mergeBlocks(headings, blocks);
  for (const [at, group] of merged.entries()) {
    const heading = at === 0 ? undefined : headings[next++];
    if (heading !== undefined) yield heading;
    yield* group;
  }
}

/** Per section, its blocks joined up to {@link MAX_CONTENT_CHARACTERS}; blocks with links of their own stay apart. */
function mergeBlocks(headings: readonly Heading[], blocks: readonly Block[]): Block[][] {
  const borders = [0, ...headings.map((heading) => heading.firstBlock), blocks.length];
  return borders.slice(0, -1).map((from, section) => {
    const merged: Block[] = [];
    for (const block of blocks.slice(from, borders[section + 1])) {
      const last = merged.at(-1);
      if (
        last !== undefined &&
        last.anchor === block.anchor &&
        last.text.length + block.text.length < MAX_CONTENT_CHARACTERS
      ) {
        merged[merged.length - 1] = { ...last, text: `${last.text} ${block.text}` };
      } else merged.push(block);
    }
    return merged;
  });
}

/** Collects headings and blocks of text in document order. */
function walk(scope: HtmlElement, base: Hierarchy, title: string): { headings: Heading[]; blocks: Block[] } {
  const headings: Heading[] = [];
  const blocks: Block[] = [];
  let hierarchy = base;
  let sectionAnchor: string | null = null;
  let text = "";

  const flush = (anchor: string | null): void => {
    const line = clean(text);
    text = "";
    for (const piece of cutAtWords(line)) blocks.push({ text: piece, anchor, hierarchy });
  };
  const openSection = (element: HtmlElement, anchor: string | null): void => {
    const heading = clean(textOf(element, isChrome));
    const number = Number(element.tagName.slice(1));
    if (heading === "") return;
    const id = attributeOf(element, "id") ?? anchor;
    if (number === 1) {
      // A second h1 is a mistake in the source; the page keeps its name.
      if (heading !== title) text = heading;
      sectionAnchor = null;
      return;
    }
    const level = `lvl${number}` as HierarchyLevel;
    const deeper = Object.fromEntries(Array.from({ length: 7 - number }, (_, at) => [`lvl${number + at}`, null]));
    hierarchy = { ...hierarchy, ...deeper, [level]: heading };
    sectionAnchor = id;
    headings.push({ level, hierarchy, anchor: id, firstBlock: blocks.length });
  };
  const visit = (element: HtmlElement, anchor: string | null): void => {
    for (const [at, node] of element.childNodes.entries()) {
      if (!isElement(node)) {
        text += textOf(node);
        continue;
      }
      if (isChrome(node)) continue;
      if (followsElement(element.childNodes, at)) text += " ";
      const tag = node.tagName;
      if (tag === "br") text += " ";
      if (!BLOCKS.has(tag)) {
        visit(node, anchor);
        continue;
      }
      const id = attributeOf(node, "id");
      const inner = id !== undefined && ANCHORED.has(tag) ? id : anchor;
      flush(anchor ?? sectionAnchor);
      if (/^h[1-6]$/.test(tag)) openSection(node, anchor);
      else if (tag === "tr") text = rowText(node);
      else if (tag === "pre") text = textOf(node, isChrome, true);
      else visit(node, inner);
      const rowAnchor = tag === "tr" ? (inner ?? firstIdIn(node)) : inner;
      flush(rowAnchor ?? sectionAnchor);
    }
  };
  visit(scope, null);
  flush(sectionAnchor);
  return { headings, blocks };
}

function rowText(row: HtmlElement): string {
  const cells = row.childNodes.filter(isElement).map((cell) => clean(textOf(cell, isChrome)));
  return cells.filter((cell) => cell !== "").join(" · ");
}

function firstIdIn(row: HtmlElement): string | null {
  const first = findAll(row, (element) => attributeOf(element, "id") !== undefined)[0];
  return first === undefined ? null : (attributeOf(first, "id") ?? null);
}

function cutAtWords(line: string): string[] {
  const pieces: string[] = [];
  let rest = line;
  while (rest.length > MAX_BLOCK_CHARACTERS) {
    const space = rest.lastIndexOf(" ", MAX_BLOCK_CHARACTERS);
    const cut = space > 0 ? space : MAX_BLOCK_CHARACTERS;
    pieces.push(rest.slice(0, cut));
    rest = rest.slice(cut).trimStart();
  }
  if (rest !== "") pieces.push(rest);
  return pieces;
}
