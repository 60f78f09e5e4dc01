import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { FIXTURE_SEGMENT } from "../testing/fixture-site.ts";
import {
  buildFixtureIndex,
  createTestFolder,
  modalRequest,
  type SearchBody,
  searchPageRequests,
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
  server = await startTestServer({ indexFile });
});

afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

describe("searching as the modal does", () => {
  test("hits have what the modal reads: absolute url, type, hierarchy, snippets with its tags", async () => {
    const { body } = await server.search([modalRequest("secrets management")]);
    const [result] = body.results;
    const [hit] = result.hits;

    expect(hit.url).toBe("https://docs.example.org/toolhive/guides-cli/secrets-management");
    expect(hit.type).toBe("lvl1");
    expect(hit.hierarchy).toMatchObject({
      lvl0: "CLI guides / Secrets management",
      lvl1: "Secrets management",
      lvl2: null,
    });
    expect(hit._snippetResult.hierarchy.lvl1.value).toBe("<mark>Secrets</mark> <mark>management</mark>");
    expect(hit._snippetResult.hierarchy).not.toHaveProperty("lvl2");
    expect(hit._highlightResult.hierarchy.lvl0.value).toContain("<mark>");
    expect(result).toMatchObject({ query: "secrets management", page: 0, hitsPerPage: 20, index: FIXTURE_SEGMENT });
    expect(result).not.toHaveProperty("queryID");
  });

  test("snippets keep to the asked number of words", async () => {
    const { body } = await server.search([modalRequest("docker socket", { attributesToSnippet: ["content:5"] })]);
    const content = body.results[0].hits.find((hit: { type: string }) => hit.type === "content")._snippetResult.content
      .value;

    expect(content.split(/\s+/).length).toBeLessThanOrEqual(5);
    expect(content).toContain("<mark>");
  });

  test("clickAnalytics asks for a query id, new in every answer", async () => {
    const ids = await Promise.all(
      [1, 2].map(
        async () => (await server.search([modalRequest("secrets", { clickAnalytics: true })])).body.results[0].queryID,
      ),
    );

    expect(ids[0]).toMatch(/^[0-9a-f]{32}$/);
    expect(ids[0]).not.toBe(ids[1]);
  });

  test("a page's own record is among its hits, so that the reader's recent searches work", async () => {
    const { body } = await server.search([modalRequest("store a secret")]);
    const first = body.results[0].hits[0].hierarchy.lvl1;

    expect(
      body.results[0].hits.some(
        (hit: { type: string; hierarchy: { lvl1: string } }) => hit.type === "lvl1" && hit.hierarchy.lvl1 === first,
      ),
    ).toBe(true);
  });

  test("contextual filters keep other versions and languages out", async () => {
    const { body } = await server.search([modalRequest("secrets", { facetFilters: ["language:de"] })]);

    expect(body.results[0]).toMatchObject({ hits: [], nbHits: 0, nbPages: 0 });
  });
});

describe("searching as the search page does", () => {
  test("three searches are answered in order, with the index's own highlight tags", async () => {
    const { body } = await server.search(searchPageRequests("server"));
    const [list, tags, languages] = body.results;

    expect(list.hits).toHaveLength(15);
    expect(list.hits[0]._highlightResult.hierarchy.lvl1.value).toContain(
      '<span class="algolia-docsearch-suggestion--highlight">',
    );
    expect(Object.keys(list.hits[0]._highlightResult.hierarchy)).toEqual(
      Object.keys(list.hits[0]._highlightResult.hierarchy).sort(),
    );
    expect(list.facets).toMatchObject({
      language: { en: list.nbHits },
      docusaurus_tag: { "docs-default-current": list.nbHits },
    });
    expect(tags).toMatchObject({
      hits: [],
      hitsPerPage: 0,
      nbPages: 0,
      facets: { docusaurus_tag: { "docs-default-current": list.nbHits } },
    });
    expect(languages.facets).toEqual({ language: { en: list.nbHits } });
  });

  test("pages follow one another to the end", async () => {
    const first = (await server.search(searchPageRequests("server"))).body.results[0];
    const urls = new Set<string>();
    for (let page = 0; page < first.nbPages; page++) {
      for (const hit of (await server.search(searchPageRequests("server", page))).body.results[0].hits)
        urls.add(hit.url);
    }

    expect(urls.size).toBe(first.nbHits);
  });

  test.each(["Sëcret  ", "<b>", "  ", "🙂", "a\u0000b", 'say "hi"'])(
    "the query %j comes back unchanged",
    async (query) => {
      expect((await server.search(searchPageRequests(query))).body.results[0].query).toBe(query);
    },
  );
});

