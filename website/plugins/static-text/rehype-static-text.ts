/**
 * Takes out of a page's script the text that nothing happens to: paragraphs, lists, rows, code and drawings that hold no
 * component. The compiled page names each such part by a number; its HTML stands in the built page
 * already, and travels a second time only to readers who come from another page (`index.ts`, `client/read-parts.ts`).
 */
import { createHash } from "node:crypto";
import path from "node:path";
import type { Element, ElementContent, Parents, Root } from "hast";
import type { MdxJsxAttribute, MdxJsxAttributeValueExpression, MdxJsxFlowElementHast } from "mdast-util-mdx-jsx";
import { textFile, writePageText } from "./page-texts.ts";
import { writeStaticHtml } from "./write-static-html.ts";

/** Elements that may become a part as a whole. Those inside a line stay with their line. */
const BLOCKS = new Set(["p", "ul", "ol", "li", "blockquote", "thead", "tbody", "tr", "td"]);
/** Components whose text was finished by another plugin, with the attribute that has it. */
const FINISHED = new Map([
  ["CodeFence", "html"],
  ["StaticTable", "html"],
  ["Diagram", "svg"],
]);
type Program = NonNullable<NonNullable<MdxJsxAttributeValueExpression["data"]>["estree"]>;

/** What the compiled page calls its parts. */
const PARTS = "staticParts";

/** The page as the compiler hands it to its plugins. */
interface PageFile {
  readonly path: string;
}

export default function rehypeStaticText({ baseUrl }: { readonly baseUrl: string }) {
  return (tree: Root, file: PageFile): void => {
    const key = nameKey(file.path);
    const parts: string[] = [];
    takeParts(tree, { parts, baseUrl });
    if (parts.length === 0) return;
    const address = baseUrl + textFile(key, parts);
    writePageText(key, parts);
    tree.children.unshift(importParts({ key, parts, address }) as unknown as Root["children"][number]);
  };
}

/** Short, because each part of the page carries it. */
function nameKey(file: string): string {
  const inside = path.relative(path.join(__dirname, "../.."), file).replaceAll(path.sep, "/");
  return createHash("sha256").update(inside).digest("hex").slice(0, 6);
}

interface Taken {
  readonly parts: string[];
  readonly baseUrl: string;
}

function takeParts(parent: Parents, taken: Taken): void {
  for (const [index, child] of parent.children.entries()) {
    const node = child as ElementContent | MdxJsxFlowElementHast;
    if (node.type === "mdxJsxFlowElement" && FINISHED.has(node.name ?? "")) takeFinished(node, taken.parts);
    else if (node.type === "element" && BLOCKS.has(node.tagName)) {
      const part = toPart(node, taken);
      if (part === undefined) takeParts(node, taken);
      else parent.children[index] = part as ElementContent;
    } else if ("children" in node) takeParts(node as Parents, taken);
  }
}

/** The component gets its text as a part in the place of the attribute that has it. */
function takeFinished(node: MdxJsxFlowElementHast, parts: string[]): void {
  const name = FINISHED.get(node.name ?? "");
  const text = node.attributes.find((each) => each.type === "mdxJsxAttribute" && each.name === name);
  if (text === undefined) return;
  const html = readLiteral(text as MdxJsxAttribute);
  node.attributes[node.attributes.indexOf(text)] = partAttribute(parts.push(html) - 1);
}

function readLiteral({ value }: MdxJsxAttribute): string {
  if (typeof value === "string") return value;
  return JSON.parse(value?.value ?? '""') as string;
}

function toPart(node: Element, { parts, baseUrl }: Taken): MdxJsxFlowElementHast | undefined {
  const { className, align, ...others } = node.properties;
  if (className !== undefined || Object.keys(others).length > 0) return undefined;
  const html = writeStaticHtml(node, baseUrl);
  if (html === undefined || html.trim() === "") return undefined;
  const attributes: MdxJsxAttribute[] = [
    { type: "mdxJsxAttribute", name: "as", value: node.tagName },
    ...(align === undefined ? [] : [{ type: "mdxJsxAttribute" as const, name: "align", value: String(align) }]),
    partAttribute(parts.push(html) - 1),
  ];
  return { type: "mdxJsxFlowElement", name: "StaticText", attributes, children: [] };
}

/** `part={staticParts[7]}` */
function partAttribute(number: number): MdxJsxAttribute {
  const expression = {
    type: "MemberExpression",
    object: { type: "Identifier", name: PARTS },
    property: { type: "Literal", value: number, raw: String(number) },
    computed: true,
    optional: false,
  } as const;
  return {
    type: "mdxJsxAttribute",
    name: "part",
    value: {
      type: "mdxJsxAttributeValueExpression",
      value: `${PARTS}[${number}]`,
      data: {
        estree: {
          type: "Program",
          sourceType: "module",
          comments: [],
          body: [{ type: "ExpressionStatement", expression }],
        },
      },
    },
  };
}

interface PageParts {
  readonly key: string;
  readonly parts: readonly string[];
  readonly address: string;
}

/**
 * `import { readParts } from "…"; const staticParts = await readParts(key, count, address, IS_TEXT_INLINE ? […] : undefined);`
 * The bundler knows `IS_TEXT_INLINE`, and leaves the text out where it is false.
 */
function importParts({ key, parts, address }: PageParts): {
  readonly type: "mdxjsEsm";
  readonly value: "";
  readonly data: { readonly estree: Program };
} {
  const literal = (value: string | number) => ({ type: "Literal", value, raw: JSON.stringify(value) }) as const;
  const identifier = (name: string) => ({ type: "Identifier", name }) as const;
  const estree: Program = {
    type: "Program",
    sourceType: "module",
    body: [
      {
        type: "ImportDeclaration",
        attributes: [],
        specifiers: [{ type: "ImportSpecifier", imported: identifier("readParts"), local: identifier("readParts") }],
        source: literal("@site/plugins/static-text/client/read-parts.ts"),
      },
      {
        type: "VariableDeclaration",
        kind: "const",
        declarations: [
          {
            type: "VariableDeclarator",
            id: identifier(PARTS),
            init: {
              type: "AwaitExpression",
              argument: {
                type: "CallExpression",
                optional: false,
                callee: identifier("readParts"),
                arguments: [
                  literal(key),
                  literal(parts.length),
                  literal(address),
                  {
                    type: "ConditionalExpression",
                    test: identifier("IS_TEXT_INLINE"),
                    consequent: { type: "ArrayExpression", elements: parts.map(literal) },
                    alternate: identifier("undefined"),
                  },
                ],
              },
            },
          },
        ],
      },
    ],
  };
  return { type: "mdxjsEsm", value: "", data: { estree: { ...estree, comments: [] } } };
}
