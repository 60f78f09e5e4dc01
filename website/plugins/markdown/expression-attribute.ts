/** An attribute of an MDX element as an expression: its text reaches the component unchanged, line ends included. */
import type { MdxJsxAttribute } from "mdast-util-mdx-jsx";

export function expressionAttribute(name: string, value: string): MdxJsxAttribute {
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
