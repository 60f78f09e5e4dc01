import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { FIXTURE_SEGMENT } from "../testing/fixture-site.ts";
import {
  buildFixtureIndex,
  createTestFolder,
  modalRequest,
  startTestServer,
  type TestFolder,
  type TestServer,
} from "../testing/search-server.ts";

let folder: TestFolder;
let indexFile: string;
let server: TestServer;

beforeAll(async () => {
  folder = await createTestFolder();
  indexFile = await buildFixtureIndex(folder.path);
  server = await startTestServer({ indexFile, cacheBytes: 0 });
});

afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

/** As many hits as the index has, each with all it has. */
const WHOLE = { query: "a", indexName: FIXTURE_SEGMENT, hitsPerPage: 1000 };

describe("what one search may ask for", () => {
  test.each(["highlightPreTag", "highlightPostTag", "snippetEllipsisText"])(
    "%s with more than 100 characters is refused",
    async (name) => {
      const allowed = await server.search([{ ...WHOLE, [name]: "<".repeat(100) }]);
      const { status, body } = await server.search([{ ...WHOLE, [name]: "<".repeat(60_000) }]);

      expect(allowed.status).toBe(200);
      expect([status, body.message]).toEqual([400, `${name} has 60000 characters, at most 100 are allowed`]);
    },
  );

  test.each(["attributesToRetrieve", "attributesToHighlight", "attributesToSnippet", "facets"])(
    "%s with more than 50 different names is refused, and a name counts once",
    async (name) => {
      const repeated = await server.search([{ ...WHOLE, [name]: Array(6_000).fill("content") }]);
      const { status, body } = await server.search([
        { ...WHOLE, [name]: Array.from({ length: 51 }, (_, at) => `a${at}`) },
      ]);
      const long = await server.search([{ ...WHOLE, [name]: ["a".repeat(201)] }]);

      expect(repeated.status).toBe(200);
      expect([status, body.message]).toEqual([400, `${name} has 51 names, at most 50 are allowed`]);
      expect([long.status, long.body.message]).toEqual([400, `${name} has a name with more than 200 characters`]);
    },
  );

  test("an answer is at most 8 million characters: the searches of a request share them", async () => {
    const tags = { highlightPreTag: "<".repeat(100), highlightPostTag: ">".repeat(100), attributesToHighlight: ["*"] };
    const one = await server.post("/1/indexes/*/queries", JSON.stringify({ requests: [{ ...WHOLE, ...tags }] }));
    const size = (await one.text()).length;
    const fitting = Math.floor(8_000_000 / size);
    const { status, body } = await server.search(Array(fitting + 1).fill({ ...WHOLE, ...tags }));
    const below = await server.search(Array(fitting - 1).fill({ ...WHOLE, ...tags }));

    expect(fitting).toBeLessThan(50);
    expect([status, body.message]).toEqual([
      400,
      "The answer is larger than 8000000 characters: ask for fewer hits, attributes or searches",
    ]);
    expect(below.status).toBe(200);
  });
});

describe("what a search is charged", () => {
  const burst = 20;

  test.each([
    ["20 hits", { hitsPerPage: 20 }, 20],
    ["101 hits", { hitsPerPage: 101 }, 10],
    ["1000 hits", { hitsPerPage: 1000 }, 2],
    ["1000 hits by length", { offset: 0, length: 1000 }, 2],
    ["1000 hits as encoded params", { hitsPerPage: 20, params: "hitsPerPage=1000" }, 2],
    ["a filter of 900 terms", { facetFilters: [Array.from({ length: 900 }, (_, at) => `language:x${at}`)] }, 5],
    ["more than can be had", { hitsPerPage: 1e12 }, 2],
  ])("%s", async (_name, changes, passing) => {
    await using limited = await startTestServer({ indexFile, rateLimit: { burst, perSecond: 0.001 } });
    const request = { query: "a", indexName: FIXTURE_SEGMENT, ...changes };
    const paths = {
      batch: () => limited.search([request]),
      single: () => limited.post(`/1/indexes/${FIXTURE_SEGMENT}/query`, JSON.stringify(request)),
    };
    let passed = 0;
    while ((await paths[passed % 2 === 0 ? "batch" : "single"]()).status === 200) passed += 1;

    expect(passed).toBe(passing);
  });

  test("the searches of a request are added up, and a request dearer than the bucket leaves a debt", async () => {
    let now = 0;
    await using limited = await startTestServer({ indexFile, rateLimit: { burst, perSecond: 1 }, now: () => now });
    const dear = Array(4).fill({ query: "a", indexName: FIXTURE_SEGMENT, hitsPerPage: 1000 });
    const first = await limited.search(dear);
    now = 20_000;
    const early = await limited.search([modalRequest("a")]);
    now = 21_000;
    const later = await limited.search([modalRequest("a")]);

    expect([first.status, early.status, later.status]).toEqual([200, 429, 200]);
  });

  test("of many large searches at once 32 wait, the rest is refused, and readers are answered before all of them", async () => {
    const dear = JSON.stringify({ requests: Array(5).fill(WHOLE) });
    const statuses: number[] = [];
    const large = Array.from({ length: 60 }, async () => {
      const { status } = await server.post("/1/indexes/*/queries", dear);
      statuses.push(status);
    });
    await expect.poll(() => statuses.length).toBeGreaterThan(0);
    const reader = await server.search([modalRequest("secrets")]);
    const answeredBefore = statuses.filter((status) => status === 200).length;
    await Promise.all(large);

    expect(reader.status).toBe(200);
    expect(answeredBefore).toBeLessThan(32);
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(32);
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
  });
});
