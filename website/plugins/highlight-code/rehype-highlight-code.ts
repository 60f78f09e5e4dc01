/**
 * Replaces fenced code in pages by `<CodeFence>` elements that hold highlighted HTML.
 * The component that shows them is `src/components/code-fence.tsx`.
 */
import type { Element, ElementContent, Parents, Root } from "hast";
import type { MdxJsxAttribute, MdxJsxFlowElementHast } from "mdast-util-mdx-jsx";
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
  const source = textOf(code).replace(/\n$/, "");
  const classes = Array.isArray(code.properties.className) ? code.properties.className : [];
  const language =
    classes
      .map(String)
      .find((name) => name.startsWith("language-"))
      ?.slice("language-".length) ?? "text";
  const metastring = code.properties.metastring ?? code.data?.meta ?? "";
  const { title, marked, numbered, isOutput } = parseFenceMeta(String(metastring));
  const attributes = [
    attribute("language", language),
    attribute("html", highlightLines(source, language, { marked, numbered })),
  ];
  if (title !== undefined) attributes.push(attribute("title", title));
  if (numbered) attributes.push(attribute("numbered", "yes"));
  if (isOutput) attributes.push(attribute("kind", "output"));
  else if (language === "bash" || language === "powershell") attributes.push(attribute("kind", "command"));
  return { type: "mdxJsxFlowElement", name: "CodeFence", attributes, children: [] };
}

function textOf(node: Element): string {
  return node.children
    .map((child) => (child.type === "text" ? child.value : child.type === "element" ? textOf(child) : ""))
    .join("");
}

/** An attribute as an expression: its text reaches the component unchanged, line ends included. */
function attribute(name: string, value: string): MdxJsxAttribute {
  const raw = JSON.stringify(value);
  return {
    type: "mdxJsxAttribute",
    name,
    value: {
      type: "mdxJsxAttributeValueExpression",
      value: raw,
      data: {
        estree: {
          type: "Program",
          sourceType: "module",
          comments: [],
          body: [{ type: "ExpressionStatement", expression: { type: "Literal", value, raw } }],
        },
      },
    },
  };
}
