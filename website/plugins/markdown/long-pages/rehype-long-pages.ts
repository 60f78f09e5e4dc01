/**
 * On a page so long that its style and layout keep a phone busy, puts the content between two headings into a box that the
 * browser lays out when it is near the screen (`.deferred-layout` in `src/css/content.css`). Headings stay outside: links lead to
 * them, and the table of contents asks for their places whenever the page scrolls.
 */
import type { Element, ElementContent, Root, RootContent } from "hast";

/** Elements of a page's text, before its tables and code become HTML. */
const MIN_ELEMENTS = 1500;

/** Heights that the stylesheet has a class for, rem. */
const HEIGHTS = [10, 15, 20, 30, 40, 50, 60, 80, 120, 160] as const;

/** Lower ones, rem, are not worth a box. */
const MIN_HEIGHT = 8;

export default function rehypeLongPages() {
  return (tree: Root): void => {
    if (countElements(tree) >= MIN_ELEMENTS) tree.children = boxBetweenHeadings(tree.children);
  };
}

function countElements(node: Root | RootContent): number {
  if (!("children" in node)) return 0;
  return node.children.reduce((count, child) => count + countElements(child), node.type === "root" ? 0 : 1);
}

function boxBetweenHeadings(nodes: readonly RootContent[]): RootContent[] {
  const result: RootContent[] = [];
  let section: RootContent[] = [];
  // What is above the first heading of a section is in sight from the beginning.
  let isBelowHeading = false;
  const endSection = () => {
    const height = section.reduce((sum, node) => sum + estimateHeight(node), 0);
    if (isBelowHeading && height >= MIN_HEIGHT) result.push(createBox(section, height));
    else result.push(...section);
    section = [];
  };
  for (const node of nodes) {
    if (node.type === "element" && /^h[2-6]$/.test(node.tagName)) {
      endSection();
      result.push(node);
      isBelowHeading = true;
    } else {
      section.push(node);
    }
  }
  endSection();
  return result;
}

function createBox(children: readonly RootContent[], height: number): Element {
  const step = HEIGHTS.find((candidate) => candidate >= height) ?? HEIGHTS.at(-1);
  return {
    type: "element",
    tagName: "div",
    properties: { className: ["deferred-layout", `deferred-layout--${step}rem`] },
    children: children as ElementContent[],
  };
}

/** A guess at how high it is on a wide screen, in rem. What a reader has seen keeps its true height. */
function estimateHeight(node: RootContent): number {
  // Component: a line of the API reference, or a closed aside.
  if (node.type === "mdxJsxFlowElement") return 3;
  if (node.type !== "element") return 0;
  if (node.tagName === "table") return 1.25 + countRows(node) * 3.2;
  const text = joinText(node);
  if (node.tagName === "pre") return 5 + text.trimEnd().split("\n").length * 1.4;
  return 1.25 + Math.ceil(text.length / 90) * 1.65;
}

function countRows(node: Element): number {
  return node.children.reduce(
    (count, child) => count + (child.type === "element" ? countRows(child) : 0),
    node.tagName === "tr" ? 1 : 0,
  );
}

function joinText(node: Element): string {
  return node.children
    .map((child) => (child.type === "text" ? child.value : child.type === "element" ? joinText(child) : ""))
    .join("");
}
