/**
 * Replaces mermaid fences in pages by `<Diagram>` elements that hold the finished drawing and its source. Runs before
 * fences are highlighted. The component that shows them is `src/components/diagram.tsx`.
 */
import type { Element, ElementContent, Parents, Root } from "hast";
import type { MdxJsxFlowElementHast } from "mdast-util-mdx-jsx";
import { expressionAttribute } from "../expression-attribute.ts";
import { parseFenceMeta } from "../highlight-code/fence-meta.ts";
import { drawDiagram } from "./draw-diagram.ts";

/** The page as the compiler hands it to its plugins. */
interface PageFile {
  fail(reason: string, place: Element["position"]): never;
}

export default function rehypeMermaid() {
  return (tree: Root, file: PageFile): void => replaceDiagrams(tree, file);
}

function replaceDiagrams(parent: Parents, file: PageFile): void {
  for (const [index, child] of parent.children.entries()) {
    const code = child.type === "element" && child.tagName === "pre" ? mermaidIn(child) : undefined;
    if (code !== undefined) parent.children[index] = toDiagram(code, file) as ElementContent;
    else if ("children" in child) replaceDiagrams(child as Parents, file);
  }
}

function mermaidIn(pre: Element): Element | undefined {
  const [code] = pre.children;
  if (code?.type !== "element" || code.tagName !== "code" || !Array.isArray(code.properties.className))
    return undefined;
  return code.properties.className.includes("language-mermaid") ? code : undefined;
}

function toDiagram(code: Element, file: PageFile): MdxJsxFlowElementHast {
  const source = code.children
    .map((child) => (child.type === "text" ? child.value : ""))
    .join("")
    .trimEnd();
  const { title } = parseFenceMeta(String(code.properties.metastring ?? code.data?.meta ?? ""));
  if (title === undefined) return file.fail('A mermaid fence says what it shows: ```mermaid title="…"', code.position);
  try {
    const texts = { svg: drawDiagram(source, title), source, title };
    return {
      type: "mdxJsxFlowElement",
      name: "Diagram",
      attributes: Object.entries(texts).map(([name, value]) => expressionAttribute(name, value)),
      children: [],
    };
  } catch (cause) {
    return file.fail(`The mermaid diagram "${title}" cannot be drawn: ${String(cause)}`, code.position);
  }
}
