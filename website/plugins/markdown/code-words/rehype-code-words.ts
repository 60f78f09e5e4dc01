/**
 * Keeps flags and identifiers in inline code on one line. Browsers may break a line after a hyphen or a slash, so that a
 * reader on a phone sees `--` at the end of one line and `name` on the next. Words that are too long for a phone stay as
 * they are and may break.
 */
import type { Element, ElementContent, Parents, Root } from "hast";

/** Characters that fit beside a margin on a screen of 320 px. */
const MAX_UNBROKEN = 28;
/** After these a browser may begin a new line. */
const BREAKS = /[-/?]/;
/** The class is short because reference pages carry thousands of them. */
const CLASS = "nb";

export default function rehypeCodeWords() {
  return (tree: Root): void => wrapWords(tree);
}

function wrapWords(parent: Parents): void {
  for (const child of parent.children) {
    if (child.type === "element" && child.tagName === "pre") continue;
    if (child.type === "element" && child.tagName === "code") wrapWordsOfCode(child);
    else if ("children" in child) wrapWords(child as Parents);
  }
}

function wrapWordsOfCode(code: Element): void {
  const [only, ...others] = code.children;
  if (only?.type !== "text" || others.length > 0) return;
  const parts = only.value.split(/(\s+)/).filter((part) => part !== "");
  if (parts.some(canKeepWhole)) code.children = joinTexts(parts.map(toNode));
}

function canKeepWhole(word: string): boolean {
  return BREAKS.test(word) && word.length <= MAX_UNBROKEN;
}

function toNode(part: string): ElementContent {
  const text = { type: "text" as const, value: part };
  if (!canKeepWhole(part)) return text;
  return { type: "element", tagName: "span", properties: { className: [CLASS] }, children: [text] };
}

function joinTexts(nodes: readonly ElementContent[]): ElementContent[] {
  const joined: ElementContent[] = [];
  for (const node of nodes) {
    const last = joined.at(-1);
    if (last?.type === "text" && node.type === "text") last.value += node.value;
    else joined.push(node);
  }
  return joined;
}
