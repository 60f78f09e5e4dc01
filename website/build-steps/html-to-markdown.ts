/**
 * Turns the article of a built page into Markdown, so that components appear in it as what they show. Knows the elements
 * that this site's pages have; anything else is passed through as its text.
 */
import { type DefaultTreeAdapterTypes, parse } from "parse5";

type Node = DefaultTreeAdapterTypes.ChildNode;
type Element = DefaultTreeAdapterTypes.Element;

/** Parts of the article that belong to the site and not to the text. */
const SKIPPED_CLASSES = new Set([
  "theme-doc-breadcrumbs",
  "theme-doc-toc-mobile",
  "theme-doc-footer",
  "page-actions",
  "page-feedback",
  "hash-link",
  "picture__dialog",
  "picture__hint",
  "code-fence__copy",
]);
const SKIPPED_TAGS = new Set(["button", "script", "style", "svg", "dialog"]);

export interface PageMarkdown {
  readonly title: string;
  readonly description: string;
  readonly markdown: string;
}

/**
 * @param siteUrl Without slash at the end; links become absolute, so that the text can be read elsewhere.
 * @returns `undefined` for a page without an article.
 */
export function pageToMarkdown(html: string, siteUrl: string): PageMarkdown | undefined {
  const document = parse(html);
  const article = findFirst(document, (element) => element.tagName === "article");
  if (article === undefined) return undefined;
  const heading = findFirst(article, (element) => element.tagName === "h1");
  const description = findFirst(
    document,
    (element) => element.tagName === "meta" && attribute(element, "name") === "description",
  );
  return {
    title: heading === undefined ? "" : inline(heading, siteUrl).trim(),
    description: (description && attribute(description, "content")) ?? "",
    markdown: `${blocksOf(article, siteUrl).join("\n\n").trim()}\n`,
  };
}

function attribute(element: Element, name: string): string | undefined {
  return element.attrs.find((candidate) => candidate.name === name)?.value;
}

function classesOf(element: Element): string[] {
  return (attribute(element, "class") ?? "").split(/\s+/);
}

function isSkipped(element: Element): boolean {
  return SKIPPED_TAGS.has(element.tagName) || classesOf(element).some((name) => SKIPPED_CLASSES.has(name));
}

function findFirst(
  parent: DefaultTreeAdapterTypes.ParentNode,
  matches: (element: Element) => boolean,
): Element | undefined {
  for (const child of parent.childNodes) {
    if (!("tagName" in child)) continue;
    if (matches(child)) return child;
    const inner = findFirst(child, matches);
    if (inner !== undefined) return inner;
  }
  return undefined;
}

function findAll(parent: Element, tagName: string): Element[] {
  return parent.childNodes.flatMap((child) =>
    "tagName" in child ? [...(child.tagName === tagName ? [child] : []), ...findAll(child, tagName)] : [],
  );
}

function textOf(node: Node): string {
  if ("value" in node) return node.value;
  return "childNodes" in node ? node.childNodes.map(textOf).join("") : "";
}

const INLINE = new Set([
  "a",
  "abbr",
  "b",
  "br",
  "code",
  "del",
  "em",
  "i",
  "img",
  "input",
  "kbd",
  "mark",
  "span",
  "strong",
  "sub",
  "sup",
  "label",
]);

/** The children of an element as blocks; runs of inline content become one paragraph. */
function blocksOf(parent: Element, siteUrl: string): string[] {
  const result: string[] = [];
  let run = "";
  const flush = () => {
    const paragraph = run.replaceAll(/\s+/g, " ").trim();
    if (paragraph !== "") result.push(paragraph);
    run = "";
  };
  for (const child of parent.childNodes) {
    if ("value" in child) run += child.value;
    else if ("tagName" in child && !isSkipped(child)) {
      if (INLINE.has(child.tagName) && !classesOf(child).includes("doc-card")) run += inlineElement(child, siteUrl);
      else {
        flush();
        result.push(...block(child, siteUrl));
      }
    }
  }
  flush();
  return result;
}

function block(element: Element, siteUrl: string): string[] {
  const { tagName } = element;
  const heading = /^h([1-6])$/.exec(tagName);
  if (heading !== null) return [`${"#".repeat(Number(heading[1]))} ${inline(element, siteUrl).trim()}`];
  if (classesOf(element).includes("theme-code-block")) return [codeBlock(element)];
  if (classesOf(element).includes("diagram")) return [diagramBlock(element)];
  if (classesOf(element).includes("theme-admonition")) return [quote(blocksOf(element, siteUrl))];
  if (classesOf(element).includes("tabs-container")) return tabBlocks(element, siteUrl);
  switch (tagName) {
    case "p":
      return [inline(element, siteUrl).replaceAll(/\s+/g, " ").trim()].filter((text) => text !== "");
    case "ul":
    case "ol":
      return [listBlock(element, siteUrl)];
    case "table":
      return [tableBlock(element, siteUrl)];
    case "blockquote":
      return [quote(blocksOf(element, siteUrl))];
    case "hr":
      return ["---"];
    case "pre":
      return [`\`\`\`\n${textOf(element).replace(/\n$/, "")}\n\`\`\``];
    case "summary":
      return [`**${inline(element, siteUrl).trim()}**`];
    case "a": {
      const title = findFirst(element, (inner) => classesOf(inner).includes("doc-card__title"));
      const text = findFirst(element, (inner) => classesOf(inner).includes("doc-card__text"));
      const label = title === undefined ? inline(element, siteUrl).trim() : textOf(title);
      return [
        `- [${label}](${absolute(attribute(element, "href"), siteUrl)})${text === undefined ? "" : `: ${textOf(text).trim()}`}`,
      ];
    }
    default:
      return blocksOf(element, siteUrl);
  }
}

