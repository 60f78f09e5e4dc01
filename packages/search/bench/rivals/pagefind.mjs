/**
 * What Pagefind finds on a built site: its own reader of pages, index and search, outside a browser. Install it here first
 * (`npm install --prefix packages/search/bench/rivals`), then:
 *
 *   node bench/rivals/pagefind.mjs SITE_DIR OUT_FILE [SET_FILE]
 */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { close, createIndex } from "pagefind";
import { readQueries } from "./read-queries.mjs";

const [siteDir, outFile, setFile] = process.argv.slice(2);
if (siteDir === undefined || outFile === undefined) {
  console.error("Usage: pagefind.mjs SITE_DIR OUT_FILE [SET_FILE]");
  process.exit(64);
}
const folder = await mkdtemp(path.join(tmpdir(), "pagefind-"));
try {
  // The article of a page, as its documentation advises; navigation around it would be found everywhere.
  const { index } = await createIndex({ rootSelector: "article", includeCharacters: "-_." });
  const { page_count: pages } = await index.addDirectory({ path: siteDir });
  await index.writeFiles({ outputPath: folder });
  await close();

  const served = globalThis.fetch;
  globalThis.fetch = async (address, init) => {
    const url = new URL(String(address), pathToFileURL(`${folder}/`));
    if (url.protocol !== "file:") return served(address, init);
    url.search = "";
    return new Response(await readFile(fileURLToPath(url)));
  };
  globalThis.window ??= globalThis;
  globalThis.location ??= { href: "http://site.invalid/", origin: "http://site.invalid" };
  globalThis.document ??= {
    querySelector: () => null,
    currentScript: null,
    documentElement: { lang: "en", getAttribute: () => "en" },
  };
  const pagefind = await import(pathToFileURL(path.join(folder, "pagefind.js")).href);
  await pagefind.options({ basePath: pathToFileURL(`${folder}/`).href, baseUrl: "/" });
  await pagefind.init();
  const answers = {};
  for (const query of await readQueries(setFile)) {
    const { results } = await pagefind.search(query);
    const urls = [];
    for (const result of results.slice(0, 20)) {
      const { url, sub_results: sections } = await result.data();
      // Its list shows the sections of a page under the page.
      const best = [...sections].sort((a, b) => b.locations.length - a.locations.length)[0];
      urls.push(new URL((best?.url ?? url).replace(/\.html(?=#|$)/, ""), "http://site.invalid").href);
    }
    answers[query] = urls;
  }
  await writeFile(outFile, `${JSON.stringify({ engine: "Pagefind 1.6.0", answers })}\n`);
  console.log(
    `${pages} pages, ${Object.values(answers).filter((urls) => urls.length === 0).length} queries without an answer`,
  );
} finally {
  await rm(folder, { recursive: true, force: true });
}
process.exit(0);
