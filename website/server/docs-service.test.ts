/** `/mcp` of a real site server over a real index, with the official client. */
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { request as httpRequest } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { openPack } from "@toolhive/docs";
import { encodeTestPack, listTestRecords, TEST_SITE_URL } from "@toolhive/docs/testing";
import { listen } from "@toolhive/http";
import { createSearchService, type SearchService, writeIndex } from "@toolhive/search";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { DocsService } from "./docs-service.ts";
import { DocsStore } from "./docs-store.ts";
import type { SiteManifest } from "./site-manifest.ts";
import { createSiteServer, type SiteServer } from "./site-server.ts";

const PAGE = { path: "index.html", type: "text/html", etag: "a", bytes: 5, encoded: {}, isImmutable: false };
const MANIFEST: SiteManifest = {
  files: { "/": PAGE },
  redirects: {},
  notFound: PAGE,
  contentSecurityPolicy: "default-src 'none'",
};
const LIST = { jsonrpc: "2.0", id: 1, method: "tools/list" };
const HEADERS = { "content-type": "application/json", accept: "application/json, text/event-stream" };

let folder: string;
let search: SearchService;
let site: SiteServer;
let origin: string;
let port: number;
const errors: unknown[] = [];
const logged: string[] = [];
const log = {
  info: (_fields: object, message: string) => logged.push(message),
  warn: (fields: object, message: string) => logged.push(`${message}: ${JSON.stringify(fields)}`),
  error: (fields: object, message: string) => logged.push(`${message}: ${JSON.stringify(fields)}`),
};
const files = () => ({ index: path.join(folder, "search-index.bin"), pack: path.join(folder, "docs.pack") });

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "docs-service-"));
  errors.length = 0;
  logged.length = 0;
  await writeFile(files().pack, await encodeTestPack());
  await writeIndex({ records: listTestRecords(), outFile: files().index, indexName: "toolhive" });
});
afterEach(async () => {
  await site.close();
  await search.close();
  await rm(folder, { recursive: true });
});

async function start(rateLimit: { burst: number; perSecond: number } | false = false): Promise<void> {
  search = createSearchService({ indexFile: files().index, indexName: "toolhive", watchIntervalMs: 0, rateLimit, log });
  const docs = new DocsService({
    store: new DocsStore({ file: files().pack, search, log, lookIntervalMs: 0 }),
    search,
    siteUrl: TEST_SITE_URL,
    hosts: [],
    onError: (error) => errors.push(error),
  });
  site = createSiteServer({
    siteDir: folder,
    manifest: MANIFEST,
    services: [search, docs],
    onError: (error) => errors.push(error),
  });
  port = await listen(site.http);
  origin = `http://127.0.0.1:${port}`;
}

async function connectClient(pin?: "2026-07-28"): Promise<Client> {
  const options = pin === undefined ? {} : { versionNegotiation: { mode: { pin } } };
  const client = new Client({ name: "site-tests", version: "1.0.0" }, options);
  await client.connect(new StreamableHTTPClientTransport(new URL(`${origin}/mcp`)));
  return client;
}

async function ask(client: Client, name: string, args: Record<string, unknown>) {
  const { content, isError } = await client.callTool({ name, arguments: args });
  const [first] = content;
  return { isError: isError === true, text: first?.type === "text" ? first.text : "" };
}