function codeBlock(element: Element): string {
  const language =
    classesOf(element)
      .find((name) => name.startsWith("language-"))
      ?.slice("language-".length) ?? "";
  const title = findFirst(element, (inner) => classesOf(inner).includes("code-fence__title"));
  const code = findFirst(element, (inner) => inner.tagName === "code");
  const meta = title === undefined || textOf(title) === "Output" ? "" : ` title="${textOf(title)}"`;
  return `\`\`\`${language}${meta}\n${code === undefined ? "" : textOf(code).replace(/\n$/, "")}\n\`\`\``;
}

/** A diagram as the text it was drawn from. */
function diagramBlock(element: Element): string {
  const title = findFirst(element, (inner) => inner.tagName === "summary");
  const source = findFirst(element, (inner) => inner.tagName === "pre");
  return `\`\`\`mermaid title="${title === undefined ? "" : textOf(title)}"\n${source === undefined ? "" : textOf(source)}\n\`\`\``;
}

/** Every tab's content under its label, because a text has no tabs. */
function tabBlocks(element: Element, siteUrl: string): string[] {
  const labels = findAll(element, "li")
    .filter((item) => attribute(item, "role") === "tab")
    .map((item) => textOf(item).trim());
  const panels = findAll(element, "div").filter((panel) => attribute(panel, "role") === "tabpanel");
  return panels.flatMap((panel, index) => [`**${labels[index] ?? ""}**`, ...blocksOf(panel, siteUrl)]);
}

function quote(blocks: readonly string[]): string {
  return blocks
    .join("\n\n")
    .split("\n")
    .map((line) => (line === "" ? ">" : `> ${line}`))
    .join("\n");
}

function listBlock(list: Element, siteUrl: string): string {
  let number = 0;
  return list.childNodes
    .flatMap((child) => {
      if (!("tagName" in child) || child.tagName !== "li") return [];
      number += 1;
      const marker = list.tagName === "ol" ? `${number}. ` : "- ";
      const indent = " ".repeat(marker.length);
      const body = blocksOf(child, siteUrl).join("\n\n").split("\n").join(`\n${indent}`);
      return [`${marker}${body}`];
    })
    .join("\n");
}

function tableBlock(table: Element, siteUrl: string): string {
  const rows = findAll(table, "tr").map((row) =>
    row.childNodes.flatMap((cell) =>
      "tagName" in cell && (cell.tagName === "th" || cell.tagName === "td")
        ? [inline(cell, siteUrl).replaceAll(/\s+/g, " ").trim().replaceAll("|", "\\|")]
        : [],
    ),
  );
  const [head = [], ...body] = rows;
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...body.map(line)].join("\n");
}

function inline(element: Element, siteUrl: string): string {
  return element.childNodes
    .map((child) => {
      if ("value" in child) return child.value;
      if (!("tagName" in child) || isSkipped(child)) return "";
      return inlineElement(child, siteUrl);
    })
    .join("")
    .replaceAll("\u200b", "");
}

function inlineElement(element: Element, siteUrl: string): string {
  switch (element.tagName) {
    case "a": {
      const label = inline(element, siteUrl).trim();
      return label === "" ? "" : `[${label}](${absolute(attribute(element, "href"), siteUrl)})`;
    }
    case "strong":
    case "b":
      return `**${inline(element, siteUrl)}**`;
    case "em":
    case "i":
      return `*${inline(element, siteUrl)}*`;
    case "del":
      return `~~${inline(element, siteUrl)}~~`;
    case "code":
    case "kbd":
      return `\`${textOf(element)}\``;
    case "br":
      return "\n";
    case "img":
      return classesOf(element).includes("picture__image--dark") || !attribute(element, "alt")
        ? ""
        : `![${attribute(element, "alt")}](${absolute(attribute(element, "src"), siteUrl)})`;
    case "input":
      return element.attrs.some(({ name }) => name === "checked") ? "[x] " : "[ ] ";
    default:
      return inline(element, siteUrl);
  }
}

function absolute(href: string | undefined, siteUrl: string): string {
  if (href === undefined) return "";
  return href.startsWith("/") ? siteUrl + href : href;
}
