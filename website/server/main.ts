/**
 * Starts the site: `node website/dist/server.mjs`.
 *
 * | Variable             | Default                            | Meaning                                               |
 * |----------------------|------------------------------------|-------------------------------------------------------|
 * | `PORT`               | `3000`                             | Port to listen on; `0` lets the system choose.        |
 * | `HOST`               | `localhost`                        | Address to listen on.                                 |
 * | `ACCESS_LOG`         | `on`                               | `off` prints no line per request.                     |
 * | `SEARCH_EVENTS_FILE` | `website/.data/search-events.ndjson` | What readers search, without personal data; `off` keeps nothing. |
 * | `MCP_HOSTS`          |                                    | Other host names under which `/mcp` may be asked, separated by commas. |
 * | `SEARCH_OPENSEARCH_URLS` |                | Nodes of an OpenSearch cluster that answers searches, separated by commas. |
 * | `SEARCH_OPENSEARCH_ALIAS` | name of the index | Alias that `search:push --opensearch` fills. |
 * | `SEARCH_OPENSEARCH_DEADLINE_MS` | `2000`  | For one search; after it, the site's own index answers. |
 */
import { readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { BRAND } from "@toolhive/core/brand";
import { describeError, readSystemCode } from "@toolhive/core/errors";
import { listen } from "@toolhive/http";
import {
  createSearchService,
  OpenSearchEngine,
  OpenSearchError,
  readOpenSearchSettings,
  type SearchLog,
} from "@toolhive/search";
import { DocsService } from "./docs-service.ts";
import { DocsStore } from "./docs-store.ts";
import { findEventsFile } from "./events-file.ts";
import type { SiteManifest } from "./site-manifest.ts";
import { createSiteServer } from "./site-server.ts";

const EXIT_USAGE = 64;
const EXIT_PORT_IN_USE = 7;
const EXIT_NOT_BUILT = 66;

const distDir = path.dirname(fileURLToPath(import.meta.url));
const siteDir = path.join(distDir, "../build");

function fail(message: string, hint: string, code: number): never {
  process.stderr.write(`${message}\nHint: ${hint}\n`);
  process.exit(code);
}

function readPort(text: string | undefined): number {
  if (text === undefined || text === "") return 3000;
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  return fail(`PORT is "${text}", which is not a port number.`, "Use a number from 0 to 65535: PORT=3001", EXIT_USAGE);
}

function readManifest(): SiteManifest {
  try {
    return JSON.parse(readFileSync(path.join(distDir, "site-manifest.json"), "utf8")) as SiteManifest;
  } catch (error) {
    return fail(
      `The site is not built: ${describeError(error)}`,
      "Build it first: npm run build -w @toolhive/website",
      EXIT_NOT_BUILT,
    );
  }
}

const port = readPort(process.env.PORT);
const host = process.env.HOST || "localhost";
const hasAccessLog = process.env.ACCESS_LOG !== "off";

function logLine(level: string, text: string): void {
  process.stderr.write(`${new Date().toISOString()} ${level} ${text}\n`);
}

function searchLogAt(level: string): SearchLog["info"] {
  return (fields, message) => logLine(level, `${message} ${JSON.stringify(fields)}`);
}

/** Undefined where the site's own index answers alone. */
function connectOpenSearch(): OpenSearchEngine | undefined {
  try {
    const settings = readOpenSearchSettings(process.env, BRAND.search.indexName);
    return settings === undefined ? undefined : new OpenSearchEngine(settings);
  } catch (error) {
    if (!(error instanceof OpenSearchError)) throw error;
    return fail(error.message, "Unset SEARCH_OPENSEARCH_URLS to search the site's own index.", EXIT_USAGE);
  }
}

const openSearch = connectOpenSearch();
const eventsFile = findEventsFile(process.env.SEARCH_EVENTS_FILE, distDir);
const searchLog: SearchLog = { info: searchLogAt("info"), warn: searchLogAt("warn"), error: searchLogAt("error") };
const search = createSearchService({
  indexFile: path.join(distDir, "search-index.bin"),
  indexName: BRAND.search.indexName,
  log: searchLog,
  ...(eventsFile === undefined ? {} : { eventsFile }),
  ...(openSearch === undefined ? {} : { engine: openSearch }),
});
const onError = (error: unknown): void => {
  logLine("error", error instanceof Error ? (error.stack ?? error.message) : String(error));
};
const docs = new DocsService({
  store: new DocsStore({ file: path.join(distDir, "docs.pack"), search, log: searchLog }),
  search,
  siteUrl: BRAND.siteUrl,
  hosts: (process.env.MCP_HOSTS ?? "")
    .split(",")
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== ""),
  onError,
});
const site = createSiteServer({
  siteDir,
  manifest: readManifest(),
  services: [search, docs],
  onAccess: ({ method, path: requested, status, durationMs }) => {
    if (!hasAccessLog) return;
    process.stdout.write(`${new Date().toISOString()} ${status} ${method} ${requested} ${durationMs.toFixed(1)}ms\n`);
  },
  onError,
});

/** Says why the site cannot listen. */
function failToListen(error: unknown): never {
  if (readSystemCode(error) === "EADDRINUSE") {
    fail(
      `Port ${port} on ${host} is in use by another program.`,
      `Choose another port: PORT=${port + 1}`,
      EXIT_PORT_IN_USE,
    );
  }
  if (readSystemCode(error) === "EACCES") {
    fail(`Port ${port} may not be opened by this user.`, "Choose a port above 1023: PORT=3000", EXIT_PORT_IN_USE);
  }
  if (readSystemCode(error) === "ENOTFOUND" || readSystemCode(error) === "EADDRNOTAVAIL") {
    fail(
      `HOST is "${host}", which is not an address of this machine.`,
      "Use HOST=localhost or HOST=0.0.0.0",
      EXIT_USAGE,
    );
  }
  throw error;
}

const actualPort = await listen(site.http, { host, port }).catch(failToListen);
process.stdout.write(`Site: http://${host}:${actualPort}\n`);

let isStopping = false;
async function stop(): Promise<void> {
  if (isStopping) return;
  isStopping = true;
  await site.close();
  await search.close();
  openSearch?.[Symbol.dispose]();
  process.exit(0);
}
process.on("SIGTERM", stop);
process.on("SIGINT", stop);
