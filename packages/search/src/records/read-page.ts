/**
 * Records of one built page. The article is walked in document order: a heading opens a section, every block of text,
 * table row and code block below it is content. Hidden tabs and closed details are in the HTML and are read too.
 */
import { type HTMLElement, type Node, NodeType, parse } from "node-html-parser";
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

/** Parts of the page that are not its text. */
const CHROME = [
  "nav",
  "script",
  "style",
  "svg",
  "template",
  "noscript",
  "button",
  "form",
  ".hash-link",
  ".theme-doc-toc-mobile",
  ".theme-doc-toc-desktop",
  ".table-of-contents",
  ".theme-doc-footer",
  ".theme-doc-version-banner",
  ".theme-doc-version-badge",
  ".pagination-nav",
  ".buttonGroup",
  '[role="tablist"]',
  "[data-search-exclude]",
].join(",");

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

const isElement = (node: Node): node is HTMLElement => node.nodeType === NodeType.ELEMENT_NODE;

/** The page's records, the page's own (`lvl1`) first; none when it asks not to be indexed or has no title. */
export function readPage({ html, path, siteUrl }: ReadPageOptions): SearchRecord[] {
  // Leaving `pre` out makes its content elements; the default keeps it as raw text, tags included.
  const root = parse(html, {
    comment: false,
    blockTextElements: { script: false, style: false, noscript: false },
  });
  const metas = root.querySelectorAll("meta");
  const metaOf = (name: string): string | undefined =>
    metas
      .find((meta) => meta.getAttribute("name") === name || meta.getAttribute("property") === name)
      ?.getAttribute("content");
  if (metas.some((meta) => isRobots(meta) && /noindex/i.test(meta.getAttribute("content") ?? ""))) return [];

  const articles = root.querySelectorAll("article");
  const main = root.querySelector("main") ?? root.querySelector("body") ?? root;
  const breadcrumbs = root
    .querySelectorAll(".breadcrumbs__item")
    .map((item) => clean(item.text))
    .filter((text) => text !== "");
  const scope = articles.length === 1 ? (articles[0] as HTMLElement) : main;
  for (const chrome of scope.querySelectorAll(CHROME)) chrome.remove();

  const title = titleOf(scope, metaOf("og:title") ?? root.querySelector("title")?.text ?? "");
  if (title === "") return [];
  const url = addressOf(root.querySelector('link[rel="canonical"]')?.getAttribute("href"), path, siteUrl);
  const trail = breadcrumbs.at(-1) === undefined ? [title] : [...breadcrumbs.slice(0, -1), title];
  const base: Hierarchy = { ...EMPTY_HIERARCHY, lvl0: withoutMarkup(trail.join(" / ")), lvl1: title };

  const { headings, blocks } = walk(scope, base, title);
  const attributes = docsearchAttributes(metas);
  const pageRank = Number(attributes.pageRank ?? defaultRankOf(url));
  delete attributes.pageRank;
  const language = root.querySelector("html")?.getAttribute("lang");
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

function isRobots(meta: HTMLElement): boolean {
  return meta.getAttribute("name") === "robots" || meta.getAttribute("property") === "robots";
}

function docsearchAttributes(metas: readonly HTMLElement[]): Record<string, unknown> {
  const attributes: Record<string, unknown> = {};
  for (const meta of metas) {
    const name = meta.getAttribute("name");
    const value = meta.getAttribute("content");
    if (name === undefined || value === undefined || !name.startsWith("docsearch:")) continue;
    const attribute = name.slice("docsearch:".length);
    attributes[attribute] = attribute === "version" ? value.split(",").map((part) => part.trim()) : value;
  }
  return attributes;
}

/** The page's heading; without one, the document's title up to the site's name. */
function titleOf(scope: HTMLElement, documentTitle: string): string {
  const heading = clean(scope.querySelector("h1")?.text ?? "");
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
function walk(scope: HTMLElement, base: Hierarchy, title: string): { headings: Heading[]; blocks: Block[] } {
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
  const openSection = (element: HTMLElement, anchor: string | null): void => {
    const heading = clean(element.text);
    const number = Number(element.tagName.slice(1));
    if (heading === "") return;
    const id = element.getAttribute("id") ?? anchor;
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
  const visit = (element: HTMLElement, anchor: string | null): void => {
    for (const node of element.childNodes) {
      if (!isElement(node)) {
        text += node.text;
        continue;
      }
      const tag = node.tagName?.toLowerCase() ?? "";
      if (tag === "br") text += " ";
      if (!BLOCKS.has(tag)) {
        visit(node, anchor);
        continue;
      }
      const id = node.getAttribute("id");
      const inner = id !== undefined && ANCHORED.has(tag) ? id : anchor;
      flush(anchor ?? sectionAnchor);
      if (/^h[1-6]$/.test(tag)) openSection(node, anchor);
      else if (tag === "tr") text = rowText(node);
      else if (tag === "pre") text = codeText(node);
      else visit(node, inner);
      const rowAnchor = tag === "tr" ? (inner ?? node.querySelector("[id]")?.getAttribute("id") ?? null) : inner;
      flush(rowAnchor ?? sectionAnchor);
    }
  };
  visit(scope, null);
  flush(sectionAnchor);
  return { headings, blocks };
}

function rowText(row: HTMLElement): string {
  const cells = row.childNodes.filter(isElement).map((cell) => clean(cell.text));
  return cells.filter((cell) => cell !== "").join(" · ");
}

/** The lines of a code block; the highlighter makes an element of each and ends it with a break. */
function codeText(element: HTMLElement): string {
  for (const line of element.querySelectorAll("br")) line.replaceWith("\n");
  return element.text;
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