const post = (body: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${origin}/mcp`, { method: "POST", body, headers: { ...HEADERS, ...headers } });

describe.each([undefined, "2026-07-28"] as const)("a client of revision %s", (pin) => {
  test("gets the sections that the site's search finds", async () => {
    await start();
    const client = await connectClient(pin);

    const { text } = await ask(client, "search_docs", { query: "which hosts does the permission profile allow" });

    const query = {
      text: "which hosts does the permission profile allow",
      filter: [],
      facets: [],
      offset: 0,
      limit: 1,
      typoTolerance: true,
      queryType: "prefixLast",
    } as const;
    const [hit] = (await search.search(query)).hits;
    expect(text).toContain(hit?.record.url.slice(TEST_SITE_URL.length));
    expect((await ask(client, "read_page", { path: "faq" })).text).toContain("Short answers");
    await client.close();
    expect(errors).toEqual([]);
  });
});

test("a question is in no log, and its answer begins no session", async () => {
  await start();
  const params = { name: "search_docs", arguments: { query: "marker4711 network" } };

  const answer = await post(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }));

  expect([answer.status, answer.headers.get("mcp-session-id")]).toEqual([200, null]);
  expect([...logged, ...errors].join()).not.toContain("marker4711");
});

test("one ranking: the site's index and the one that thv makes of the records answer alike", async () => {
  await start();
  const own = openPack(await encodeTestPack());
  for (const text of ["network", "port in use", "--flag-7", "limit permisions", "questions"]) {
    const query = {
      text,
      filter: [],
      facets: [],
      offset: 0,
      limit: 10,
      typoTolerance: true,
      queryType: "prefixLast",
    } as const;
    const urls = async (answer: ReturnType<typeof own.ask>) => (await answer).hits.map(({ record }) => record.url);

    expect(await urls(own.ask(query))).toEqual(await urls(search.search(query)));
  }
});

describe("while something is missing", () => {
  test("an index of another version is said, and pages can be read", async () => {
    await writeFile(files().index, "THVSRCH\u0001 of long ago");
    await start();
    const client = await connectClient();

    expect(await ask(client, "search_docs", { query: "network" })).toMatchObject({
      isError: true,
      text: expect.stringContaining("no index of this version"),
    });
    expect((await ask(client, "read_page", { path: "faq" })).isError).toBe(false);
    expect(logged.join()).toContain("search index not loaded");
    await client.close();
  });

  test("a site without its documentation says how to build it, and has it as soon as it is there", async () => {
    await rm(files().pack);
    await start();

    const before = await post(JSON.stringify(LIST));
    await writeFile(files().pack, await encodeTestPack());

    expect(before.status).toBe(503);
    expect(await before.text()).toContain("npm run build -w @toolhive/website");
    await expect.poll(async () => (await post(JSON.stringify(LIST))).status).toBe(200);
    expect(logged.join()).toContain("ENOENT");
  });

  test("pages of a format that it cannot read are said in the log, and the old ones stay", async () => {
    await start();
    const client = await connectClient();
    await ask(client, "read_page", { path: "faq" });
    await writeFile(files().pack, "something else");

    expect((await ask(client, "read_page", { path: "faq" })).isError).toBe(false);
    await expect.poll(() => logged.join()).toContain("it is damaged, or no documentation");
    await client.close();
  });
});

describe("browsers", () => {
  test("of the Inspector get what they need to call", async () => {
    await start();
    const inspector = { origin: "http://localhost:6274" };

    const preflight = await fetch(`${origin}/mcp`, {
      method: "OPTIONS",
      headers: { ...inspector, "access-control-request-method": "POST" },
    });
    const answer = await post(JSON.stringify(LIST), inspector);

    expect(preflight.status).toBe(204);
    for (const { headers } of [preflight, answer]) {
      expect(headers.get("access-control-allow-origin")).toBe("http://localhost:6274");
      expect(headers.get("access-control-expose-headers")).toContain("Mcp-Protocol-Version");
    }
    expect(preflight.headers.get("access-control-allow-headers")).toContain("Authorization");
    expect(answer.status).toBe(200);
  });

  test("of a page elsewhere are refused before anything is read", async () => {
    await start();

    const answer = await post(JSON.stringify(LIST), { origin: "https://evil.example" });

    expect(answer.status).toBe(403);
    expect(answer.headers.get("access-control-allow-origin")).toBeNull();
    expect(await answer.json()).toMatchObject({ error: { message: expect.stringContaining("evil.example") } });
  });

  test("that were led here under another name are refused", async () => {
    await start();
    const status = await new Promise((resolve) => {
      const headers = { ...HEADERS, host: "rebound.example" };
      const outgoing = httpRequest(`${origin}/mcp`, { method: "POST", headers }, (response) =>
        resolve(response.resume().statusCode),
      );
      outgoing.end(JSON.stringify(LIST));
    });

    expect(status).toBe(403);
  });
});

describe("is bounded", () => {
  test("a body above 1 MiB is refused, and one of 64 kB is answered", async () => {
    await start();
    const call = (query: string) => ({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "search_docs", arguments: { query } },
    });

    expect((await post(JSON.stringify(call("x".repeat(2 ** 20))))).status).toBe(413);
    expect((await post(JSON.stringify(call("network ".repeat(8_192))))).status).toBe(200);
  });

  test("callers are charged as in the search, and refused with the time of the next try", async () => {
    await start({ burst: 3, perSecond: 0.01 });

    const statuses: number[] = [];
    for (let call = 0; call < 3; call++) statuses.push((await post(JSON.stringify(LIST))).status);
    const refused = await post(JSON.stringify(LIST));
    const searched = await fetch(`${origin}/1/indexes/toolhive?query=x`);

    expect(statuses).toEqual([200, 200, 200]);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    // One purse for both doors.
    expect(searched.status).toBe(429);
  });

  test("a long body costs more than a short one", async () => {
    await start({ burst: 10, perSecond: 0.01 });

    const long = await post(`${JSON.stringify(LIST)}${" ".repeat(48 * 1024)}`);
    const short = await post(JSON.stringify(LIST));

    expect([long.status, short.status]).toEqual([200, 429]);
  });

  test("more messages than a body may have are refused", async () => {
    await start();

    const answer = await post(JSON.stringify(Array.from({ length: 21 }, () => LIST)));

    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain("21 messages");
  });

  test("an answer is one piece of JSON whose length is said, and no stream", async () => {
    await start();

    const answer = await post(JSON.stringify(LIST));
    const text = await answer.text();

    expect(answer.headers.get("content-type")).toBe("application/json");
    expect(answer.headers.get("content-length")).toBe(String(Buffer.byteLength(text)));
    expect(JSON.parse(text)).toMatchObject({ id: 1, result: { tools: expect.any(Array) } });
  });

  test.each(["GET", "DELETE"])("%s opens nothing", async (method) => {
    await start();

    expect((await fetch(`${origin}/mcp`, { method, headers: { accept: "text/event-stream" } })).status).toBe(405);
  });

  test("text that is no JSON is an error of the protocol", async () => {
    await start();

    const answer = await post("{");

    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: { code: -32700 } });
  });

  test.each<[string, string, Record<string, string>]>([
    ["of a revision that nobody knows", JSON.stringify(LIST), { "mcp-protocol-version": "1999-01-01" }],
    ["that is no message", '{"jsonrpc":"1.0"}', {}],
    ["that accepts nothing of it", JSON.stringify(LIST), { accept: "text/html" }],
    ["without a type", JSON.stringify(LIST), { "content-type": "text/html" }],
  ])("a request %s is refused, and is no failure of the site", async (_, body, headers) => {
    await start();

    const { status } = await post(body, headers);

    expect([status >= 400 && status < 500, errors]).toEqual([true, []]);
  });

  test("a caller who leaves in the middle of a long answer is no failure", async () => {
    await writeFile(
      files().pack,
      await encodeTestPack({
        pages: [
          { path: "/toolhive/long", title: "Long", description: "", markdown: "x ".repeat(4_000_000), sections: [] },
        ],
      }),
    );
    await start();
    const body = JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "resources/read",
      params: { uri: "docs:///toolhive/long" },
    });
    const socket = connect(port, "127.0.0.1");
    socket.write(
      `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    await once(socket, "data");
    socket.destroy();

    expect((await post(JSON.stringify(LIST))).status).toBe(200);
    expect(errors).toEqual([]);
  });
});

