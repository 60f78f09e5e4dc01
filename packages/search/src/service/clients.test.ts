import { algoliasearch } from "algoliasearch";
import { liteClient } from "algoliasearch/lite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { FIXTURE_SEGMENT } from "../testing/fixture-site.ts";
import {
  buildFixtureIndex,
  createTestFolder,
  modalRequest,
  searchPageRequests,
  startTestServer,
  type TestFolder,
  type TestServer,
} from "../testing/search-server.ts";

let folder: TestFolder;
let server: TestServer;

beforeAll(async () => {
  folder = await createTestFolder();
  const indexFile = await buildFixtureIndex(folder.path);
  server = await startTestServer({ indexFile, appId: "docs", apiKey: "public", adminKey: "admin" });
});

afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

const listHosts = (host: string) => [{ url: host, protocol: "http" as const, accept: "readWrite" as const }];

describe("the site's search client (algoliasearch/lite)", () => {
  test("gets hits for what the modal asks", async () => {
    const client = liteClient("docs", "public", { hosts: listHosts(server.host) });
    const { results } = await client.search({ requests: [modalRequest("thv run") as never] });
    const [result] = results as unknown as { hits: { url: string }[] }[];

    expect(result?.hits[0]?.url).toBe("https://docs.example.org/toolhive/reference/cli/thv_run");
  });

  test("gets three results for what the search page asks", async () => {
    const client = liteClient("docs", "public", { hosts: listHosts(server.host) });
    const { results } = await client.search({ requests: searchPageRequests("server") as never });

    expect(results).toHaveLength(3);
  });

  test("reports a wrong key at once, in the service's words", async () => {
    const client = liteClient("docs", "wrong", { hosts: listHosts(server.host) });

    await expect(client.search({ requests: [modalRequest("x") as never] })).rejects.toMatchObject({
      name: "ApiError",
      status: 403,
      message: "Invalid Application-ID or API key",
    });
  });

  test("goes to the next host when one answers 503", async () => {
    await using empty = await startTestServer({ indexFile: `${folder.path}/none` });
    const client = liteClient("docs", "public", { hosts: [...listHosts(empty.host), ...listHosts(server.host)] });
    const { results } = await client.search({ requests: [modalRequest("secrets") as never] });

    expect((results[0] as { nbHits: number }).nbHits).toBeGreaterThan(0);
  });

  test("gives up with a RetryError when every host answers 503", async () => {
    await using empty = await startTestServer({ indexFile: `${folder.path}/none` });
    const client = liteClient("docs", "public", { hosts: listHosts(empty.host) });

    await expect(client.search({ requests: [modalRequest("x") as never] })).rejects.toMatchObject({
      name: "RetryError",
    });
  });

  test("follows browsing to the end", async () => {
    const client = algoliasearch("docs", "public", { hosts: listHosts(server.host) });
    const ids = new Set<string>();
    let nbHits = 0;
    await client.browseObjects({
      indexName: FIXTURE_SEGMENT,
      browseParams: { hitsPerPage: 100 },
      aggregator: ({ hits, nbHits: total }) => {
        nbHits = total ?? 0;
        for (const { objectID } of hits) ids.add(objectID);
      },
    });

    expect(nbHits).toBeGreaterThan(500);
    expect(ids.size).toBe(nbHits);
  });
});

describe("the provider's full client (algoliasearch)", () => {
  test("replaces the served index atomically and its hits are found", async () => {
    await using own = await createTestFolder();
    const indexFile = await buildFixtureIndex(own.path);
    await using target = await startTestServer({ indexFile, adminKey: "admin" });
    const client = algoliasearch("docs", "admin", { hosts: listHosts(target.host) });
    const objects = Array.from({ length: 25 }, (_, at) => ({
      objectID: `id-${at}`,
      type: "lvl1",
      url: `https://docs.example.org/new/${at}`,
      hierarchy: { lvl0: "New", lvl1: `Uploaded page ${at} &lt;b&gt;` },
      language: "en",
      docusaurus_tag: "default",
    }));

    await client.setSettings({ indexName: FIXTURE_SEGMENT, indexSettings: { userData: { textIsHtml: true } } });
    await client.replaceAllObjects({ indexName: FIXTURE_SEGMENT, objects, batchSize: 10 });
    const { body } = await target.search([modalRequest("uploaded page 7")]);

    expect(body.results[0].hits[0]).toMatchObject({
      url: "https://docs.example.org/new/7",
      hierarchy: { lvl1: "Uploaded page 7 &lt;b&gt;" },
    });
    expect((await target.search([modalRequest("secrets")])).body.results[0].nbHits).toBe(0);
    expect((await client.listIndices()).items.map(({ name, entries }) => [name, entries])).toEqual([
      [FIXTURE_SEGMENT, 25],
    ]);
  });
});
