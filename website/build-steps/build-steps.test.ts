import { createHash } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { parse } from "parse5";
import { describe, expect, test } from "vitest";
import { collectInlineCode, contentSecurityPolicy, type InlineCode } from "./content-security-policy.ts";
import { cdnHeaders, cdnRedirects, nginxConfig, robotsFile } from "./host-files.ts";
import { MarkdownTwins } from "./markdown-twins.ts";
import { pageToMarkdown } from "./page-to-markdown.ts";
import { compressFile, listSiteFiles, toAddress } from "./site-files.ts";

function hashScript(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}

function emptyInline(): InlineCode {
  return { scripts: new Set(), styleAttributes: new Set(), styleElements: new Set() };
}

describe("contentSecurityPolicy", () => {
  test("lets a page connect to its own server, and to no other that is not named", () => {
    const writePolicy = (connectTo: readonly string[]) =>
      contentSecurityPolicy({ inline: emptyInline(), connectTo, scriptsFrom: [] });

    expect(writePolicy([])).toContain("connect-src 'self';");
    expect(writePolicy(["https://search.example.com"])).toContain("connect-src 'self' https://search.example.com;");
  });

  test("allows the inline scripts and styles of the pages by hash, and data blocks need none", () => {
    const inline = emptyInline();
    collectInlineCode(
      parse(
        '<body><script>go("x")</script><script type=application/ld+json>{}</script><script src="/a.js"></script><p style="color: red">',
      ),
      inline,
    );

    const policy = contentSecurityPolicy({ inline, connectTo: ["http://127.0.0.1:8080"], scriptsFrom: [] });

    expect(policy).toContain(`script-src 'self' ${hashScript('go("x")')};`);
    expect(policy).toContain(`style-src-attr 'unsafe-hashes' ${hashScript("color: red")};`);
    expect(policy).toContain("connect-src 'self' http://127.0.0.1:8080;");
    expect(policy).not.toContain("unsafe-inline");
  });

  test("names every kind of content, so that the rest is only what is fetched for later", () => {
    const policy = contentSecurityPolicy({ inline: emptyInline(), connectTo: [], scriptsFrom: [] });

    expect(policy).toMatch(/^default-src 'self';/);
    for (const kind of ["media", "frame", "worker", "object"]) expect(policy).toContain(`; ${kind}-src 'none'`);
    // WebKit writes into the console of every page that it does not know it.
    expect(policy).not.toContain("manifest-src");
  });

  test("allows the style attributes of markup that an inline script inserts", () => {
    const inline = emptyInline();

    collectInlineCode(parse(`<script>box.innerHTML = '<p style="margin: 20px;">'</script>`), inline);

    expect([...inline.styleAttributes]).toEqual(["margin: 20px;"]);
  });
});

describe("configuration for other hosts", () => {
  const file = { path: "404.html", type: "text/html", etag: "a", bytes: 1, encoded: {}, isImmutable: false };
  const manifest = {
    files: {},
    redirects: { "/old": "/new" },
    notFound: file,
    contentSecurityPolicy: "script-src 'self' 'sha256-abc='",
  };

  test.each([
    ["nginx", nginxConfig(manifest), `add_header Content-Security-Policy "script-src 'self' 'sha256-abc='" always;`],
    ["a CDN's headers", cdnHeaders(manifest), "  Content-Security-Policy: script-src 'self' 'sha256-abc='"],
  ])("%s carries the policy of the build and keeps hashed files for a year", (_host, text, policy) => {
    expect(text).toContain(policy);
    expect(text).toContain("max-age=31536000, immutable");
  });

  test("old addresses redirect for good", () => {
    expect(nginxConfig(manifest)).toContain("location = /old { return 301 /new; }");
    expect(cdnRedirects(manifest)).toBe("/old /new 301\n");
  });
});

test("nginx hands what programs ask for to the site's server, and robots.txt names it", () => {
  const file = { path: "404.html", type: "text/html", etag: "a", bytes: 1, encoded: {}, isImmutable: false };
  const config = nginxConfig({ files: {}, redirects: {}, notFound: file, contentSecurityPolicy: "" });

  expect(config).toContain("location ~ ^(/mcp|/mcp/server-card|/\\.well-known/ai-catalog\\.json)$ {");
  expect(robotsFile("https://docs.example.org")).toContain("# MCP server: https://docs.example.org/mcp (");
  expect(robotsFile("https://docs.example.org")).toContain("Sitemap: https://docs.example.org/sitemap.xml");
});

describe("toAddress", () => {
  test.each([
    ["index.html", "/"],
    ["toolhive/index.html", "/toolhive"],
    ["toolhive/faq/index.html", "/toolhive/faq"],
    ["assets/js/main.js", "/assets/js/main.js"],
    ["toolhive/faq.md", "/toolhive/faq.md"],
  ])("%s answers at %s", (file, address) => {
    expect(toAddress(file)).toBe(address);
  });
});