describe("is found without configuration", () => {
  test("by the card behind its own address", async () => {
    await start();

    const answer = await fetch(`${origin}/mcp/server-card`, { headers: { origin: "https://anywhere.example" } });
    const card = await answer.json();

    expect(answer.headers.get("content-type")).toBe("application/mcp-server-card+json");
    expect(answer.headers.get("access-control-allow-origin")).toBe("*");
    expect(card).toMatchObject({
      $schema: "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json",
      name: "org.example.docs/toolhive-docs",
      version: "0.2.0",
      remotes: [
        {
          type: "streamable-http",
          url: `${TEST_SITE_URL}/mcp`,
          supportedProtocolVersions: expect.arrayContaining(["2026-07-28"]),
        },
      ],
    });
    expect(card.description.length).toBeLessThanOrEqual(100);
    const client = await connectClient();
    expect(card.title).toBe(client.getServerVersion()?.title);
    await client.close();
  });

  test("by the catalogue of the domain", async () => {
    await start();

    const answer = await fetch(`${origin}/.well-known/ai-catalog.json`);

    expect(answer.headers.get("content-type")).toBe("application/ai-catalog+json");
    expect(await answer.json()).toMatchObject({
      specVersion: "1.0",
      entries: [
        {
          identifier: "urn:air:docs.example.org:mcp:toolhive-docs",
          type: "application/mcp-server-card+json",
          url: `${TEST_SITE_URL}/mcp/server-card`,
        },
      ],
    });
  });
});
