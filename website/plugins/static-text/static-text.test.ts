/** What of a page becomes static text, and that it stays text. */
import type { Element, ElementContent, Root } from "hast";
import { afterEach, expect, test, vi } from "vitest";
import { readParts } from "./client/read-parts.ts";
import { listPageTexts } from "./page-texts.ts";
import rehypeStaticText from "./rehype-static-text.ts";

const element = (tagName: string, ...children: ElementContent[]): Element => ({
  type: "element",
  tagName,
  properties: {},
  children,
});
const text = (value: string): ElementContent => ({ type: "text", value });
const link = (href: string): Element => ({ ...element("a", text("Guide")), properties: { href } });
const component = { type: "mdxJsxTextElement", name: "Version", attributes: [], children: [] } as unknown as Element;

let compiled = 0;
/** @returns The texts in the order of their numbers, and what stays in the page's script. */
function compile(baseUrl: string, ...children: ElementContent[]) {
  const root: Root = { type: "root", children };
  rehypeStaticText({ baseUrl })(root, { path: `/pages/${++compiled}.mdx` });
  const names = (nodes: readonly ElementContent[]): unknown[] =>
    nodes.flatMap((node): unknown[] => {
      if (node.type === "text") return [];
      const { name, tagName, children: inner = [] } = node as Element & { readonly name?: string };
      return inner.length > 0 ? [[name ?? tagName, ...names(inner)]] : [name ?? tagName];
    });
  const [first, ...rest] = root.children as ElementContent[];
  const isImport = (first as { readonly type: string }).type === "mdxjsEsm";
  const stays = names(isImport ? rest : (root.children as ElementContent[]));
  return { texts: isImport ? (JSON.parse([...listPageTexts().values()].at(-1) ?? "") as string[]) : [], stays };
}

test("a paragraph without components becomes HTML in which markup is text", () => {
  expect(compile("/", element("p", text("Use "), element("code", text("<a> & b")), text(".")))).toEqual({
    texts: ["Use <code>&lt;a&gt; &amp; b</code>."],
    stays: ["StaticText"],
  });
});

test("of a list with a component, the other entries become HTML", () => {
  expect(compile("/", element("ul", element("li", text("one")), element("li", component)))).toEqual({
    texts: ["one"],
    stays: [["ul", "StaticText", ["li", "Version"]]],
  });
});

test.each([
  ["/", "/toolhive/faq", '<a href="/toolhive/faq">Guide</a>'],
  ["/docs/", "/toolhive/faq", '<a href="/docs/toolhive/faq">Guide</a>'],
  ["/docs/", "/docs/toolhive/faq", '<a href="/docs/toolhive/faq">Guide</a>'],
  ["/", "#ports", '<a href="#ports">Guide</a>'],
  [
    "/",
    "https://example.com/?a&b",
    '<a href="https://example.com/?a&amp;b" target="_blank" rel="noopener noreferrer">Guide</a>',
  ],
])("below %s, a link to %s is one in the text", (baseUrl, href, html) => {
  expect(compile(baseUrl, element("p", link(href))).texts).toEqual([html]);
});

test.each(["//example.com", "../faq", "pathname:///llms.txt", "javascript:alert(1)"])(
  "a link to %s is left to its component",
  (href) => {
    expect(compile("/", element("p", link(href)))).toEqual({ texts: [], stays: [["p", ["a"]]] });
  },
);

test("what code and tables show is taken out of their components", () => {
  const fence = {
    type: "mdxJsxFlowElement",
    name: "CodeFence",
    attributes: [{ type: "mdxJsxAttribute", name: "html", value: { value: '"<b>thv</b>"' } }],
    children: [],
  };

  expect(compile("/", fence as unknown as ElementContent)).toEqual({ texts: ["<b>thv</b>"], stays: ["CodeFence"] });
  expect(fence.attributes).toMatchObject([{ name: "part", value: { value: "staticParts[0]" } }]);
});

test("the name of a page's file of text changes with the text", () => {
  compile("/", element("p", text("before")));
  compiled--;
  compile("/", element("p", text("after")));

  const [before, after] = [...listPageTexts().keys()].slice(-2);
  expect(before?.split(".")[0]).toBe(after?.split(".")[0]);
  expect(before).not.toBe(after);
});

afterEach(() => vi.unstubAllGlobals());

/** Elements of a built page, as the reader of parts asks for them. */
function showPage(...parts: readonly [name: string, html: string][]) {
  vi.stubGlobal("document", {
    querySelectorAll: () => parts.map(([name, innerHTML]) => ({ innerHTML, getAttribute: () => name })),
  });
}

test("the first page's text is read from the page, by its numbers", async () => {
  showPage(["k-1", "second"], ["k-0", "first"]);

  const parts = await readParts("k", 2, "/assets/text/k.json", undefined);

  expect(parts.map((part) => part.dangerouslySetInnerHTML.__html)).toEqual(["first", "second"]);
});

test.each([
  ["has no part", []],
  ["lacks a part", [["k-0", "first"]]],
  [
    "has a part twice",
    [
      ["k-0", "first"],
      ["k-0", "first"],
    ],
  ],
] as [string, [string, string][]][])("the text of a page that %s is fetched", async (_what, shown) => {
  showPage(...shown);
  vi.stubGlobal("fetch", async (address: string) => Response.json([address, "second"]));

  const parts = await readParts("k", 2, "/assets/text/k.json", undefined);

  expect(parts[0]?.dangerouslySetInnerHTML.__html).toBe("/assets/text/k.json");
});

test("a text that cannot be fetched fails with its address", async () => {
  showPage();
  vi.stubGlobal("fetch", async () => new Response("gone", { status: 404 }));

  await expect(readParts("k", 2, "/assets/text/k.json", undefined)).rejects.toThrow("/assets/text/k.json answered 404");
});
