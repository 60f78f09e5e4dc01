import { describe, expect, test } from "vitest";
import { FIXTURE_PAGES, type FixturePage } from "../testing/fixture-pages.ts";
import { renderPage } from "../testing/fixture-site.ts";
import { parseHtml } from "./html-tree.ts";
import { readPage } from "./read-page.ts";

const PAGE: FixturePage = {
  route: "/guide",
  title: "A & B guide",
  label: "Short name",
  trail: ["Guides"],
  description: "What the page is for.",
  sections: [
    ["First <step>", "Text of the first step.", "thv run --flag x"],
    ["Second step", "Text of the second step."],
  ],
};

function read(html: string, path = "/docs/guide") {
  return readPage({ document: parseHtml(html), path, siteUrl: "https://docs.example.org" });
}

describe("readPage", () => {
  test("the first record is the page itself, with its description and its other names", () => {
    const [head] = read(renderPage(PAGE, "/docs/guide"));

    expect(head).toMatchObject({
      type: "lvl1",
      url: "https://docs.example.org/docs/guide",
      anchor: null,
      content: "What the page is for.",
      hierarchy: { lvl0: "Guides / A and B guide", lvl1: "A & B guide", lvl2: null },
      keywords: ["Short name", "guide"],
      language: "en",
      version: ["current"],
      docusaurus_tag: "docs-default-current",
      weight: { pageRank: 1, level: 90, position: 0 },
    });
  });

  test.each([
    ["/docs/guides/run", 1],
    ["/docs/tutorials", 1],
    ["/docs/tutorials/first-steps", 0.5],
    ["/docs/reference/cli", 0],
  ])("%s has the prior %d where a page gives none", (path, pageRank) => {
    const [head] = read(renderPage(PAGE, path), path);

    expect(head?.weight.pageRank).toBe(pageRank);
  });

  test("questions belong to the page, or to the section whose anchor is before them", () => {
    const meta =
      '<meta name="docsearch:questions" content="What is it? #second-step How do I go on? And then? #first-step Where do I begin?">';
    const records = read(renderPage(PAGE, "/docs/guide").replace("</head>", `${meta}</head>`));

    expect(records.flatMap(({ anchor, type, questions }) => (questions ? [{ anchor, type, questions }] : []))).toEqual([
      { anchor: null, type: "lvl1", questions: ["What is it?"] },
      { anchor: "first-step", type: "lvl2", questions: ["Where do I begin?"] },
      { anchor: "second-step", type: "lvl2", questions: ["How do I go on?", "And then?"] },
    ]);
  });

  test("questions for a section that the page does not have are refused, with its anchor", () => {
    const meta = '<meta name="docsearch:questions" content="#third-step How do I end?">';
    const html = renderPage(PAGE, "/docs/guide").replace("</head>", `${meta}</head>`);

    expect(() => read(html)).toThrow('names questions for the section "third-step"');
  });

  test("an operation of an API heads the text of its section, below the section's title", () => {
    const body =
      '<h3 id="create">Create a server</h3><p><span>POST</span> <code>/v1/servers</code><button>Try it</button></p><p>Answers 201.</p>' +
      '<h3 id="list">List servers</h3><p>GET is safe.</p>';

    const records = read(renderPage(PAGE, "/docs/guide", body));

    const operation = records.find(({ type }) => type === "lvl4");
    expect(operation).toMatchObject({
      anchor: "create",
      hierarchy: { lvl3: "Create a server", lvl4: "POST /v1/servers" },
    });
    expect(records.find(({ content }) => content === "Answers 201.")?.hierarchy.lvl4).toBe("POST /v1/servers");
    expect(records.find(({ content }) => content === "GET is safe.")?.hierarchy.lvl4).toBeNull();
  });

  test("an operation further down in a section is a part of its text", () => {
    const body = '<h2 id="life">Walk through a life</h2><p>Create one:</p><pre>POST /v1/servers</pre><p>Wait.</p>';

    const records = read(renderPage(PAGE, "/docs/guide", body));

    expect(records.map(({ content }) => content)).toContain("Create one: POST /v1/servers Wait.");
    expect(records.map(({ hierarchy }) => hierarchy.lvl3)).not.toContain("POST /v1/servers");
  });

  test("headings and the text below them follow in order, with their anchors", () => {
    const records = read(renderPage(PAGE, "/docs/guide"));

    expect(records.map(({ type, anchor }) => [type, anchor])).toEqual([
      ["lvl1", null],
      ["content", null],
      ["lvl2", "first-step"],
      ["content", "first-step"],
      ["lvl2", "second-step"],
      ["content", "second-step"],
    ]);
    expect(records[3]?.content).toBe("Text of the first step. thv run --flag x");
    expect(records[3]?.hierarchy.lvl2).toBe("First <step>");
  });

  test("menus, breadcrumbs, hash links, buttons, pagers and footers are not text", () => {
    const text = JSON.stringify(read(renderPage(PAGE, "/docs/guide")));

    for (const chrome of ["Menu everywhere", "Next page", "Edit this page", "Copy", "Direct link", "\u200b"]) {
      expect(text).not.toContain(chrome);
    }
  });

  test("a row of a table links to its own anchor and holds all cells", () => {
    const table = `<table><tr id="all"><td><code>--all</code></td><td>bool</td><td>Everything</td></tr></table>`;
    const row = read(renderPage({ ...PAGE, sections: [["Options"]] }, "/docs/guide", table)).at(-1);

    expect(row).toMatchObject({ anchor: "all", content: "--all · bool · Everything", type: "content" });
  });

  test("hidden tabs, closed details and definition lists are read", () => {
    const body = `<div role="tabpanel" hidden><p>Windows way</p></div><details><summary>Why</summary><p>Because</p></details><dl><dt id="t">Term</dt><dd>Meaning</dd></dl>`;
    const text = JSON.stringify(read(renderPage(PAGE, "/docs/guide", body)));

    for (const expected of ["Windows way", "Why", "Because", "Term", "Meaning"]) expect(text).toContain(expected);
  });

  test("minified markup, with tags left out and attributes unquoted, is read as browsers read it", () => {
    const html = `<!doctype html><html lang=en><meta name=description content=Short><link rel=canonical href=https://x.test/docs/page><body><nav><a href=/>Menu</a></nav><main class=m><article><nav class=theme-doc-breadcrumbs><ul><li class=breadcrumbs__item><a href=/>Guides</a><li class=breadcrumbs__item><span>Page</span></ul></nav><h1>Page</h1><p>First<p>Second<table><thead><tr><th>Option<th>Meaning<tbody><tr id=all><td>--all<td>Everything</table><ul><li>One<li>Two</ul></article></main><footer>Copyright</footer>`;
    const records = read(html);

    expect(records.map(({ anchor, content }) => [anchor, content])).toEqual([
      [null, "Short"],
      [null, "First Second Option · Meaning"],
      ["all", "--all · Everything"],
      [null, "One Two"],
    ]);
    expect(records[0]?.hierarchy.lvl0).toBe("Guides / Page");
  });

  test("the lines of a card are words apart, the tokens of a code line are not", () => {
    const body = `<a href="/x"><strong>Title</strong><span>Text</span></a><pre><code><span>thv</span><span>.exe</span></code></pre>`;

    expect(read(renderPage(PAGE, "/docs/guide", body)).at(-1)?.content).toContain("Title Text thv.exe");
  });

  test("a closed details is a section under its summary, and the text after it is not", () => {
    const body = `<h2 id="trouble">Trouble</h2><details id="port"><summary>Port is in use</summary><div><p>Choose another.</p></div></details><details><summary>No engine</summary><p>Start it.</p></details><p>After all.</p>`;
    const records = read(renderPage({ ...PAGE, sections: [] }, "/docs/guide", body)).slice(-6);

    expect(records.map(({ type, anchor, hierarchy, content }) => [type, anchor, hierarchy.lvl3, content])).toEqual([
      ["lvl2", "trouble", null, null],
      ["lvl3", "port", "Port is in use", null],
      ["content", "port", "Port is in use", "Choose another."],
      ["lvl3", "trouble", "No engine", null],
      ["content", "trouble", "No engine", "Start it."],
      ["content", "trouble", null, "After all."],
    ]);
  });

  test("lines of a code block are words apart", () => {
    const body = `<pre><code><span class="token-line">first line</span><br><span class="token-line">second line</span><br></code></pre>`;

    expect(read(renderPage(PAGE, "/docs/guide", body)).at(-1)?.content).toContain("first line second line");
  });

  test("a long section becomes several records of its anchor", () => {
    const body = `<h2 id="long">Long</h2>${"<p>Some sentence that is not short at all, again and again and again.</p>".repeat(40)}`;
    const pieces = read(renderPage(PAGE, "/docs/guide", body)).filter(
      ({ anchor, type }) => anchor === "long" && type === "content",
    );

    expect(pieces.length).toBeGreaterThan(3);
    expect(Math.max(...pieces.map(({ content }) => content?.length ?? 0))).toBeLessThanOrEqual(600);
  });

  test.each(["name", "property"])("a page with robots noindex in %s is left out", (attribute) => {
    const html = renderPage(PAGE, "/docs/guide").replace(
      "<head>",
      `<head><meta ${attribute}="robots" content="noindex, follow">`,
    );

    expect(read(html)).toEqual([]);
  });

  test("a page without canonical address and title element uses its path and its heading", () => {
    const [head] = read("<main><h1>Only a heading</h1></main>", "/plain");

    expect(head).toMatchObject({ url: "https://docs.example.org/plain", hierarchy: { lvl1: "Only a heading" } });
  });

  test("records of one page have unique ids that do not change between builds", () => {
    const ids = () => read(renderPage(PAGE, "/docs/guide")).map(({ objectID }) => objectID);

    expect(new Set(ids()).size).toBe(ids().length);
    expect(ids()).toEqual(ids());
  });

  test("every fixture page has a record of its own", () => {
    for (const page of FIXTURE_PAGES) expect(read(renderPage(page, page.route))[0]?.type).toBe("lvl1");
  });
});
