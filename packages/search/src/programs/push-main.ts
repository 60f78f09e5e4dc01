/**
 * Command: upload an index file to a hosted application. The admin key comes from the environment, never from an argument.
 *
 *   search:push --index FILE --app-id ID [--index-name NAME] [--url ORIGIN]      with TOOLHIVE_SEARCH_ADMIN_KEY set
 */
import { readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { decodeIndex } from "../engine/index/index-format.ts";
import { PushError, pushIndex } from "../indexing/push-index.ts";
import { pathFromCaller } from "./command-path.ts";

const { values } = parseArgs({
  options: {
    index: { type: "string" },
    "app-id": { type: "string" },
    "index-name": { type: "string" },
    url: { type: "string" },
  },
});
const adminKey = process.env.TOOLHIVE_SEARCH_ADMIN_KEY ?? "";
const { index, "app-id": appId } = values;
if (index === undefined || appId === undefined || adminKey === "") {
  console.error("Usage: search:push --index FILE --app-id ID [--index-name NAME] [--url ORIGIN]");
  console.error("The key that may write comes from TOOLHIVE_SEARCH_ADMIN_KEY.");
  process.exitCode = 64;
} else {
  try {
    const data = decodeIndex(await readFile(pathFromCaller(index)));
    const indexName = values["index-name"] ?? data.meta.indexName;
    const url = values.url ?? `https://${appId}.algolia.net`;
    const records = await pushIndex({ data, url, appId, adminKey, indexName });
    console.log(`${records} records are served as ${indexName}`);
  } catch (error) {
    if (!(error instanceof PushError)) throw error;
    console.error(`Error: ${error.message}`);
    process.exitCode = 1;
  }
}
