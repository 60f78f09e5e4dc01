/** The service behind a real HTTP server on a free port of this machine, over the fixture site's index. */
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { listen } from "@toolhive/http";
import { buildIndexData } from "../engine/index/build-index-data.ts";
import { encodeIndex } from "../engine/index/index-format.ts";
import { buildIndex } from "../indexing/build-index.ts";
import { EMPTY_HIERARCHY, toSearchRecord } from "../records/search-record.ts";
import { createSearchService, type SearchService, type SearchServiceOptions } from "../service/search-service.ts";
import { FIXTURE_SEGMENT, FIXTURE_SITE_URL, writeFixtureSite } from "./fixture-site.ts";

export interface TestFolder extends AsyncDisposable {
  readonly path: string;
}

export async function createTestFolder(): Promise<TestFolder> {
  const path = await mkdtemp(join(tmpdir(), "search-"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

/** The fixture site's index file: made once in a process, it is the same for every test. */
let fixtureIndex: Promise<Buffer> | undefined;

async function makeFixtureIndex(): Promise<Buffer> {
  await using folder = await createTestFolder();
  const outFile = join(folder.path, "index");
  const siteDir = join(folder.path, "site");
  await writeFixtureSite(siteDir);
  await buildIndex({ siteDir, siteUrl: FIXTURE_SITE_URL, outFile, indexName: FIXTURE_SEGMENT });
  return await readFile(outFile);
}

/** Puts the index of the fixture site into a folder. @returns the index file. */
export async function buildFixtureIndex(folder: string): Promise<string> {
  fixtureIndex ??= makeFixtureIndex();
  const indexFile = join(folder, "search-index");
  await writeFile(indexFile, await fixtureIndex);
  return indexFile;
}

/** An index with one page of this title and text. */
export function encodeTinyIndex(title: string, content = "", name: string = FIXTURE_SEGMENT): Uint8Array[] {
  const hierarchy = { ...EMPTY_HIERARCHY, lvl0: "Docs", lvl1: title };
  const url = "https://docs.example.org/page";
  const records = [
    toSearchRecord({ objectID: "0", url, type: "lvl1", hierarchy, language: "en", docusaurus_tag: "default" }),
    toSearchRecord({
      objectID: "1",
      url: `${url}#a`,
      type: "content",
      content,
      hierarchy,
      language: "en",
      docusaurus_tag: "default",
    }),
  ];
  return encodeIndex(buildIndexData({ indexName: name, records }));
}

export interface TestServer extends AsyncDisposable {
  readonly service: SearchService;
  /** `host:port`, as the clients' `hosts` want it. */
  readonly host: string;
  readonly origin: string;
  /** Posts to `/1/indexes/*​/queries` and answers the status and the parsed body. */
  search(requests: unknown): Promise<{ status: number; body: SearchBody }>;
  post(path: string, body: string, init?: RequestInit): Promise<Response>;
}

// biome-ignore lint/suspicious/noExplicitAny: tests read any member of an answer.
export type SearchBody = any;

export async function startTestServer(
  options: Partial<SearchServiceOptions> & Pick<SearchServiceOptions, "indexFile">,
): Promise<TestServer> {
  const service = createSearchService({ indexName: FIXTURE_SEGMENT, watchIntervalMs: 0, rateLimit: false, ...options });
  const server = createServer((request, response) => {
    void service.handle(request, response).then((isHandled) => {
      if (!isHandled) response.writeHead(404, { "x-not-ours": "yes" }).end();
    });
  });
  const host = `127.0.0.1:${await listen(server)}`;
  const origin = `http://${host}`;
  const post = (path: string, body: string, init: RequestInit = {}): Promise<Response> =>
    fetch(`${origin}${path}`, { method: "POST", body, headers: { "content-type": "text/plain" }, ...init });
  return {
    service,
    host,
    origin,
    post,
    search: async (requests) => {
      const response = await post("/1/indexes/*/queries", JSON.stringify({ requests }));
      return { status: response.status, body: await response.json() };
    },
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
      await service.close();
    },
  };
}

/** What the search modal sends for a query. */
export function modalRequest(query: string, changes: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  const levels = [1, 2, 3, 4, 5, 6].map((level) => `hierarchy.lvl${level}`);
  return {
    query,
    indexName: FIXTURE_SEGMENT,
    attributesToRetrieve: ["hierarchy.lvl0", ...levels, "content", "type", "url"],
    attributesToSnippet: [...levels, "content"].map((attribute) => `${attribute}:10`),
    snippetEllipsisText: "…",
    highlightPreTag: "<mark>",
    highlightPostTag: "</mark>",
    hitsPerPage: 20,
    clickAnalytics: false,
    facetFilters: ["language:en", ["docusaurus_tag:default", "docusaurus_tag:docs-default-current"]],
    ...changes,
  };
}

/** What the search page sends: three searches in one request. */
export function searchPageRequests(query: string, page = 0): Record<string, unknown>[] {
  const base = { indexName: FIXTURE_SEGMENT, advancedSyntax: true, query };
  const tags = ["docusaurus_tag:default", "docusaurus_tag:docs-default-current"];
  const quiet = { analytics: false, clickAnalytics: false, hitsPerPage: 0, page: 0 };
  return [
    { ...base, facetFilters: [tags, ["language:en"]], facets: ["docusaurus_tag", "language"], hitsPerPage: 15, page },
    { ...base, ...quiet, facetFilters: [["language:en"]], facets: "docusaurus_tag" },
    { ...base, ...quiet, facetFilters: [tags], facets: "language" },
  ];
}
