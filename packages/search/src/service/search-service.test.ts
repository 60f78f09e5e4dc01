import { once } from "node:events";
import { rm, writeFile } from "node:fs/promises";
import { request as httpRequest } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { buildIndexData } from "../engine/index/build-index-data.ts";
import { encodeIndex } from "../engine/index/index-format.ts";
import { withDefaults } from "../engine/index-settings.ts";
import { EngineError, type SearchEngine } from "../engine/search-engine.ts";
import { EMPTY_HIERARCHY, toSearchRecord } from "../records/search-record.ts";
import { writeFileAtomically } from "../support/atomic-write.ts";
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

/** An index with one page of this title and text. */
function tinyIndex(title: string, content = "", name: string = FIXTURE_SEGMENT): Uint8Array[] {
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

describe("bad input", () => {
  const LONG = "x".repeat(10_000);
  test.each([
    ["nothing", ""],
    ["one letter", "s"],
    ["64 letters", "s".repeat(64)],
    ["10,000 letters", LONG],
    ["emoji", "👩‍💻🚀"],
    ["right-to-left", "‮أسرار סוד"],
    ["control characters", "\u0001\u0002sec\u0007rets\u001b[31m"],
    ["lone surrogates", "\ud800secrets\udfff"],
    ["leading dashes", "--secret -f ---"],
    ["quotes", `"unclosed 'quote" "`],
    ["only stop words", "how to the and"],
    ["operators", "AND OR NOT (secret) * ? ~2 ^5 field:x"],
    ["a pattern that would be slow", `${"a".repeat(60)}!`],
  ])("a query of %s is answered", async (_, query) => {
    const { status, body } = await server.search([modalRequest(query)]);

    expect(status).toBe(200);
    expect(Array.isArray(body.results[0].hits)).toBe(true);
  });

  test("markup in the query appears nowhere in the answer's HTML", async () => {
    const { body } = await server.search([modalRequest("<script>alert(1)</script> secrets")]);

    expect(JSON.stringify(body.results[0].hits)).not.toContain("<script");
  });

  test("markup in the content arrives escaped, raw and highlighted", async () => {
    await using own = await createTestFolder();
    const file = join(own.path, "index");
    await writeFileAtomically(
      file,
      tinyIndex("Use <img src=x onerror=alert(1)>", 'Say "<script>alert(2)</script>" & go'),
    );
    await using evil = await startTestServer({ indexFile: file });

    const { body } = await evil.search([modalRequest("alert")]);
    const text = JSON.stringify(body.results[0].hits);

    expect(body.results[0].hits).toHaveLength(2);
    expect(text).not.toMatch(/<(?!\/?mark>)/);
    expect(body.results[0].hits[0].hierarchy.lvl1).toBe("Use &lt;img src=x onerror=alert(1)&gt;");
  });

  test.each([
    ["malformed JSON", "{requests:", 400, "Request body is not valid JSON"],
    ["an empty body", "", 400, "Request body is not valid JSON"],
    ["no list of requests", "{}", 400, "requests must be an array"],
    ["a list for a body", "[]", 400, "requests must be an array"],
    ["null", "null", 400, "requests must be an array"],
    ["a request that is text", '{"requests":["x"]}', 400, "every request must be an object"],
    ["no index", '{"requests":[{"query":"x"}]}', 400, "indexName is missing"],
    ["an unknown index", '{"requests":[{"indexName":"nope","query":"x"}]}', 404, "Index nope does not exist"],
    [
      "a negative page",
      `{"requests":[{"indexName":"${FIXTURE_SEGMENT}","page":-1}]}`,
      400,
      "page must be a whole number, 0 or more",
    ],
    [
      "a page that is text",
      `{"requests":[{"indexName":"${FIXTURE_SEGMENT}","page":"x"}]}`,
      400,
      "page must be a whole number, 0 or more",
    ],
    [
      "a query that is a list",
      `{"requests":[{"indexName":"${FIXTURE_SEGMENT}","query":["x"]}]}`,
      400,
      "query must be a string",
    ],
    [
      "a filter without value",
      `{"requests":[{"indexName":"${FIXTURE_SEGMENT}","facetFilters":["x"]}]}`,
      400,
      /attribute:value/,
    ],
  ])("%s is refused in the provider's words", async (_, body, status, message) => {
    const response = await server.post("/1/indexes/*/queries", body);

    expect(response.status).toBe(status);
    expect(await response.json()).toEqual({
      message: typeof message === "string" ? message : expect.stringMatching(message),
      status,
    });
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
  });

  test("names that every object has are ordinary names", async () => {
    const names = ["constructor", "__proto__", "toString"];
    const { status, body } = await server.search([
      modalRequest("secrets", {
        facetFilters: names.map((name) => `${name}:-x`),
        facets: names,
        attributesToRetrieve: names,
      }),
    ]);
    const none = await server.search([modalRequest("secrets", { facetFilters: ["constructor:x"] })]);

    expect([status, none.status, none.body.results[0].nbHits]).toEqual([200, 200, 0]);
    expect(body.results[0].nbHits).toBeGreaterThan(0);
    expect(body.results[0].facets).toEqual({});
  });

  test("1,000 requests in one batch are refused", async () => {
    const { status, body } = await server.search(Array.from({ length: 1_000 }, () => ({ indexName: FIXTURE_SEGMENT })));

    expect(status).toBe(400);
    expect(body.message).toContain("at most 50");
  });

  test.each([1_000_000, 2 ** 31, Number.MAX_SAFE_INTEGER])("page %i has no hits", async (page) => {
    const { status, body } = await server.search([modalRequest("server", { page })]);

    expect(status).toBe(200);
    expect(body.results[0].hits).toEqual([]);
  });

  test("more hits than the provider allows are cut to its limit", async () => {
    const { body } = await server.search([modalRequest("server", { hitsPerPage: 1_000_000 })]);

    expect(body.results[0].hitsPerPage).toBe(1_000);
  });

  test("a body over 64 KiB is 413, announced or not", async () => {
    const large = JSON.stringify({ requests: [modalRequest("x".repeat(70_000))] });
    const announced = await server.post("/1/indexes/*/queries", large);
    const chunked = await server.post("/1/indexes/*/queries", "", {
      body: new Blob([large]).stream(),
      duplex: "half",
    } as RequestInit);

    expect([announced.status, chunked.status]).toEqual([413, 413]);
  });

  test.each([
    ["GET", "/1/indexes/*/queries", 405],
    ["DELETE", `/1/indexes/${FIXTURE_SEGMENT}/query`, 405],
    ["PUT", "/1/events", 405],
    ["POST", "/1/unknown", 404],
    ["POST", `/1/indexes/${FIXTURE_SEGMENT}/unknown`, 404],
    ["POST", "/1/indexes/%E0%A4%A/query", 400],
  ])("%s %s is %i, in JSON", async (method, path, status) => {
    const response = await fetch(`${server.origin}${path}`, { method });

    expect(response.status).toBe(status);
    expect(((await response.json()) as SearchBody).status).toBe(status);
    if (status === 405) expect(response.headers.get("allow")).toContain("POST");
  });

  test("paths that are not the service's are left to the caller", async () => {
    const response = await fetch(`${server.origin}/toolhive/faq`);

    expect(response.headers.get("x-not-ours")).toBe("yes");
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

describe("transport", () => {
  function raw(
    headers: Record<string, string>,
  ): Promise<{ encoding: string | undefined; bytes: Buffer; vary: string | undefined }> {
    return new Promise((resolve, reject) => {
      const request = httpRequest(`${server.origin}/1/indexes/*/queries`, { method: "POST", headers }, (response) => {
        const chunks: Buffer[] = [];
        response
          .on("data", (chunk: Buffer) => chunks.push(chunk))
          .on("end", () =>
            resolve({
              encoding: response.headers["content-encoding"],
              bytes: Buffer.concat(chunks),
              vary: response.headers.vary,
            }),
          );
      });
      request.on("error", reject).end(JSON.stringify({ requests: [modalRequest("server")] }));
    });
  }

  test("answers are compressed as the client accepts it", async () => {
    const plain = await raw({});
    const brotli = await raw({ "accept-encoding": "gzip, deflate, br, zstd" });
    const gzip = await raw({ "accept-encoding": "gzip, br;q=0" });

    expect([plain.encoding, brotli.encoding, gzip.encoding]).toEqual([undefined, "br", "gzip"]);
    expect(brotliDecompressSync(brotli.bytes).equals(plain.bytes)).toBe(true);
    expect(gunzipSync(gzip.bytes).equals(plain.bytes)).toBe(true);
    expect(brotli.bytes.length).toBeLessThan(plain.bytes.length / 3);
    expect(plain.vary).toBe("accept-encoding");
  });

  test("preflights are answered", async () => {
    const response = await fetch(`${server.origin}/1/events`, { method: "OPTIONS" });

    expect(response.status).toBe(204);
    expect(response.headers.get("access-control-allow-methods")).toContain("POST");
    expect(response.headers.get("access-control-allow-headers")).toBe("*");
    expect(response.headers.get("access-control-max-age")).toBe("86400");
  });

  test("a body that does not arrive in time is 408 and the connection ends", async () => {
    await using slow = await startTestServer({ indexFile, bodyTimeoutMs: 50 });
    const socket = connect(Number(slow.host.split(":")[1]), "127.0.0.1");
    let received = "";
    socket.on("data", (chunk: Buffer) => {
      received += chunk.toString();
    });
    const closed = once(socket, "close");
    socket.write("POST /1/indexes/*/queries HTTP/1.1\r\nHost: x\r\nContent-Length: 500\r\n\r\n{");
    await closed;

    expect(received).toMatch(/^HTTP\/1\.1 408 /);
  });

  test("a client that goes away in the middle leaves the service working", async () => {
    const socket = connect(Number(server.host.split(":")[1]), "127.0.0.1");
    await once(socket, "connect");
    socket.write('POST /1/indexes/*/queries HTTP/1.1\r\nHost: x\r\nContent-Length: 500\r\n\r\n{"requ');
    socket.destroy();
    await once(socket, "close");

    expect((await server.search([modalRequest("secrets")])).status).toBe(200);
  });

  test("too many searches from one address are 429 with the time to wait, and pass again later", async () => {
    let clock = 0;
    await using limited = await startTestServer({ indexFile, rateLimit: { burst: 5, perSecond: 1 }, now: () => clock });
    const five = await limited.search(Array.from({ length: 5 }, () => modalRequest("secrets")));
    const refused = await limited.post("/1/indexes/*/queries", JSON.stringify({ requests: [modalRequest("secrets")] }));
    clock += 1_000;
    const later = await limited.search([modalRequest("secrets")]);

    expect([five.status, refused.status, later.status]).toEqual([200, 429, 200]);
    expect(refused.headers.get("retry-after")).toBe("1");
    expect(await refused.json()).toEqual({ message: "Too many requests", status: 429 });
  });
});

describe("the index file", () => {
  test("a missing file is 503 it is there", async () => {
    await using own = await createTestFolder();
    const file = join(own.path, "index");
    await using waiting = await startTestServer({ indexFile: file, watchIntervalMs: 10 });
    const early = await waiting.post("/1/indexes/*/queries", JSON.stringify({ requests: [modalRequest("hello")] }));
    await writeFileAtomically(file, tinyIndex("Hello world"));
    await vi.waitFor(async () => expect((await waiting.search([modalRequest("hello")])).status).toBe(200), 10_000);

    expect(early.status).toBe(503);
    expect(early.headers.get("retry-after")).toBe("1");
    expect((await waiting.search([modalRequest("hello")])).body.results[0].nbHits).toBe(2);
  });

  test("a replaced file is served, never a mixture, also while it is searched", async () => {
    await using own = await createTestFolder();
    const file = join(own.path, "index");
    const titles = ["Alpha topic", "Beta topic"];
    await writeFileAtomically(file, tinyIndex("Alpha topic", "alpha text of the topic"));
    await using busy = await startTestServer({ indexFile: file });
    const seen = new Set<string>();
    let isDone = false;
    const load = async (): Promise<void> => {
      while (!isDone) {
        const { status, body } = await busy.search([modalRequest("topic")]);
        if (status !== 200) throw new Error(`status ${status}`);
        const words = new Set(body.results[0].hits.map((hit: { hierarchy: { lvl1: string } }) => hit.hierarchy.lvl1));
        if (words.size !== 1) throw new Error("a mixture was served");
        seen.add([...words][0] as string);
      }
    };
    const clients = [load(), load(), load()];
    for (let turn = 0; turn < 20; turn++) {
      const title = titles[turn % 2] as string;
      await writeFileAtomically(file, tinyIndex(title, `${title.toLowerCase()} text of the topic`));
      await busy.service.reload();
    }
    isDone = true;
    await Promise.all(clients);

    expect([...seen].sort()).toEqual(titles);
  });

  test("a damaged or deleted file leaves the old index serving", async () => {
    await using own = await createTestFolder();
    const file = join(own.path, "index");
    const warnings: string[] = [];
    const log = { info: () => {}, error: () => {}, warn: (_: unknown, message: string) => warnings.push(message) };
    await writeFileAtomically(file, tinyIndex("Hello world"));
    await using steady = await startTestServer({ indexFile: file, log });
    expect((await steady.search([modalRequest("hello")])).status).toBe(200);

    await writeFile(file, "garbage");
    expect(await steady.service.reload()).toBe(false);
    await rm(file);
    expect(await steady.service.reload()).toBe(false);

    expect((await steady.search([modalRequest("hello")])).body.results[0].nbHits).toBe(2);
    expect(warnings).toEqual(["search index not loaded", "search index not loaded"]);
  });

  test("answers of an old index are not given once a new one is served", async () => {
    await using own = await createTestFolder();
    const file = join(own.path, "index");
    await writeFileAtomically(file, tinyIndex("Topic before"));
    await using changing = await startTestServer({ indexFile: file });
    await changing.search([modalRequest("topic")]);
    await writeFileAtomically(file, tinyIndex("Topic after"));
    await changing.service.reload();

    const { body } = await changing.search([modalRequest("topic")]);

    expect(body.results[0].hits[0].hierarchy.lvl1).toBe("Topic after");
  });
});

describe("another engine behind the wire", () => {
  const described = { name: "broken", version: "1", settings: withDefaults({}).settings };
  const broken = (error: Error): SearchEngine => ({ ...described, search: () => Promise.reject(error) });
  const listProblems = () => {
    const problems: unknown[] = [];
    const note = (fields: unknown) => void problems.push(fields);
    return { problems, log: { info: () => {}, warn: note, error: note } };
  };

  test.each([
    ["that is defective", new TypeError("secret reason"), { message: "Internal error", status: 500 }],
    ["that is out", new EngineError("secret reason"), { message: "The search engine does not answer", status: 503 }],
  ])("an engine %s, without an index of our own, is an error without its reason", async (_, error, expected) => {
    const { problems, log } = listProblems();
    await using folder = await createTestFolder();
    const missing = join(folder.path, "none");
    await using server = await startTestServer({ indexFile: missing, engine: broken(error), log });
    const response = await server.post("/1/indexes/*/queries", JSON.stringify({ requests: [modalRequest("x")] }));

    expect(response.status).toBe(expected.status);
    expect(await response.json()).toEqual(expected);
    expect(JSON.stringify(problems)).toContain("secret reason");
  });

  test("while an engine is out, our own index answers and says so, and nothing of it is remembered", async () => {
    const { log } = listProblems();
    await using server = await startTestServer({ indexFile, engine: broken(new EngineError("no answer")), log });
    await using own = await startTestServer({ indexFile });
    const expected = await own.search([modalRequest("server")]);

    const first = await server.search([modalRequest("server")]);
    const again = await server.search([modalRequest("server")]);

    expect(first.body.results[0].hits).toEqual(expected.body.results[0].hits);
    expect([first.body.results[0].fallback, again.body.results[0].fallback]).toEqual([true, true]);
    expect(expected.body.results[0].fallback).toBeUndefined();
  });

  test("a new version of an engine is not answered from what is remembered of the old one", async () => {
    const state = { version: "1", total: 1 };
    const answer = { hits: [], facets: {}, words: [], unknown: [], matchTerm: () => undefined };
    const engine: SearchEngine = {
      ...described,
      get version() {
        return state.version;
      },
      search: () => ({ ...answer, total: state.total }),
    };
    await using server = await startTestServer({ indexFile, engine });
    const countHits = async () => (await server.search([modalRequest("server")])).body.results[0].nbHits;

    const before = await countHits();
    state.total = 2;
    const remembered = await countHits();
    state.version = "2";

    expect([before, remembered, await countHits()]).toEqual([1, 1, 2]);
  });

  test("numbers that are estimated are not called exhaustive", async () => {
    const answer = { hits: [], facets: { language: { en: 9 } }, words: [], unknown: [], matchTerm: () => undefined };
    const engine: SearchEngine = { ...described, search: () => ({ ...answer, total: 9, isEstimate: true }) };
    await using server = await startTestServer({ indexFile, engine });

    const { body } = await server.search([{ ...modalRequest("server"), facets: ["language"] }]);

    expect(body.results[0]).toMatchObject({
      exhaustiveNbHits: false,
      exhaustiveFacetsCount: false,
      exhaustive: { nbHits: false, facetsCount: false },
    });
  });
});
