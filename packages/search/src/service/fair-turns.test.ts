/** Readers beside a request with many searches: counted in searches, because how long each takes depends on the machine. */
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { request as send } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { decodeIndex } from "../engine/index/index-format.ts";
import { OwnEngine } from "../engine/memory/memory-engine.ts";
import type { EngineQuery, SearchEngine } from "../engine/search-engine.ts";
import { FIXTURE_SEGMENT } from "../testing/fixture-site.ts";
import { buildFixtureIndex, createTestFolder, startTestServer, type TestFolder } from "../testing/search-server.ts";

let folder: TestFolder;
let indexFile: string;

beforeAll(async () => {
  folder = await createTestFolder();
  indexFile = await buildFixtureIndex(folder.path);
});

afterAll(async () => {
  await folder[Symbol.asyncDispose]();
});

/** Asks on a connection of its own, as every reader does who comes for the first time. */
async function ask(host: string, query: string): Promise<number | undefined> {
  const [hostname, port] = host.split(":");
  const body = JSON.stringify({ requests: [{ indexName: FIXTURE_SEGMENT, query, hitsPerPage: 5 }] });
  const request = send({ hostname, port, method: "POST", path: "/1/indexes/*/queries", agent: false });
  request.end(body);
  const [response] = await once(request, "response");
  response.resume();
  return response.statusCode;
}

test.each([1, 24])(
  "%i readers who come on connections of their own wait for few searches of a batch",
  async (count) => {
    const own = new OwnEngine({ data: decodeIndex(await readFile(indexFile)) });
    const searched: string[] = [];
    let readers: Promise<(number | undefined)[]> | undefined;
    const engine: SearchEngine = {
      name: "counting",
      version: own.version,
      settings: own.settings,
      search: (query: EngineQuery) => {
        searched.push(query.text.startsWith("reader") ? "reader" : "batch");
        if (searched.length === 10) {
          readers = Promise.all(Array.from({ length: count }, (_, at) => ask(server.host, `reader ${at}`)));
        }
        return own.search(query);
      },
    };
    await using server = await startTestServer({ indexFile, engine, cacheBytes: 0 });
    const batch = Array.from({ length: 50 }, (_, page) => ({ indexName: FIXTURE_SEGMENT, query: "a", page }));

    const { status } = await server.search(batch);
    const statuses = await readers;

    expect(status).toBe(200);
    expect(statuses).toEqual(Array(count).fill(200));
    const last = searched.lastIndexOf("reader");
    const waitedFor = searched.slice(10, last).filter((who) => who === "batch").length;
    expect(waitedFor).toBeLessThanOrEqual(2);
  },
);