describe("the files of a site", () => {
  test("are listed without their compressed siblings, which stay where they are", async () => {
    const siteDir = await mkdtemp(path.join(tmpdir(), "site-files-"));
    try {
      const page = Buffer.from("<p>Text</p>".repeat(100));
      await writeFile(path.join(siteDir, "index.html"), page);
      const strong = await compressFile(siteDir, "index.html", page);

      expect(await listSiteFiles(siteDir)).toEqual(["index.html"]);

      expect((await readdir(siteDir)).sort()).toEqual(["index.html", "index.html.br", "index.html.gz"]);
      expect(brotliDecompressSync(await readFile(path.join(siteDir, "index.html.br")))).toEqual(page);

      const light = await compressFile(siteDir, "index.html", page, { isLight: true });
      expect({ ...light, encoded: {} }).toEqual({ ...strong, encoded: {} });
      expect(brotliDecompressSync(await readFile(path.join(siteDir, "index.html.br")))).toEqual(page);
    } finally {
      await rm(siteDir, { recursive: true });
    }
  });
});

describe("MarkdownTwins", () => {
  test("a page that says noindex has a twin and is in no list", () => {
    const twins = new MarkdownTwins({ siteUrl: "https://docs.example.org", product: "Docs", summary: "All of it." });
    const page = (title: string, head = "") => parse(`${head}<article><h1>${title}</h1></article>`);
    twins.addPage("toolhive/faq/index.html", page("Questions"));
    twins.addPage("toolhive/draft/index.html", page("Draft", '<meta name="robots" content="noindex, nofollow">'));
    twins.addPage("404.html", page("Not found"));
    twins.addLists();

    expect([...twins.files.keys()]).toEqual(["toolhive/faq.md", "toolhive/draft.md", "llms.txt", "llms-full.txt"]);
    expect(twins.files.get("llms.txt")).toBe(
      "# Docs\n\n> All of it.\n\nAn MCP server (streamable HTTP) searches these pages, reads them and explains errors: https://docs.example.org/mcp. `thv docs mcp` is the same server without a network.\n\n## Overview\n\n- [Questions](https://docs.example.org/toolhive/faq.md): \n",
    );
    expect(twins.files.get("llms-full.txt")).not.toContain("Draft");
  });
});

describe("pageToMarkdown", () => {
  const page = (body: string) =>
    pageToMarkdown(
      parse(`<meta name=description content="What it is."><article>${body}</article>`),
      "https://docs.example.org",
    );

  test("a page without an article has no Markdown", () => {
    expect(pageToMarkdown(parse("<main>Home</main>"), "https://docs.example.org")).toBeUndefined();
  });

  test("a diagram becomes the mermaid source it was drawn from", () => {
    const result = page(
      '<figure class="diagram"><section><svg><text>drawn</text></svg></section><figcaption><details><summary>Way</summary><pre>flowchart LR\n  a --&gt; b</pre></details></figcaption></figure>',
    );

    expect(result?.markdown).toBe('```mermaid title="Way"\nflowchart LR\n  a --> b\n```\n');
  });

  test("headings, emphasis, links and lists become Markdown with absolute links", () => {
    const result = page(
      '<h1>Title</h1><p>Some <strong>bold</strong> <a href="/toolhive/faq#x">text</a>.<ul><li>one<li>two <code>a</code></ul><h2>Part<a class="hash-link" href="#part">#</a></h2>',
    );

    expect(result).toEqual({
      title: "Title",
      description: "What it is.",
      markdown:
        "# Title\n\nSome **bold** [text](https://docs.example.org/toolhive/faq#x).\n\n- one\n- two `a`\n\n## Part\n",
    });
  });

  test("the page's chrome and React's comments are no text, and addresses in text stay as they are", () => {
    const result = page(
      '<div data-search-exclude=""><input type="search"> 14 rows</div><p>Wait <!-- -->2<!-- --> minutes for http://127.0.0.1:8080.</p><footer class="theme-doc-footer">Edit</footer>',
    );

    expect(result?.markdown).toBe("Wait 2 minutes for http://127.0.0.1:8080.\n");
  });

  test("code blocks keep language, title and text, and lose their button", () => {
    const result = page(
      '<div class="theme-code-block language-json"><div class="code-fence__title">a.json</div><pre><code><span class="token">{</span>}\n</code></pre><button>Copy</button></div>',
    );

    expect(result?.markdown).toBe('```json title="a.json"\n{}\n```\n');
  });

  test("tables, tabs, admonitions and cards become what they show", () => {
    const result = page(
      '<table><thead><tr><th>A<th>B<tbody><tr><td>1|2<td><code>x</code></table><div class="tabs-container"><ul><li role=tab>Linux</li></ul><div><div role=tabpanel><p>Text</p></div></div></div><div class="theme-admonition"><div>Note</div><div><p>Mind</p></div></div><div class="card-grid"><a class="doc-card" href="/a"><span class="doc-card__title">T</span><span class="doc-card__text">D</span></a></div>',
    );

    expect(result?.markdown).toBe(
      "| A | B |\n| - | - |\n| 1\\|2 | `x` |\n\n**Linux**\n\nText\n\n> Note\n>\n> Mind\n\n- [T](https://docs.example.org/a): D\n",
    );
  });
});
