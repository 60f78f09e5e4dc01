/**
 * Headings and blocks of text of an article, in document order. A closed `details` is a section of its own under its summary:
 * troubleshooting entries are headed by the message that readers search for.
 */
import {
  extractText,
  findAll,
  followsElement,
  type HtmlElement,
  hasClass,
  isElement,
  readAttribute,
} from "./html-tree.ts";
import { HIERARCHY_LEVELS, type Hierarchy, type HierarchyLevel } from "./search-record.ts";

/** Content of a section is cut into records of about this many characters, at the borders of blocks. */
const MAX_CONTENT_CHARACTERS = 600;
/** A single block, such as a long listing, is cut at words above this. */
const MAX_BLOCK_CHARACTERS = 1_200;

/**
 * A block that names an operation of an API. Where it is the first of a section it heads what follows, as the section's title
 * does; further down it is an example of a request.
 */
const OPERATION = /^(?:GET|HEAD|POST|PUT|PATCH|DELETE) \/\S*$/;

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
export function isPageChrome(element: HtmlElement): boolean {
  return (
    CHROME_TAGS.has(element.tagName) ||
    hasClass(element, ...CHROME_CLASSES) ||
    readAttribute(element, "role") === "tablist" ||
    readAttribute(element, "data-search-exclude") !== undefined
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

export interface Block {
  readonly text: string;
  readonly anchor: string | null;
  /** One object for all blocks of a section. */
  readonly hierarchy: Hierarchy;
}

export interface Heading {
  readonly level: HierarchyLevel;
  readonly hierarchy: Hierarchy;
  readonly anchor: string | null;
}

/** One line: no zero-width characters, single spaces. */
export function clean(text: string): string {
  return text
    .replace(/[\u200b-\u200d\u2060\ufeff]/g, "")
    .replace(/\s+/g, " ")
    .trim();
}

/**
 * Walks an article.
 *
 * @param base Levels above the article's sections: 0, and 1 with the page's title.
 * @returns Headings and the blocks below each, joined up to about 600 characters; blocks with a link of their own stay apart.
 */
export function walkArticle(article: HtmlElement, base: Hierarchy): (Heading | Block)[] {
  const walker = new Walker(base);
  walker.visit(article, null);
  walker.flush(null);
  return walker.items;
}

class Walker {
  readonly items: (Heading | Block)[] = [];
  readonly #title: string | null;
  #hierarchy: Hierarchy;
  #sectionAnchor: string | null = null;
  #text = "";

  constructor(base: Hierarchy) {
    this.#hierarchy = base;
    this.#title = base.lvl1;
  }

  /** Ends the block that is being collected. */
  flush(anchor: string | null): void {
    const line = clean(this.#text);
    this.#text = "";
    const last = this.items.at(-1);
    const isFirst = last !== undefined && "level" in last;
    if (isFirst && OPERATION.test(line) && this.#deepest < HIERARCHY_LEVELS.length - 1) {
      this.#addHeading(line, this.#deepest + 1, anchor ?? this.#sectionAnchor);
      return;
    }
    for (const text of cutAtWords(line))
      this.#add({ text, anchor: anchor ?? this.#sectionAnchor, hierarchy: this.#hierarchy });
  }

  get #deepest(): number {
    return HIERARCHY_LEVELS.findLastIndex((level) => this.#hierarchy[level] !== null);
  }

  #add(block: Block): void {
    const last = this.items.at(-1);
    const isSameSection =
      last !== undefined && "text" in last && last.anchor === block.anchor && last.hierarchy === block.hierarchy;
    if (isSameSection && last.text.length + block.text.length < MAX_CONTENT_CHARACTERS) {
      this.items[this.items.length - 1] = { ...last, text: `${last.text} ${block.text}` };
    } else this.items.push(block);
  }

  /** @param anchor Of the closest element around that has one worth linking to. */
  visit(element: HtmlElement, anchor: string | null): void {
    for (const [at, node] of element.childNodes.entries()) {
      if (!isElement(node)) {
        this.#text += extractText(node);
        continue;
      }
      if (isPageChrome(node)) continue;
      const isBlock = BLOCKS.has(node.tagName);
      if (node.tagName === "br" || (!isBlock && followsElement(element.childNodes, at))) this.#text += " ";
      if (isBlock) this.#visitBlock(node, anchor);
      else this.visit(node, anchor);
    }
  }

  #visitBlock(node: HtmlElement, anchor: string | null): void {
    const tag = node.tagName;
    const id = readAttribute(node, "id");
    const inner = id !== undefined && ANCHORED.has(tag) ? id : anchor;
    this.flush(anchor);
    if (/^h[1-6]$/.test(tag)) this.#openSection(node, Number(tag.slice(1)), id ?? anchor);
    else if (tag === "details") this.#visitDetails(node, inner);
    else if (tag === "tr") {
      this.#text = rowText(node);
      this.flush(inner ?? firstIdIn(node));
    } else if (tag === "pre") this.#text = extractText(node, isPageChrome, true);
    else this.visit(node, inner);
    this.flush(inner);
  }

  #openSection(element: HtmlElement, level: number, anchor: string | null): void {
    const heading = clean(extractText(element, isPageChrome));
    if (heading === "") return;
    if (level > 1) {
      this.#sectionAnchor = anchor;
      this.#addHeading(heading, level, anchor);
      return;
    }
    // A second h1 is a mistake in the source; the page keeps its name.
    if (heading !== this.#title) this.#text = heading;
    this.#sectionAnchor = null;
  }

  #addHeading(heading: string, level: number, anchor: string | null): void {
    const hierarchy = { ...this.#hierarchy };
    for (const [number, name] of HIERARCHY_LEVELS.entries()) if (number >= level) hierarchy[name] = null;
    const name = HIERARCHY_LEVELS[level] as HierarchyLevel;
    hierarchy[name] = heading;
    this.#hierarchy = hierarchy;
    this.items.push({ level: name, hierarchy, anchor });
  }

  #visitDetails(details: HtmlElement, anchor: string | null): void {
    const summary = details.childNodes.filter(isElement).find(({ tagName }) => tagName === "summary");
    const heading = summary === undefined ? "" : clean(extractText(summary, isPageChrome));
    const deepest = this.#deepest;
    if (heading === "" || deepest >= HIERARCHY_LEVELS.length - 1) {
      this.visit(details, anchor);
      return;
    }
    const around = this.#hierarchy;
    this.#addHeading(heading, deepest + 1, anchor ?? this.#sectionAnchor);
    const content = { ...details, childNodes: details.childNodes.filter((child) => child !== summary) };
    this.visit(content, anchor);
    this.flush(anchor);
    this.#hierarchy = around;
  }
}

function rowText(row: HtmlElement): string {
  const cells = row.childNodes.filter(isElement).map((cell) => clean(extractText(cell, isPageChrome)));
  return cells.filter((cell) => cell !== "").join(" · ");
}

function firstIdIn(row: HtmlElement): string | null {
  const first = findAll(row, (element) => readAttribute(element, "id") !== undefined)[0];
  return first === undefined ? null : (readAttribute(first, "id") ?? null);
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
