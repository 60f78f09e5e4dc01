/** Which columns of a table are aligned to the right. */
import type { Element, ElementContent, Root } from "hast";
import { expect, test } from "vitest";
import rehypeNumberColumns from "./rehype-number-columns.ts";

const element = (tagName: string, ...children: ElementContent[]): Element => ({
  type: "element",
  tagName,
  properties: {},
  children,
});
const row = (tag: string, cells: readonly string[]) =>
  element("tr", ...cells.map((value) => element(tag, element("strong", { type: "text", value }))));

/** Alignments of the cells of a table, row by row. */
function align(...[head = [], ...body]: readonly (readonly string[])[]): unknown[][] {
  const parts = [element("thead", row("th", head)), element("tbody", ...body.map((cells) => row("td", cells)))];
  const tree: Root = { type: "root", children: [element("table", ...parts)] };
  rehypeNumberColumns()(tree);
  return parts.flatMap(({ children }) =>
    (children as Element[]).map((each) => (each.children as Element[]).map(({ properties }) => properties.align)),
  );
}

test("a column of numbers, with units or gaps, is aligned to the right, its head with it", () => {
  expect(align(["Page", "Size", "Share"], ["home", "211 kB", "< 1.5 %"], ["guide", "1,248 kB", "–"])).toEqual([
    [undefined, "right", "right"],
    [undefined, "right", "right"],
    [undefined, "right", "right"],
  ]);
});

test.each([
  ["words", "fast"],
  ["a range", "1 to 5"],
  ["an address", "127.0.0.1:8080"],
  ["a gap", "–"],
])("a column with nothing but %s stays as it is", (_what, cell) => {
  expect(align(["Name", "Value"], ["a", cell])).toEqual([
    [undefined, undefined],
    [undefined, undefined],
  ]);
});

test("a column of numbers may have a word where one could not be measured", () => {
  const [head] = align(
    ["Size", "A second", "Note"],
    ["1 kB", "12", "x"],
    ["2 kB", "refused", "1"],
    ["3", "5", "2"],
    ["4", "6", "y"],
  );

  expect(head).toEqual([undefined, "right", undefined]);
});

test("the first column names the rows and stays, also where it has numbers", () => {
  expect(align(["Code", "Number"], ["25", "3"])).toEqual([
    [undefined, "right"],
    [undefined, "right"],
  ]);
});
