import { describe, expect, test } from "vitest";
import { FIXTURE_SEGMENT } from "../testing/fixture-site.ts";
import {
  buildFixtureIndex,
  createTestFolder,
  modalRequest,
  type SearchBody,
  startTestServer,
  type TestServer,
} from "../testing/search-server.ts";

const ADMIN = "?x-algolia-api-key=admin";

async function call(
  server: TestServer,
  method: string,
  path: string,
  body?: unknown,
): Promise<{ status: number; body: SearchBody }> {
  const response = await fetch(`${server.origin}${path}`, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}

const page = (objectID: string, title: string) => ({
  objectID,
  url: `https://x.test/${objectID}`,
  hierarchy: { lvl1: title },
  type: "lvl1",
});

const upload = (name: string, ...titles: string[]) =>
  [
    `/1/indexes/${name}/batch${ADMIN}`,
    { requests: titles.map((title, at) => ({ action: "addObject", body: page(`${at}`, title) })) },
  ] as const;

describe("uploads", () => {
  test("searches are answered while a large upload is indexed, of the old index until the new one is whole", async () => {
    await using folder = await createTestFolder();
    const indexFile = await buildFixtureIndex(folder.path);
    await using server = await startTestServer({ indexFile, adminKey: "admin", cacheBytes: 0 });
    const requests = Array.from({ length: 8_000 }, (_, at) => ({
      action: "addObject",
      body: { ...page(`${at}`, `Zanzibar page ${at}`), content: `some words about number${at} and its neighbours` },
    }));
    await call(server, "POST", `/1/indexes/tmp/batch${ADMIN}`, { requests });
    const totalIn = async (indexName: string): Promise<number> =>
      (await server.search([modalRequest("zanzibar", { indexName, facetFilters: [] })])).body.results[0].nbHits;
    /** What searches of the served index find until some work is done. */
    const totalsDuring = async (work: Promise<unknown>): Promise<number[]> => {
      let isDone = false;
      const done = work.finally(() => {
        isDone = true;
      });
      const totals: number[] = [];
      while (!isDone) totals.push(await totalIn(FIXTURE_SEGMENT));
      await done;
      return totals;
    };

    // The first search of a temporary index builds it: nothing else is waited for meanwhile.
    const whileBuilt = await totalsDuring(totalIn("tmp"));
    const whileMoved = await totalsDuring(
      call(server, "POST", `/1/indexes/tmp/operation${ADMIN}`, { operation: "move", destination: FIXTURE_SEGMENT }),
    );

    expect(whileBuilt.length).toBeGreaterThan(8);
    expect([...new Set(whileBuilt)]).toEqual([0]);
    expect(whileMoved.filter((total) => total !== 0 && total !== 8_000)).toEqual([]);
    expect(await totalIn(FIXTURE_SEGMENT)).toBe(8_000);
  });

  test("a temporary index is filled, searched, moved over the served one and survives a restart", async () => {
    await using folder = await createTestFolder();
    const indexFile = await buildFixtureIndex(folder.path);
    await using server = await startTestServer({ indexFile, adminKey: "admin" });

    const filled = await call(server, "POST", ...upload("tmp", "Zanzibar page", "Beta page"));
    const before = await server.search([modalRequest("zanzibar", { indexName: "tmp", facetFilters: [] })]);
    const untouched = await server.search([modalRequest("zanzibar", { facetFilters: [] })]);
    const moved = await call(server, "POST", `/1/indexes/tmp/operation${ADMIN}`, {
      operation: "move",
      destination: FIXTURE_SEGMENT,
    });
    const after = await server.search([modalRequest("zanzibar", { facetFilters: [] })]);
    const gone = await server.search([modalRequest("zanzibar", { indexName: "tmp" })]);
    await using restarted = await startTestServer({ indexFile });
    const kept = await restarted.search([modalRequest("beta", { facetFilters: [] })]);

    expect(filled.body).toEqual({ objectIDs: ["0", "1"], taskID: expect.any(Number) });
    expect([before, after, kept].map(({ body }) => body.results[0].nbHits)).toEqual([1, 1, 1]);
    expect(untouched.body.results[0].nbHits).toBe(0);
    expect([moved.status, gone.status]).toEqual([200, 404]);
  });

  test("objects are updated, completed and deleted in the served index", async () => {
    await using folder = await createTestFolder();
    await using server = await startTestServer({ indexFile: `${folder.path}/index`, adminKey: "admin" });
    await call(server, "POST", ...upload(FIXTURE_SEGMENT, "Alpha", "Beta", "Gamma"));
    await call(server, "POST", `/1/indexes/${FIXTURE_SEGMENT}/batch${ADMIN}`, {
      requests: [
        { action: "deleteObject", body: { objectID: "0" } },
        { action: "partialUpdateObject", body: { objectID: "1", hierarchy: { lvl1: "Delta" } } },
        { action: "partialUpdateObjectNoCreate", body: { objectID: "9", hierarchy: { lvl1: "Never" } } },
      ],
    });

    const { body } = await call(server, "GET", `/1/indexes/${FIXTURE_SEGMENT}/browse${ADMIN}`);

    expect(body.hits.map((hit: SearchBody) => [hit.objectID, hit.hierarchy.lvl1])).toEqual([
      ["1", "Delta"],
      ["2", "Gamma"],
    ]);
  });

  test("a batch with a mistake changes nothing", async () => {
    await using folder = await createTestFolder();
    await using server = await startTestServer({ indexFile: `${folder.path}/index`, adminKey: "admin" });
    await call(server, "POST", ...upload("tmp", "Alpha"));
    const failed = await call(server, "POST", `/1/indexes/tmp/batch${ADMIN}`, {
      requests: [{ action: "clear" }, { action: "explode", body: { objectID: "1" } }],
    });

    expect(failed.status).toBe(400);
    expect((await call(server, "GET", `/1/indexes/tmp/browse${ADMIN}`)).body.nbHits).toBe(1);
  });

  test("settings change how the index answers, and have an entity tag", async () => {
    await using folder = await createTestFolder();
    const indexFile = await buildFixtureIndex(folder.path);
    await using server = await startTestServer({ indexFile, adminKey: "admin" });
    const put = await call(server, "PUT", `/1/indexes/${FIXTURE_SEGMENT}/settings${ADMIN}`, {
      hitsPerPage: 3,
      highlightPreTag: "<b>",
      highlightPostTag: "</b>",
    });
    const { body } = await server.search([{ indexName: FIXTURE_SEGMENT, query: "secrets" }]);
    const first = await fetch(`${server.origin}/1/indexes/${FIXTURE_SEGMENT}/settings`);
    const again = await fetch(`${server.origin}/1/indexes/${FIXTURE_SEGMENT}/settings`, {
      headers: { "if-none-match": first.headers.get("etag") ?? "" },
    });

    expect(put.status).toBe(200);
    expect(body.results[0].hits).toHaveLength(3);
    expect(JSON.stringify(body.results[0].hits)).toContain("<b>");
    expect([first.status, again.status]).toEqual([200, 304]);
  });

  test("a cursor of an index that was replaced is refused", async () => {
    await using folder = await createTestFolder();
    const indexFile = await buildFixtureIndex(folder.path);
    await using server = await startTestServer({ indexFile, adminKey: "admin" });
    const { body } = await call(server, "POST", `/1/indexes/${FIXTURE_SEGMENT}/browse${ADMIN}`, { hitsPerPage: 5 });
    await call(server, "POST", ...upload(FIXTURE_SEGMENT, "Another page"));
    const next = await call(server, "POST", `/1/indexes/${FIXTURE_SEGMENT}/browse${ADMIN}`, { cursor: body.cursor });

    expect(next).toMatchObject({ status: 400, body: { message: expect.stringContaining("out of date") } });
  });

  test.each([
    ["POST", `/1/indexes/${FIXTURE_SEGMENT}/batch`, { requests: [] }],
    ["PUT", `/1/indexes/${FIXTURE_SEGMENT}/settings`, {}],
    ["POST", `/1/indexes/${FIXTURE_SEGMENT}/clear`, {}],
    ["POST", `/1/indexes/tmp/operation`, { operation: "move", destination: FIXTURE_SEGMENT }],
    ["DELETE", "/1/indexes/tmp", undefined],
    ["GET", "/1/indexes", undefined],
  ])("%s %s needs the admin key", async (method, path, body) => {
    await using folder = await createTestFolder();
    await using keyed = await startTestServer({
      indexFile: `${folder.path}/index`,
      adminKey: "admin",
      apiKey: "public",
    });
    await using keyless = await startTestServer({ indexFile: `${folder.path}/index` });

    expect((await call(keyed, method, `${path}?x-algolia-api-key=public`, body)).status).toBe(403);
    expect((await call(keyless, method, `${path}${ADMIN}`, body)).status).toBe(403);
  });

  test("too many temporary indexes are refused", async () => {
    await using folder = await createTestFolder();
    await using server = await startTestServer({ indexFile: `${folder.path}/index`, adminKey: "admin" });
    const statuses: number[] = [];
    for (let at = 0; at < 9; at++) statuses.push((await call(server, "POST", ...upload(`tmp${at}`, "Page"))).status);

    expect(statuses).toEqual([...Array(8).fill(200), 400]);
  });
});
