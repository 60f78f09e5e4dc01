/**
 * Turns tables that hold nothing but text, code and links within the page into finished HTML, so that the browser does not
 * build and compare each of their cells when the page's scripts take over. The reference pages are mostly such tables.
 * The component that shows them is `src/components/static-table.tsx`.
 */
import type { Element, ElementContent, Parents, Root } from "hast";
import type { MdxJsxFlowElementHast, MdxJsxTextElementHast } from "mdast-util-mdx-jsx";
import { escapeAttribute } from "../escape-markup.ts";
import { expressionAttribute } from "../expression-attribute.ts";

const PLAIN_TAGS = new Set(["thead", "tbody", "tr", "th", "td", "code", "strong", "em", "del", "br"]);

export default function rehypeStaticTables() {
  return (tree: Root): void => replaceTables(tree);
}

function replaceTables(parent: Parents): void {
  for (const [index, child] of parent.children.entries()) {
    if (child.type === "element" && child.tagName === "table") {
      const content = htmlOfAll(child.children);
      if (content === undefined) continue;
      const rows = child.children
        .filter((part) => part.type === "element" && part.tagName === "tbody")
        .flatMap((part) => (part as Element).children.filter(({ type }) => type === "element"));
      const table: MdxJsxFlowElementHast = {
        type: "mdxJsxFlowElement",
        name: "StaticTable",
        attributes: [
          expressionAttribute("html", `<table>${content}</table>`),
          expressionAttribute("rows", String(rows.length)),
        ],
        children: [],
      };
      parent.children[index] = table as ElementContent;
    } else if ("children" in child) {
      replaceTables(child as Parents);
    }
  }
}

/** @returns `undefined` when something among the nodes needs a component or leads to another page. */
function htmlOfAll(nodes: readonly ElementContent[]): string | undefined {
  let html = "";
  for (const node of nodes) {
    const part = writeHtml(node);
    if (part === undefined) return undefined;
    html += part;
  }
  return html;
}

function writeHtml(node: ElementContent | MdxJsxTextElementHast): string | undefined {
  if (node.type === "text")
    return node.value.trim() === "" && node.value.includes("\n") ? "" : escapeAttribute(node.value);
  if (node.type === "mdxJsxTextElement") return anchorHtml(node);
  if (node.type !== "element") return undefined;
  const content = htmlOfAll(node.children);
  if (content === undefined) return undefined;
  if (node.tagName === "a") {
    const href = String(node.properties.href ?? "");
    return href.startsWith("#") ? `<a href="${escapeAttribute(href)}">${content}</a>` : undefined;
  }
  if (node.tagName === "span" && node.properties.className !== undefined) {
    return `<span class="${escapeAttribute([node.properties.className].flat().join(" "))}">${content}</span>`;
  }
  if (!PLAIN_TAGS.has(node.tagName)) return undefined;
  if (node.tagName === "br") return "<br>";
  const align = node.properties.align === undefined ? "" : ` align="${escapeAttribute(String(node.properties.align))}"`;
  // A head cell without text is the corner of a table and heads nothing.
  const tag = node.tagName === "th" && content === "" ? "td" : node.tagName;
  return `<${tag}${align}>${content}</${tag}>`;
}

/** `<span id="…">` is the one element that generated pages write as such: the place a link leads to. */
function anchorHtml({ name, attributes, children }: MdxJsxTextElementHast): string | undefined {
  const [id] = attributes;
  if (name !== "span" || attributes.length !== 1 || id?.type !== "mdxJsxAttribute") return undefined;
  if (id.name !== "id" || typeof id.value !== "string") return undefined;
  const content = htmlOfAll(children as ElementContent[]);
  return content === undefined ? undefined : `<span id="${escapeAttribute(id.value)}">${content}</span>`;
}
