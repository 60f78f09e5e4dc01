/** Labels of the application in pages. */
import { MESSAGES } from "@toolhive/app/messages";
import type { Root } from "mdast";
import type { MdxJsxTextElement } from "mdast-util-mdx-jsx";
import { VFile } from "vfile";
import { expect, test } from "vitest";
import remarkUiLabels from "./remark-ui-labels.ts";

function label(attributes: Record<string, string>): MdxJsxTextElement {
  const list = Object.entries(attributes).map(([name, value]) => ({ type: "mdxJsxAttribute" as const, name, value }));
  return { type: "mdxJsxTextElement", name: "Ui", attributes: list, children: [] };
}

function replace(node: MdxJsxTextElement): unknown {
  const tree: Root = { type: "root", children: [{ type: "paragraph", children: [node] }] };
  remarkUiLabels()(tree, new VFile());
  return tree.children[0];
}

test("a key becomes the label in bold", () => {
  const strong = { type: "strong", children: [{ type: "text", value: MESSAGES["app.name"] }] };
  expect(replace(label({ label: "app.name" }))).toEqual({ type: "paragraph", children: [strong] });
});

test("an unknown key fails the build and names the file of the labels", () => {
  expect(() => replace(label({ label: "app.nothing" }))).toThrow(
    'The application has no label "app.nothing": see packages/app/src/words/labels.json.',
  );
  expect(() => replace(label({ label: "toString" }))).toThrow('no label "toString"');
  expect(() => replace(label({}))).toThrow('no label ""');
});
