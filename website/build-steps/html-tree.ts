/** The few questions that the build asks of a page's elements. The tree is parse5's: parsed as browsers do. */
import { readAttribute } from "@toolhive/search";
import type { DefaultTreeAdapterTypes } from "parse5";

export type HtmlDocument = DefaultTreeAdapterTypes.Document;
export type HtmlElement = DefaultTreeAdapterTypes.Element;
export type HtmlNode = DefaultTreeAdapterTypes.Node;

/** The first element, in document order, for which something holds. */
export function findElement(
  parent: DefaultTreeAdapterTypes.ParentNode,
  matches: (element: HtmlElement) => boolean,
): HtmlElement | undefined {
  for (const child of parent.childNodes) {
    if (!("tagName" in child)) continue;
    const found = matches(child) ? child : findElement(child, matches);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** @param name Value of the element's `name` or `property`. */
export function findMeta(document: HtmlDocument, name: string): string | undefined {
  const meta = findElement(
    document,
    (element) =>
      element.tagName === "meta" && [readAttribute(element, "name"), readAttribute(element, "property")].includes(name),
  );
  return meta === undefined ? undefined : readAttribute(meta, "content");
}
