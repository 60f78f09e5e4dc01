/** Writes the fixture pages as Docusaurus' classic theme renders them: chrome, breadcrumbs, hash links, meta elements. */
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { escapeHtml } from "@toolhive/http/values";
import { FIXTURE_COMMANDS, FIXTURE_FLAGS } from "./fixture-commands.ts";
import { FIXTURE_PAGES, type FixturePage } from "./fixture-pages.ts";

/** The documentation's segment in the fixture. */
export const FIXTURE_SEGMENT = "toolhive";
export const FIXTURE_SITE_URL = "https://docs.example.org";

/** A page in HTML. Texts that look like a command become code blocks, as on the real site. */
export function renderPage(
  { title, label, trail, description, sections }: FixturePage,
  path: string,
  body = "",
): string {
  const crumbs = [...trail, label ?? title].map(
    (crumb) => `<li class="breadcrumbs__item"><span>${escapeHtml(crumb)}</span></li>`,
  );
  const text = sections.map(([heading, ...texts]) => {
    const id = heading
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, "-")
      .replace(/^-|-$/g, "");
    const link = `<a href="#${id}" class="hash-link" aria-label="Direct link to ${escapeHtml(heading)}">\u200b</a>`;
    const blocks = texts.map((block) =>
      /^(?:thv|kubectl|helm|brew|curl|kind|\{)/.test(block)
        ? `<div class="codeBlockContainer"><pre><code><span class="token-line">${escapeHtml(block)}</span><br></code></pre><button>Copy</button></div>`
        : `<p>${escapeHtml(block)}</p>`,
    );
    return `<h2 class="anchor" id="${id}">${escapeHtml(heading)}${link}</h2>${blocks.join("")}`;
  });
  return `<!doctype html><html lang="en"><head><title>${escapeHtml(title)} | Docs</title>
<link rel="canonical" href="https://elsewhere.example${path}">
<meta name="description" content="${escapeHtml(description)}"><meta property="og:title" content="${escapeHtml(title)} | Docs">
<meta name="docsearch:language" content="en"><meta name="docsearch:version" content="current">
<meta name="docsearch:docusaurus_tag" content="docs-default-current"></head>
<body><nav class="navbar"><a href="/">Menu everywhere</a></nav><main><article>
<nav class="theme-doc-breadcrumbs"><ul class="breadcrumbs">${crumbs.join("")}</ul></nav>
<div class="theme-doc-markdown markdown"><header><h1>${escapeHtml(title)}</h1></header><p>${escapeHtml(description)}</p>
${text.join("\n")}${body}</div><footer class="theme-doc-footer">Edit this page</footer></article>
<nav class="pagination-nav">Next page</nav></main></body></html>`;
}

function commandPages(): [path: string, html: string][] {
  return FIXTURE_COMMANDS.map(([command, summary, ...flags]) => {
    const name = `thv ${command}`.trim();
    const path = `/${FIXTURE_SEGMENT}/reference/cli/${name.replaceAll(" ", "_")}`;
    const rows = [...flags, ...(command === "" ? [] : ["--debug"])].map(
      (flag) => `<tr id="${flag.slice(2)}"><td><code>${flag}</code></td><td>${FIXTURE_FLAGS[flag] ?? ""}</td></tr>`,
    );
    const options = `<h3 id="options">Options<a class="hash-link" href="#options">\u200b</a></h3><table><thead><tr><th>Option</th><th>Meaning</th></tr></thead><tbody>${rows.join("")}</tbody></table>`;
    const page: FixturePage = {
      route: path,
      title: name,
      trail: ["Reference", "CLI commands"],
      description: summary,
      sections: [["Usage", `${name} [flags]`]],
    };
    return [path, renderPage(page, path, options)];
  });
}

/** Writes the whole site below a folder. @returns the paths of its pages. */
export async function writeFixtureSite(siteDir: string): Promise<string[]> {
  const pages: [string, string][] = FIXTURE_PAGES.map((page) => {
    const path = `/${FIXTURE_SEGMENT}${page.route}`;
    return [path, renderPage(page, path)];
  });
  pages.push(...commandPages());
  for (const [path, html] of pages) {
    const file = join(siteDir, path, "index.html");
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, html);
  }
  await writeFile(join(siteDir, "404.html"), renderPage(FIXTURE_PAGES[0] as FixturePage, "/404"));
  return pages.map(([path]) => path);
}
