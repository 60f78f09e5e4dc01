/** HTML of nodes that need no component: text, code, marks and links. */
import type { Element, ElementContent } from "hast";
import type { MdxJsxTextElementHast } from "mdast-util-mdx-jsx";
import { escapeAttribute, escapeText } from "../markdown/escape-markup.ts";

const PLAIN_TAGS = new Set(
  ["p", "ul", "ol", "li", "blockquote", "thead", "tbody", "tr", "th", "td", "code", "strong", "em", "del", "br"].concat(
    ["kbd", "sub", "sup"],
  ),
);
const EMPTY_TAGS = new Set(["br"]);
/** As the framework writes links to other sites. */
const FOREIGN = 'target="_blank" rel="noopener noreferrer"';

/** Their children are elements; the line ends between them are the compiler's. */
const TABLE_TAGS = new Set(["table", "thead", "tbody", "tr"]);

/** @returns `undefined` when something among the nodes needs a component. */
export function writeStaticHtml(
  { tagName, children }: Pick<Element, "tagName" | "children">,
  baseUrl: string,
): string | undefined {
  let html = "";
  for (const node of children) {
    const part = TABLE_TAGS.has(tagName) && node.type === "text" ? "" : writeNode(node, baseUrl);
    if (part === undefined) return undefined;
    html += part;
  }
  return html;
}

function writeNode(node: ElementContent | MdxJsxTextElementHast, baseUrl: string): string | undefined {
  if (node.type === "text") return escapeText(node.value);
  if (node.type === "mdxJsxTextElement") return writeAnchor(node, baseUrl);
  if (node.type !== "element") return undefined;
  const content = writeStaticHtml(node, baseUrl);
  if (content === undefined) return undefined;
  if (node.tagName === "a") return writeLink(node, content, baseUrl);
  const { className, align, ...others } = node.properties;
  if (Object.keys(others).length > 0) return undefined;
  if (node.tagName === "span" && align === undefined) {
    return `<span class="${escapeAttribute([className ?? []].flat().join(" "))}">${content}</span>`;
  }
  if (!PLAIN_TAGS.has(node.tagName) || className !== undefined) return undefined;
  if (EMPTY_TAGS.has(node.tagName)) return `<${node.tagName}>`;
  // A head cell without text is the corner of a table and heads nothing.
  const tag = node.tagName === "th" && content === "" ? "td" : node.tagName;
  return `<${tag}${align === undefined ? "" : ` align="${escapeAttribute(String(align))}"`}>${content}</${tag}>`;
}

function writeLink({ properties: { href, ...others } }: Element, content: string, baseUrl: string): string | undefined {
  const address = String(href ?? "");
  if (Object.keys(others).length > 0) return undefined;
  if (/^\/(?!\/)/.test(address)) {
    const target = address.startsWith(baseUrl) ? address : baseUrl + address.slice(1);
    return `<a href="${escapeAttribute(target)}">${content}</a>`;
  }
  if (address.startsWith("#")) return `<a href="${escapeAttribute(address)}">${content}</a>`;
  if (/^https?:\/\//.test(address)) return `<a href="${escapeAttribute(address)}" ${FOREIGN}>${content}</a>`;
  return undefined;
}

/** `<span id="…">` is the one element that pages write as such: the place a link leads to. */
function writeAnchor({ name, attributes, children }: MdxJsxTextElementHast, baseUrl: string): string | undefined {
  const [id] = attributes;
  if (name !== "span" || attributes.length !== 1 || id?.type !== "mdxJsxAttribute") return undefined;
  if (id.name !== "id" || typeof id.value !== "string") return undefined;
  const content = writeStaticHtml({ tagName: "span", children: children as ElementContent[] }, baseUrl);
  return content === undefined ? undefined : `<span id="${escapeAttribute(id.value)}">${content}</span>`;
}
