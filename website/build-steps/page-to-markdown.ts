/**
 * Turns the article of a built page into Markdown, so that components appear in it as what they show. The handlers below
 * are for this site's own components; everything else is ordinary HTML.
 */
import { isPageChrome, readAttribute } from "@toolhive/search";
import type { Element, Root } from "hast";
import { fromParse5 } from "hast-util-from-parse5";
import type { Blockquote, Code, List, ListItem, Paragraph } from "mdast";
import { gfmStrikethroughToMarkdown } from "mdast-util-gfm-strikethrough";
import { gfmTableToMarkdown } from "mdast-util-gfm-table";
import { gfmTaskListItemToMarkdown } from "mdast-util-gfm-task-list-item";
import { toString as toPlainText } from "mdast-util-to-string";
import rehypeRemark, { type Options } from "rehype-remark";
import remarkStringify from "remark-stringify";
import { type Processor, unified } from "unified";
import { visit } from "unist-util-visit";
import { findElement as findHtmlElement, findMeta, type HtmlDocument, type HtmlElement } from "./html-tree.ts";

type Handlers = NonNullable<Options["handlers"]>;
type Handle = NonNullable<Handlers[string]>;

export interface PageMarkdown {
  readonly title: string;
  readonly description: string;
  readonly markdown: string;
}

/**
 * @param siteUrl Without slash at the end; links become absolute, so that the text can be read elsewhere.
 * @returns `undefined` for a page without an article.
 */
export function pageToMarkdown(document: HtmlDocument, siteUrl: string): PageMarkdown | undefined {
  const article = findHtmlElement(document, ({ tagName }) => tagName === "article");
  if (article === undefined) return undefined;
  const tree: Root = { type: "root", children: [fromParse5(withoutChrome(article)) as Element] };
  prepare(tree, siteUrl);
  const markdown = toMarkdown.runSync(tree);
  const [heading] = markdown.children.filter((node) => node.type === "heading" && node.depth === 1);
  return {
    title:
      heading === undefined
        ? ""
        : toMarkdown
            .stringify({ type: "root", children: [heading] })
            .slice(2)
            .trim(),
    description: findMeta(document, "description") ?? "",
    markdown: toMarkdown.stringify(markdown),
  };
}

/** A copy without the parts that belong to the site and not to the text. The labels of tabs stay: a text has no tabs. */
function withoutChrome(element: HtmlElement): HtmlElement {
  const childNodes = element.childNodes.flatMap((child): HtmlElement["childNodes"] => {
    // React's comments between texts would break a sentence into pieces.
    if (!("tagName" in child)) return "value" in child ? [child] : [];
    return isPageChrome(child) && readAttribute(child, "role") !== "tablist" ? [] : [withoutChrome(child)];
  });
  return { ...element, childNodes };
}

/** Makes addresses absolute and takes out what only a screen needs. */
function prepare(tree: Root, siteUrl: string): void {
  visit(tree, (node) => {
    if (node.type === "text") node.value = node.value.replaceAll("\u200b", "");
    if (node.type !== "element") return;
    for (const name of ["href", "src"]) {
      const address = node.properties[name];
      if (typeof address === "string" && address.startsWith("/")) node.properties[name] = siteUrl + address;
    }
  });
}

function hasClass({ properties }: Element, name: string): boolean {
  return Array.isArray(properties.className) && properties.className.includes(name);
}

function findElement(parent: Element, matches: (element: Element) => boolean): Element | undefined {
  for (const child of parent.children) {
    if (child.type !== "element") continue;
    const found = matches(child) ? child : findElement(child, matches);
    if (found !== undefined) return found;
  }
  return undefined;
}

function findText(parent: Element, matches: (element: Element) => boolean): string {
  return toPlainText(findElement(parent, matches)).trim();
}

const codeFence: Handle = (_state, element): Code => {
  const language = [element.properties.className].flat().find((name) => String(name).startsWith("language-"));
  const title = findText(element, (inner) => hasClass(inner, "code-fence__title"));
  return {
    type: "code",
    lang: language === undefined ? null : String(language).slice("language-".length),
    meta: title === "" || title === "Output" ? null : `title="${title}"`,
    value: toPlainText(findElement(element, ({ tagName }) => tagName === "code")).replace(/\n$/, ""),
  };
};

/** A diagram as the text it was drawn from. */
const diagram: Handle = (_state, element): Code => ({
  type: "code",
  lang: "mermaid",
  meta: `title="${findText(element, ({ tagName }) => tagName === "summary")}"`,
  value: toPlainText(findElement(element, ({ tagName }) => tagName === "pre")),
});

const admonition: Handle = (state, element): Blockquote => ({
  type: "blockquote",
  children: state.toFlow(state.all(element)) as Blockquote["children"],
});

/** The content of every tab under its label. */
const tabs: Handle = (state, element) => {
  const labels = elementsWithRole(element, "tab").map((label) => toPlainText(label).trim());
  return elementsWithRole(element, "tabpanel").flatMap((panel, index) => [
    strongParagraph(labels[index] ?? ""),
    ...state.toFlow(state.all(panel)),
  ]);
};

function elementsWithRole(parent: Element, role: string): Element[] {
  return parent.children.flatMap((child) => {
    if (child.type !== "element") return [];
    return child.properties.role === role ? [child] : elementsWithRole(child, role);
  });
}

function strongParagraph(text: string): Paragraph {
  return { type: "paragraph", children: [{ type: "strong", children: [{ type: "text", value: text }] }] };
}

const cardGrid: Handle = (_state, element): List => ({
  type: "list",
  ordered: false,
  spread: false,
  children: element.children.flatMap((child) => (child.type === "element" ? [card(child)] : [])),
});

function card(element: Element): ListItem {
  const part = (name: string) => findText(element, (inner) => hasClass(inner, name));
  const title = { type: "text" as const, value: part("doc-card__title") };
  const text = { type: "text" as const, value: `: ${part("doc-card__text")}` };
  const link = { type: "link" as const, url: String(element.properties.href), children: [title] };
  return { type: "listItem", spread: false, children: [{ type: "paragraph", children: [link, text] }] };
}

/** Handlers by the class of a component's outermost element. */
const COMPONENTS: Readonly<Record<string, Handle>> = {
  "theme-code-block": codeFence,
  diagram,
  "theme-admonition": admonition,
  "tabs-container": tabs,
  "card-grid": cardGrid,
};

const component: Handle = (state, element, parent) => {
  const name = Object.keys(COMPONENTS).find((className) => hasClass(element, className));
  return name === undefined ? state.toFlow(state.all(element)) : COMPONENTS[name]?.(state, element, parent);
};

const HANDLERS: Handlers = {
  div: component,
  figure: component,
  summary: (_state, element) => strongParagraph(toPlainText(element).trim()),
};

/** `remark-gfm` without its links: it would write a backslash into every address and "@" that is text. */
function writeGfm(this: Processor): void {
  this.data("toMarkdownExtensions", [
    gfmTableToMarkdown({ tablePipeAlign: false }),
    gfmStrikethroughToMarkdown(),
    gfmTaskListItemToMarkdown(),
  ]);
}

const toMarkdown = unified()
  .use(rehypeRemark, { handlers: HANDLERS })
  .use(writeGfm)
  .use(remarkStringify, { bullet: "-", emphasis: "*", rule: "-", listItemIndent: "one", resourceLink: true })
  .freeze();
