/**
 * Command: upload an index file to a hosted application, or into an OpenSearch cluster. Keys and passwords are read from the
 * environment, never from an argument.
 *
 *   search:push --index FILE --app-id ID [--index-name NAME] [--url ORIGIN]      with TOOLHIVE_SEARCH_ADMIN_KEY set
 *   search:push --index FILE --opensearch [--shards N] [--replicas N]            with SEARCH_OPENSEARCH_URLS set, as for the site
 */
import { readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { decodeIndex, type IndexData } from "../engine/index/index-format.ts";
import { replaceOpenSearchIndex } from "../engine/opensearch/index-upload.ts";
import { OpenSearchError } from "../engine/opensearch/open-search-error.ts";
import { readOpenSearchSettings } from "../engine/opensearch/settings.ts";
import { PushError, pushIndex } from "../indexing/push-index.ts";
import { pathFromCaller } from "./command-path.ts";

const USAGE = `Usage: search:push --index FILE --app-id ID [--index-name NAME] [--url ORIGIN]
       search:push --index FILE --opensearch [--shards N] [--replicas N]
The key that may write to an application comes from TOOLHIVE_SEARCH_ADMIN_KEY.
The addresses of a cluster come from SEARCH_OPENSEARCH_URLS, and its alias from SEARCH_OPENSEARCH_ALIAS.`;

/** More shards than this make every search of a site's size slower. */
const MAX_SHARDS = 100;

class UsageError extends Error {}

try {
  console.log(await push());
} catch (error) {
  if (error instanceof UsageError || (error instanceof TypeError && "code" in error)) {
    console.error(`Error: ${error.message}\n${USAGE}`);
    process.exitCode = 64;
  } else if (error instanceof PushError || error instanceof OpenSearchError) {
    console.error(`Error: ${error.message}`);
    process.exitCode = 1;
  } else throw error;
}

/** @returns What is served now. */
async function push(): Promise<string> {
  const { values } = parseArgs({
    options: {
      index: { type: "string" },
      "app-id": { type: "string" },
      "index-name": { type: "string" },
      url: { type: "string" },
      opensearch: { type: "boolean" },
      shards: { type: "string" },
      replicas: { type: "string" },
    },
  });
  const { index, "app-id": appId } = values;
  if (index === undefined) throw new UsageError("--index is missing");
  if (values.opensearch === true) {
    const shape = {
      ...(values.shards === undefined ? {} : { shards: readCount("--shards", values.shards, 1) }),
      ...(values.replicas === undefined ? {} : { replicas: readCount("--replicas", values.replicas, 0) }),
    };
    return await pushToCluster(await readIndex(index), shape);
  }
  const adminKey = process.env.TOOLHIVE_SEARCH_ADMIN_KEY ?? "";
  if (appId === undefined) throw new UsageError("--app-id or --opensearch is missing");
  if (adminKey === "") throw new UsageError("TOOLHIVE_SEARCH_ADMIN_KEY is not set");
  const data = await readIndex(index);
  const indexName = values["index-name"] ?? data.meta.indexName;
  const url = values.url ?? `https://${appId}.algolia.net`;
  const records = await pushIndex({ data, url, appId, adminKey, indexName });
  return `${records} records are served as ${indexName}`;
}

async function pushToCluster(
  data: IndexData,
  shape: { readonly shards?: number; readonly replicas?: number },
): Promise<string> {
  const settings = readOpenSearchSettings(process.env, data.meta.indexName);
  if (settings === undefined) throw new UsageError("SEARCH_OPENSEARCH_URLS is not set");
  const { urls, alias } = settings;
  await replaceOpenSearchIndex(data, { urls, alias, ...shape });
  return `${data.meta.pageCount} pages with ${data.meta.recordCount} records are served as ${alias}`;
}

async function readIndex(file: string): Promise<IndexData> {
  return decodeIndex(await readFile(pathFromCaller(file)));
}

function readCount(flag: string, text: string, least: number): number {
  const count = Number(text);
  if (Number.isInteger(count) && count >= least && count <= MAX_SHARDS) return count;
  throw new UsageError(`${flag} is "${text}": use a number from ${least} to ${MAX_SHARDS}`);
}
