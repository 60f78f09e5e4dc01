import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { writeFileAtomically } from "../support/atomic-write.ts";
import { FIXTURE_SEGMENT } from "../testing/fixture-site.ts";
import {
  buildFixtureIndex,
  createTestFolder,
  encodeTinyIndex,
  modalRequest,
  type SearchBody,
  startTestServer,
  type TestFolder,
  type TestServer,
} from "../testing/search-server.ts";

let folder: TestFolder;
let server: TestServer;

beforeAll(async () => {
  folder = await createTestFolder();
  server = await startTestServer({ indexFile: await buildFixtureIndex(folder.path) });
});

afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
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
      encodeTinyIndex("Use <img src=x onerror=alert(1)>", 'Say "<script>alert(2)</script>" & go'),
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
