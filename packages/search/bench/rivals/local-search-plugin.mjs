/**
 * What @easyops-cn/docusaurus-search-local finds on a built site: its own reader of pages, index and search, outside a browser.
 * It is no dependency of ours, because it brings its own Docusaurus (1,200 packages); install it in a folder elsewhere:
 *
 *   npm install @easyops-cn/docusaurus-search-local@0.52.1 --ignore-scripts --legacy-peer-deps
 *   node bench/rivals/local-search-plugin.mjs THAT_FOLDER ../../website/build answers.json
 *   npm run bench -w @toolhive/search -- --site INDEX --rival-answers answers.json
 */

import { readdir, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { build } from "esbuild";
import { readQueries } from "./read-queries.mjs";

const [folder, siteDir, outFile, setFile] = process.argv.slice(2);
if (folder === undefined || siteDir === undefined || outFile === undefined) {
  console.error("Usage: local-search-plugin.mjs FOLDER SITE_DIR OUT_FILE [SET_FILE]");
  process.exit(64);
}
const require = createRequire(path.resolve(folder, "package.json"));
const packageDir = path.join(path.resolve(folder), "node_modules/@easyops-cn/docusaurus-search-local");
const { version } = JSON.parse(await readFile(path.join(packageDir, "package.json"), "utf8"));
const inPackage = (file) => path.join(packageDir, "dist", file);
const { scanDocuments } = require(inPackage("server/server/utils/scanDocuments.js"));
const { buildIndex } = require(inPackage("server/server/utils/buildIndex.js"));

/** Its defaults, with the two settings its documentation advises for code: no stop words, pages indexed too. */
const config = {
  language: ["en"],
  indexPages: true,
  removeDefaultStopWordFilter: ["en"],
  removeDefaultStemmer: false,
  ignoreCssSelectors: [],
  forceIgnoreNoIndex: false,
};
const pages = (await readdir(siteDir, { recursive: true }))
  .filter((file) => file.endsWith(".html") && file !== "404.html" && !file.startsWith("search"))
  .sort()
  .map((file) => {
    const url = `/${file.replaceAll(path.sep, "/").replace(/(^|\/)index\.html$|\.html$/, "")}`;
    return { filePath: path.join(siteDir, file), url, type: url.startsWith("/toolhive") ? "docs" : "page" };
  });
const index = buildIndex(await scanDocuments(pages, config), config);

/** Its worker, with the index in place of the one it would fetch. */
const worker = await build({
  stdin: {
    contents: `export { SearchWorker } from ${JSON.stringify(inPackage("client/client/theme/worker.js"))};`,
    resolveDir: folder,
  },
  bundle: true,
  write: false,
  platform: "node",
  format: "esm",
  plugins: [
    {
      name: "outside-a-browser",
      setup(esbuild) {
        esbuild.onResolve({ filter: /^comlink$|proxiedGeneratedConstants$/ }, ({ path: name }) => ({
          path: name,
          namespace: "stand-in",
        }));
        esbuild.onLoad({ filter: /.*/, namespace: "stand-in" }, ({ path: name }) => ({
          contents:
            name === "comlink"
              ? "export const expose = () => {};"
              : `export const searchIndexUrl = "index"; export const language = ["en"];
                 export const removeDefaultStopWordFilter = ["en"]; export const fuzzyMatchingDistance = 1;`,
        }));
      },
    },
  ],
});
globalThis.location = { origin: "http://site.invalid" };
globalThis.fetch = async () => ({ json: async () => JSON.parse(JSON.stringify(index)) });
const source = Buffer.from(worker.outputFiles[0].contents).toString("base64");
const { SearchWorker } = await import(`data:text/javascript;base64,${source}`);

const search = new SearchWorker();
const answers = {};
for (const query of await readQueries(setFile)) {
  // As many as the others are asked for; its own list shows 8.
  const hits = await search.search("http://site.invalid/", "", query, 20);
  answers[query] = hits.map(({ document }) => `http://site.invalid${document.u}`);
}
const bytes = Buffer.byteLength(JSON.stringify(index));
await writeFile(outFile, `${JSON.stringify({ engine: `local-search ${version}`, indexBytes: bytes, answers })}\n`);
console.log(
  `${pages.length} pages, index of ${bytes} bytes, ${Object.values(answers).filter((hits) => hits.length === 0).length} queries without an answer`,
);
