/**
 * Replaces fenced code in pages by `<CodeFence>` elements that hold highlighted HTML.
 * The component that shows them is `src/components/code-fence.tsx`.
 */
import type { Element, ElementContent, Parents, Root } from "hast";
import type { MdxJsxFlowElementHast } from "mdast-util-mdx-jsx";
import { expressionAttribute } from "../expression-attribute.ts";
import { parseFenceMeta } from "./fence-meta.ts";
import { highlightLines } from "./highlight-lines.ts";

export default function rehypeHighlightCode() {
  return (tree: Root): void => replaceFences(tree);
}

function replaceFences(parent: Parents): void {
  for (const [index, child] of parent.children.entries()) {
    if (child.type === "element" && child.tagName === "pre") {
      const fence = toFence(child);
      if (fence !== undefined) parent.children[index] = fence as ElementContent;
    } else if ("children" in child) {
      replaceFences(child as Parents);
    }
  }
}

function toFence(pre: Element): MdxJsxFlowElementHast | undefined {
  const code = pre.children[0];
  if (code?.type !== "element" || code.tagName !== "code") return undefined;
  const source = joinText(code).replace(/\n$/, "");
  const classes = Array.isArray(code.properties.className) ? code.properties.className : [];
  const language =
    classes
      .map(String)
      .find((name) => name.startsWith("language-"))
      ?.slice("language-".length) ?? "text";
  const metastring = code.properties.metastring ?? code.data?.meta ?? "";
  const { title, marked, numbered, isOutput } = parseFenceMeta(String(metastring));
  const attributes = [
    expressionAttribute("language", language),
    expressionAttribute("html", highlightLines(source, language, { marked, numbered })),
  ];
  if (title !== undefined) attributes.push(expressionAttribute("title", title));
  if (numbered) attributes.push(expressionAttribute("numbered", "yes"));
  if (isOutput) attributes.push(expressionAttribute("kind", "output"));
  else if (language === "bash" || language === "powershell") attributes.push(expressionAttribute("kind", "command"));
  return { type: "mdxJsxFlowElement", name: "CodeFence", attributes, children: [] };
}

function joinText(node: Element): string {
  return node.children
    .map((child) => (child.type === "text" ? child.value : child.type === "element" ? joinText(child) : ""))
    .join("");
}
