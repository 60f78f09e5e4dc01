import { mkdtemp, rm } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { parseRegistry } from "../parse-registry.ts";
import { startHttpsServer, TEST_CA } from "../testing/https-server.ts";
import { fetchWhole, findListAddress } from "./fetch-pages.ts";
import { RegistryCache } from "./registry-cache.ts";
import { RegistryCatalog } from "./registry-catalog.ts";

const OPTIONS = { allowPrivate: true, ca: TEST_CA };

const server = (index: number, version = "1.0.0") => ({
  server: {
    name: `com.example/server-${index}`,
    description: "A server for tests.",
    version,
    remotes: [{ type: "streamable-http", url: `https://${index}.example/mcp` }],
  },
  _meta: { "io.modelcontextprotocol.registry/official": { status: "active", isLatest: version === "1.0.0" } },
});

const page = (servers: unknown[], nextCursor?: string) =>
  JSON.stringify({ servers, metadata: { count: servers.length, ...(nextCursor !== undefined && { nextCursor }) } });

/** @param answer Returns a text, or the status of an answer without one; `undefined` stands for 404. */
async function startApi(answer: (cursor: string | null, url: URL) => string | number | undefined) {
  return await startHttpsServer((request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? "", "https://x");
    const text = answer(url.searchParams.get("cursor"), url);
    if (typeof text === "string") response.end(text);
    else response.writeHead(text ?? 404).end();
  });
}

async function fetchNames(location: string, options: object = {}): Promise<string[]> {
  const fetched = await fetchWhole(location, { ...OPTIONS, ...options });
  if (fetched.kind !== "content") throw new Error("unchanged");
  return parseRegistry(fetched.text, location).remoteServers.map(({ name }) => name);
}

describe("findListAddress", () => {
  test.each([
    ["https://r.example", "https://r.example/v0.1/servers"],
    ["https://r.example/v0.1", "https://r.example/v0.1/servers"],
    ["https://r.example/v0/servers/", "https://r.example/v0/servers"],
    [
      "https://r.example/registry/default/v0.1/servers?search=x",
      "https://r.example/registry/default/v0.1/servers?search=x",
    ],
    ["https://r.example/registry.json", undefined],
    ["https://r.example/servers", undefined],
  ])("of %s is %s", (location, list) => {
    expect(findListAddress(location)?.href).toBe(list);
  });
});

describe("a list in pages", () => {
  test("is read to its end, each page by the cursor of the one before, the latest versions only", async () => {
    const pages: Record<string, string> = {
      "": page([server(1), server(2)], "a b/ü:1"),
      "a b/ü:1": page([server(3)], "last"),
      last: page([server(4)]),
    };
    await using api = await startApi((cursor) => pages[cursor ?? ""]);

    expect(await fetchNames(api.origin)).toEqual([1, 2, 3, 4].map((each) => `com.example/server-${each}`));
    expect(api.requests[0]?.url).toBe("/v0.1/servers?limit=100&version=latest");
  });

  test("is known by its answer, too", async () => {
    await using api = await startApi((cursor) => (cursor === null ? page([server(1)], "2") : page([server(2)])));

    expect(await fetchNames(`${api.origin}/catalog/list`)).toEqual(["com.example/server-1", "com.example/server-2"]);
  });

  test("that has no servers is empty", async () => {
    await using api = await startApi(() => '{"servers":null,"metadata":{"count":0}}');

    expect(await fetchNames(api.origin)).toEqual([]);
  });

  test.each([
    ["leads back to itself", () => page([server(1)], "again"), {}, /leads back to a page/],
    [
      "never ends",
      (cursor: string | null) => page([server(Number(cursor ?? 0))], String(Number(cursor ?? 0) + 1)),
      { maxPages: 5 },
      /more than 5 pages/,
    ],
    [
      "is too large",
      (cursor: string | null) => page([server(Number(cursor ?? 0)), "x".repeat(4000)], String(Number(cursor ?? 0) + 1)),
      { maxBytes: 20_000 },
      /more than 20000 bytes/,
    ],
    ["has a cursor that is too long", () => page([], "x".repeat(4000)), {}, /leads back/],
    ["breaks off", (cursor: string | null) => (cursor === null ? page([server(1)], "2") : undefined), {}, /status 404/],
    ["is something else", () => "<html>", {}, /page 1 is not a list of servers/],
  ])("that %s is given up", async (_what, answer, options, message) => {
    await using api = await startApi(answer);

    await expect(fetchNames(api.origin, options)).rejects.toMatchObject({
      code: "REGISTRY_UNAVAILABLE",
      message: expect.stringMatching(message),
    });
  });

  test("that takes too long is given up", async () => {
    await using api = await startHttpsServer(() => undefined);

    await expect(fetchNames(api.origin, { timeoutMs: 50 })).rejects.toMatchObject({ code: "REGISTRY_UNAVAILABLE" });
  });
});

describe("a catalogue of an API", () => {
  let directory: string;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), "thv-pages-"));
  });

  afterEach(async () => {
    await rm(directory, { recursive: true });
  });

  test("asks for a version that is not the latest, and serves its copy while the API is away", async () => {
    let isAway = false;
    let now = Date.parse("2026-01-01T00:00:00Z");
    const quiet = () => undefined;
    await using api = await startApi((_cursor, url) => {
      if (isAway) return 503;
      if (url.pathname === "/v0.1/servers") return page([server(1)]);
      const isOlder = url.pathname === "/v0.1/servers/com.example%2Fserver-1/versions/0.9.0";
      return isOlder ? JSON.stringify(server(1, "0.9.0")) : undefined;
    });
    const catalog = new RegistryCatalog({
      loadConfig: async () => ({ registry_url: api.origin, allow_private_registry_ip: true }),
      cache: new RegistryCache(directory),
      log: { error: quiet, warn: quiet, info: quiet, debug: quiet },
      ca: TEST_CA,
      now: () => now,
    });

    expect((await catalog.load()).checkedAt).toEqual(new Date(now));
    expect(await catalog.findIn("default", "server-1@0.9.0")).toMatchObject({ version: "0.9.0" });
    await expect(catalog.findIn("default", "server-1@0.1.0")).rejects.toMatchObject({
      code: "REGISTRY_SERVER_NOT_FOUND",
    });

    isAway = true;
    now += 3 * 24 * 60 * 60 * 1000;
    const stale = await catalog.load();
    expect(stale.registry.remoteServers).toHaveLength(1);
    expect(stale.staleReason).toMatch(/The copy of 2026-01-01T00:00:00.000Z is used, which is 3 days old\.$/);
    expect(stale.checkedAt).toEqual(new Date("2026-01-01T00:00:00Z"));
    await expect(catalog.findIn("default", "server-1@0.9.0")).rejects.toMatchObject({ code: "REGISTRY_UNAVAILABLE" });
  });
});
