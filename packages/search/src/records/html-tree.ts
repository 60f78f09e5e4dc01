/** The few questions that reading a page asks of its elements. The tree is parse5's: parsed as browsers do, omitted tags included. */
import { type DefaultTreeAdapterTypes, parse } from "parse5";

export type HtmlElement = DefaultTreeAdapterTypes.Element;
export type HtmlNode = DefaultTreeAdapterTypes.ChildNode;
type HtmlParent = DefaultTreeAdapterTypes.ParentNode;

export type HtmlDocument = DefaultTreeAdapterTypes.Document;

export function parseHtml(html: string): HtmlDocument {
  return parse(html);
}

export function isElement(node: HtmlNode): node is HtmlElement {
  return "tagName" in node;
}

export function readAttribute(element: HtmlElement, name: string): string | undefined {
  return element.attrs.find((attribute) => attribute.name === name)?.value;
}

export function hasClass(element: HtmlElement, ...names: readonly string[]): boolean {
  const own = readAttribute(element, "class")?.split(/\s+/) ?? [];
  return names.some((name) => own.includes(name));
}

/** Elements for which something holds, in document order; those inside one of them too. */
export function findAll(parent: HtmlParent, holds: (element: HtmlElement) => boolean): HtmlElement[] {
  const found: HtmlElement[] = [];
  const visit = (node: HtmlParent): void => {
    for (const child of node.childNodes) {
      if (!isElement(child)) continue;
      if (holds(child)) found.push(child);
      visit(child);
    }
  };
  visit(parent);
  return found;
}

export const byTag =
  (...tags: readonly string[]) =>
  (element: HtmlElement): boolean =>
    tags.includes(element.tagName);

/**
 * The text inside a node. Elements side by side with nothing between, such as the lines of a card, are words apart; in
 * preformatted text they are not, and line breaks stay.
 *
 * @param isLeftOut Elements whose text does not count.
 */
export function extractText(
  node: HtmlNode,
  isLeftOut: (element: HtmlElement) => boolean = () => false,
  isPreformatted = false,
): string {
  if ("value" in node) return node.value;
  if (!isElement(node) || isLeftOut(node)) return "";
  if (node.tagName === "br") return isPreformatted ? "\n" : " ";
  let text = "";
  for (const [at, child] of node.childNodes.entries()) {
    if (!isPreformatted && isElement(child) && followsElement(node.childNodes, at)) text += " ";
    text += extractText(child, isLeftOut, isPreformatted);
  }
  return text;
}

/** Whether the node before this one is an element too. */
export function followsElement(siblings: readonly HtmlNode[], at: number): boolean {
  const before = siblings[at - 1];
  return before !== undefined && isElement(before);
}