describe("other forms of requests", () => {
  test.each([
    ["params as text", { params: "query=secrets&hitsPerPage=3&attributesToRetrieve=url" }],
    ["params as an object", { params: { query: "secrets", hitsPerPage: 3, attributesToRetrieve: "url" } }],
    ["lists as JSON text", { query: "secrets", hitsPerPage: "3", attributesToRetrieve: '["url"]' }],
    ["unknown parameters", { query: "secrets", hitsPerPage: 3, attributesToRetrieve: ["url"], aroundLatLng: "1,2" }],
  ])("%s", async (_, fields) => {
    const { body } = await server.search([{ indexName: FIXTURE_SEGMENT, ...fields }]);
    const [hit] = body.results[0].hits;

    expect(body.results[0].hits).toHaveLength(3);
    expect(Object.keys(hit).sort()).toEqual(
      ["_highlightResult", "_snippetResult", "objectID", "url"].filter((key) => key in hit).sort(),
    );
  });

  test("one index can be asked by its own path", async () => {
    const response = await server.post(`/1/indexes/${FIXTURE_SEGMENT}/query`, JSON.stringify({ query: "secrets" }));

    expect(((await response.json()) as SearchBody).nbHits).toBeGreaterThan(0);
  });

  test("a facet's values can be searched", async () => {
    const response = await server.post(
      `/1/indexes/${FIXTURE_SEGMENT}/facets/type/query`,
      JSON.stringify({ facetQuery: "lvl" }),
    );
    const { facetHits } = (await response.json()) as SearchBody;

    expect(facetHits.map(({ value }: { value: string }) => value)).toEqual(["lvl1"]);
  });

  test("a search by GET has an entity tag and is not sent twice", async () => {
    const url = `${server.origin}/1/indexes/${FIXTURE_SEGMENT}?query=secrets`;
    const first = await fetch(url);
    const again = await fetch(url, { headers: { "if-none-match": first.headers.get("etag") ?? "" } });

    expect([first.status, again.status]).toEqual([200, 304]);
    expect(await again.text()).toBe("");
  });

  test("an empty list of requests has an empty list of results", async () => {
    expect((await server.search([])).body).toEqual({ results: [] });
  });
});

describe("credentials", () => {
  test("a wrong application or key is 403; names in any case, in query or headers", async () => {
    await using guarded = await startTestServer({ indexFile, appId: "APP", apiKey: "KEY" });
    const body = JSON.stringify({ requests: [modalRequest("secrets")] });
    const postForStatus = async (query: string, headers: Record<string, string> = {}): Promise<number> =>
      (await guarded.post(`/1/indexes/*/queries${query}`, body, { headers })).status;

    expect(await postForStatus("")).toBe(403);
    expect(await postForStatus("?x-algolia-application-id=APP&x-algolia-api-key=no")).toBe(403);
    expect(await postForStatus("?x-algolia-application-id=no&x-algolia-api-key=KEY")).toBe(403);
    expect(await postForStatus("?X-Algolia-Application-Id=APP&X-Algolia-API-Key=KEY&x-algolia-request-id=1")).toBe(200);
    expect(await postForStatus("", { "X-Algolia-Application-Id": "APP", "X-Algolia-API-Key": "KEY" })).toBe(200);
  });
});
