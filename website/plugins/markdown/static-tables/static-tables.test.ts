/** Which tables become finished HTML, and that their text stays text. */
import type { Element, ElementContent, Root } from "hast";
import { describe, expect, test } from "vitest";
import rehypeStaticTables from "./rehype-static-tables.ts";

const element = (tagName: string, ...children: ElementContent[]): Element => ({
  type: "element",
  tagName,
  properties: {},
  children,
});
const text = (value: string): ElementContent => ({ type: "text", value });
const table = (head: ElementContent, cell: ElementContent): Root => ({
  type: "root",
  children: [
    element(
      "table",
      element("thead", element("tr", element("th", head))),
      element("tbody", element("tr", element("td", cell))),
    ),
  ],
});

function compile(root: Root) {
  rehypeStaticTables()(root);
  const [result] = root.children as unknown as [
    { name?: string; tagName?: string; attributes?: { name: string; value: { value: string } }[] },
  ];
  const attributes = Object.fromEntries(
    (result.attributes ?? []).map(({ name, value }) => [name, JSON.parse(value.value) as string]),
  );
  return { kind: result.name ?? result.tagName, ...attributes } as { kind?: string; html?: string; rows?: string };
}

describe("tables", () => {
  test("a table of text and code becomes HTML in which markup is text", () => {
    const { kind, html, rows } = compile(table(text("Name"), element("code", text('<a href="x">'))));

    expect(kind).toBe("StaticTable");
    expect(html).toBe(
      "<table><thead><tr><th>Name</th></tr></thead><tbody><tr><td><code>&lt;a href=&quot;x&quot;&gt;</code></td></tr></tbody></table>",
    );
    expect(rows).toBe("1");
  });

  test("a head cell without text heads nothing", () => {
    expect(compile(table(text(""), text("x"))).html).toContain("<thead><tr><td></td></tr></thead>");
  });

  test("links within the page stay links", () => {
    const link: Element = { ...element("a", text("Problem")), properties: { href: "#schema-problem" } };

    expect(compile(table(text("Body"), link)).html).toContain('<a href="#schema-problem">Problem</a>');
  });

  test.each([
    ["a link to another page", { ...element("a", text("Guide")), properties: { href: "/toolhive/" } }],
    ["a picture", element("img")],
  ])("a table with %s is left to its components", (_what, cell) => {
    expect(compile(table(text("What"), cell as Element)).kind).toBe("table");
  });
});
