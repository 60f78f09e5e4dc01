import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { listen } from "@toolhive/http";
import { describe, expect, test } from "vitest";
import { toSearchRecord } from "../../records/search-record.ts";
import type { EngineQuery } from "../search-engine.ts";
import { OpenSearchEngine } from "./opensearch-engine.ts";

interface Call {
  readonly method: string;
  readonly path: string;
  readonly body: string;
  readonly authorization: string | undefined;
}

type Answer = { status?: number; body: unknown } | "hang";

/** A cluster that answers as it is told and remembers what it was asked. */
async function startDouble(answerOf: (call: Call) => Answer) {
  const calls: Call[] = [];
  const read = async (request: IncomingMessage): Promise<string> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    return Buffer.concat(chunks).toString();
  };
  const server = createServer((request, response) => {
    void read(request).then((body) => {
      const call = {
        method: request.method ?? "",
        path: request.url ?? "",
        body,
        authorization: request.headers.authorization,
      };
      calls.push(call);
      const answer = answerOf(call);
      if (answer !== "hang")
        response
          .writeHead(answer.status ?? 200)
          .end(typeof answer.body === "string" ? answer.body : JSON.stringify(answer.body));
    });
  });
  const port = await listen(server);
  return {
    calls,
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

const QUERY: EngineQuery = {
  text: "thv run --al",
  filter: [[{ attribute: "language", value: "en", isNegated: false }]],
  facets: ["language"],
  offset: 20,
  limit: 10,
  typoTolerance: true,
  queryType: "prefixLast",
};
const RECORD = toSearchRecord({
  objectID: "1",
  url: "https://x.test/a",
  type: "lvl1",
  hierarchy: { lvl1: "thv run" },
  language: "en",
});

describe("OpenSearchEngine", () => {
  test("asks one search and translates the answer", async () => {
    await using cluster = await startDouble(() => ({
      body: {
        hits: { hits: [{ _score: 3.5, _source: { record: RECORD } }] },
        aggregations: {
          urls: { value: 31 },
          facets: {
            buckets: [
              { key: "language:en", doc_count: 40 },
              { key: "type:lvl1", doc_count: 2 },
            ],
          },
        },
      },
    }));
    const engine = new OpenSearchEngine({ url: cluster.url.replace("//", "//us%40er:p%3Aw@"), alias: "docs" });
    const answer = await engine.search(QUERY);
    const body = JSON.parse(cluster.calls[0]?.body ?? "");

    expect(answer).toMatchObject({
      hits: [{ record: RECORD, score: 3.5 }],
      total: 31,
      facets: { language: { en: 40 } },
    });
    expect(answer.words).toEqual(["thv", "run", "--al"]);
    expect(cluster.calls[0]).toMatchObject({
      method: "POST",
      path: "/docs/_search",
      authorization: `Basic ${btoa("us@er:p:w")}`,
    });
    expect(body).toMatchObject({ from: 20, size: 10, collapse: { field: "url" } });
    expect(JSON.stringify(body.query)).toContain('"facets":"language:en"');
  });

  test("an upload fills a new index before it moves the alias and drops the old one", async () => {
    await using cluster = await startDouble(({ path }) => ({
      body: path === "/_alias/docs" ? { "docs-old": {} } : {},
    }));
    await new OpenSearchEngine({ url: cluster.url, alias: "docs" }).replaceAll([RECORD]);
    const steps = cluster.calls.map(({ method, path }) => `${method} ${path.replace(/docs-[0-9a-f-]{36}/, "NEW")}`);
    const actions = JSON.parse(cluster.calls.at(-1)?.body ?? "").actions;

    expect(steps).toEqual(["PUT /NEW", "POST /NEW/_bulk", "POST /NEW/_refresh", "GET /_alias/docs", "POST /_aliases"]);
    expect(actions).toEqual([
      { add: { index: expect.stringMatching(/^docs-/), alias: "docs" } },
      { remove_index: { index: "docs-old" } },
    ]);
  });

  test("an upload that fails removes its index and leaves the alias", async () => {
    await using cluster = await startDouble(({ path }) => ({ body: { errors: path.endsWith("_bulk") } }));
    const upload = new OpenSearchEngine({ url: cluster.url, alias: "docs" }).replaceAll([RECORD]);

    await expect(upload).rejects.toMatchObject({ name: "OpenSearchError" });
    expect(cluster.calls.at(-1)?.method).toBe("DELETE");
    expect(cluster.calls.some(({ path }) => path === "/_aliases")).toBe(false);
  });

  test.each<[string, Answer]>([
    ["refuses", { status: 403, body: { error: "no" } }],
    ["fails", { status: 500, body: "oops" }],
    ["answers no JSON", { body: "<html>" }],
    ["hangs", "hang"],
  ])("a cluster that %s is an error with the request's name", async (_, answer) => {
    await using cluster = await startDouble(() => answer);
    const engine = new OpenSearchEngine({ url: cluster.url, alias: "docs", timeoutMs: 100 });

    await expect(engine.search(QUERY)).rejects.toMatchObject({
      name: "OpenSearchError",
      message: expect.stringContaining("POST /docs/_search"),
    });
  });

  test("symbols alone ask nothing", async () => {
    await using cluster = await startDouble(() => ({ body: {} }));
    const answer = await new OpenSearchEngine({ url: cluster.url, alias: "docs" }).search({ ...QUERY, text: "🙂" });

    expect([answer.total, cluster.calls.length]).toEqual([0, 0]);
  });
});
