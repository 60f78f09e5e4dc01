/**
 * Command: index a built site. The website's build bundles it with esbuild.
 *
 *   build-index --site-dir DIR --site-url URL --out FILE [--index-name NAME]
 */
import { parseArgs } from "node:util";
import { buildIndex } from "../indexing/build-index.ts";
import { pathFromCaller } from "./command-path.ts";

const { values } = parseArgs({
  options: {
    "site-dir": { type: "string" },
    "site-url": { type: "string" },
    out: { type: "string" },
    "index-name": { type: "string", default: "docs" },
  },
});
const { "site-dir": siteDir, "site-url": siteUrl, out: outFile, "index-name": indexName } = values;
if (siteDir === undefined || siteUrl === undefined || outFile === undefined) {
  console.error("Usage: build-index --site-dir DIR --site-url URL --out FILE [--index-name NAME]");
  process.exitCode = 64;
} else {
  const started = performance.now();
  const { records, bytes } = await buildIndex({
    siteDir: pathFromCaller(siteDir),
    siteUrl,
    outFile: pathFromCaller(outFile),
    indexName,
  });
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.error(`indexed ${records} records in ${seconds} s: ${outFile} (${(bytes / 1024).toFixed(0)} KiB)`);
}
