/** Which pages are laid out piece by piece, and where their pieces begin and end. */
import { readFileSync } from "node:fs";
import path from "node:path";
import type { Element, ElementContent, Root } from "hast";
import { expect, test } from "vitest";
import rehypeLongPages from "./rehype-long-pages.ts";

const element = (tagName: string, ...children: ElementContent[]): Element => ({
  type: "element",
  tagName,
  properties: {},
  children,
});
const paragraph = () => element("p", { type: "text", value: "Words." });
/** A row has three elements. */
const table = (rows: number) =>
  element("table", ...Array.from({ length: rows }, () => element("tr", element("td"), element("td"))));

function compile(...children: ElementContent[]): string[] {
  const root: Root = { type: "root", children };
  rehypeLongPages()(root);
  return (root.children as Element[]).map(
    ({ tagName, properties, children: inner }) =>
      `${[tagName, ...((properties.className ?? []) as string[])].join(".")} ${inner.map((child) => (child as Element).tagName ?? "").join(" ")}`,
  );
}

test("what stands between the headings of a long page is in boxes, the headings are not", () => {
  expect(
    compile(paragraph(), element("h2"), table(5), paragraph(), element("h3"), table(600)).map((part) => part.trim()),
  ).toEqual([
    "p",
    "h2",
    "div.deferred-layout.deferred-layout--30rem table p",
    "h3",
    `div.deferred-layout.deferred-layout--160rem table`,
  ]);
});

test("a line below a heading needs no box", () => {
  expect(compile(element("h2"), paragraph(), element("h2"), table(600)).slice(0, 2)).toEqual(["h2 ", "p "]);
});

test("a page of ordinary length stays as it is", () => {
  expect(compile(element("h2"), table(100)).map((part) => part.split(" ")[0])).toEqual(["h2", "table"]);
});

test("the stylesheet has a class for every height that a box may have", () => {
  const css = readFileSync(path.join(import.meta.dirname, "../../../src/css/content.css"), "utf8");
  for (const rows of [3, 4, 6, 8, 11, 14, 18, 24, 36, 50]) {
    const [, box] = compile(
      element("h2"),
      table(rows),
      element("p", ...Array.from({ length: 1500 }, () => element("b"))),
    );
    const [, , height] = (box ?? "").split(" ")[0]?.split(".") ?? [];
    expect(css).toContain(`.${height} {`);
  }
});
