import { mkdtemp, rm, writeFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { startHttpsServer, TEST_CA } from "../testing/https-server.ts";
import { RegistryCache } from "./registry-cache.ts";
import { RegistryCatalog } from "./registry-catalog.ts";
import { parseRegistrySource } from "./registry-source.ts";

const HOUR_MS = 60 * 60 * 1000;

let directory: string;
let now: number;
let settings: { registry_url: string; allow_private_registry_ip: boolean };
const warnings: string[] = [];
const log = {
  error: () => undefined,
  warn: (_fields: unknown, message: string) => void warnings.push(message),
  info: () => undefined,
  debug: () => undefined,
};

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "thv-catalog-"));
  now = Date.parse("2026-01-01T00:00:00Z");
  settings = { registry_url: "", allow_private_registry_ip: true };
  warnings.length = 0;
});

afterEach(async () => {
  await rm(directory, { recursive: true });
});

function newCatalog(): RegistryCatalog {
  const cache = new RegistryCache(directory);
  return new RegistryCatalog({
    loadConfig: async () => settings,
    cache,
    log,
    ca: TEST_CA,
    now: () => now,
    refreshWaitMs: 60_000,
  });
}

function registryText(name: string): string {
  const server = {
    image: "ghcr.io/acme/weather-mcp:1.4.0",
    description: "Tells the weather of any place.",
    tier: "Community",
    status: "Active",
    transport: "stdio",
    tools: ["get_weather"],
  };
  return JSON.stringify({ version: "1.0.0", last_updated: "2026-01-01T00:00:00Z", servers: { [name]: server } });
}

const namesIn = async (catalog: RegistryCatalog) =>
  (await catalog.load()).registry.servers.map(({ name }) => name).join(" ");

/** A server whose behaviour can be changed while it runs. */
async function startOrigin() {
  const origin = { text: registryText("first"), status: 200 };
  const server = await startHttpsServer((request: IncomingMessage, response: ServerResponse) => {
    const etag = `"${origin.text.length}-${origin.text.slice(-200, -190)}-${origin.text.includes("second")}"`;
    if (origin.status !== 200) response.writeHead(origin.status).end();
    else if (request.headers["if-none-match"] === etag) response.writeHead(304).end();
    else response.writeHead(200, { ETag: etag }).end(origin.text);
  });
  settings = { ...settings, registry_url: `${server.origin}/registry.json` };
  return { origin, server, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

describe("a catalogue without a setting", () => {
  test("is the embedded registry", async () => {
    const { source, registry } = await newCatalog().load();

    expect(source).toEqual({ kind: "embedded" });
    expect(registry.servers).toHaveLength(29);
  });
});

describe("a catalogue that is refreshed", () => {
  test("asks its origin at once, and keeps the copy while that is away", async () => {
    await using place = await startOrigin();
    const catalog = newCatalog();
    await catalog.load();
    place.origin.text = registryText("second");
    expect(await namesIn(catalog)).toBe("first");

    const [one, other] = await Promise.all([catalog.refresh(), catalog.refresh()]);
    expect([one.registry.servers[0]?.name, other.registry.servers[0]?.name]).toEqual(["second", "second"]);
    expect(await namesIn(catalog)).toBe("second");

    place.origin.status = 503;
    expect(await catalog.refresh()).toMatchObject({ staleReason: expect.stringContaining("is used") });
    expect(await namesIn(catalog)).toBe("second");
  });

  test("finds a server by its image, whatever the tag", async () => {
    const catalog = newCatalog();
    const [server] = (await catalog.refresh()).registry.servers;
    const repository = server?.image.replace(/:[^:/]*$/, "") ?? "";

    expect(await catalog.findByImage(`${repository}:0.0.1`)).toEqual(server);
    expect(await catalog.findByImage(`${repository}-other:0.0.1`)).toBeUndefined();
    expect(await catalog.findByImage("Not An Image")).toBeUndefined();
  });
});

describe("a catalogue in a file", () => {
  test.each([
    ["a path", (path: string) => path],
    ["a file address", (path: string) => pathToFileURL(path).href],
  ])("is read from %s, and again when the file has changed", async (_what, locate) => {
    const path = join(directory, "registry.json");
    await writeFile(path, registryText("first"));
    settings = { ...settings, registry_url: locate(path) };
    const catalog = newCatalog();
    const before = await namesIn(catalog);

    await writeFile(path, registryText("second-one"));

    expect([before, await namesIn(catalog)]).toEqual(["first", "second-one"]);
  });

  test("follows the setting at once", async () => {
    const path = join(directory, "registry.json");
    await writeFile(path, registryText("first"));
    const catalog = newCatalog();
    await catalog.load();

    settings = { ...settings, registry_url: path };

    expect(await namesIn(catalog)).toBe("first");
  });

  test("that is not there says so, and is found once it is", async () => {
    const path = join(directory, "registry.json");
    settings = { ...settings, registry_url: path };
    const catalog = newCatalog();

    await expect(catalog.load()).rejects.toMatchObject({
      code: "REGISTRY_UNAVAILABLE",
      message: expect.stringContaining(path),
    });

    await writeFile(path, registryText("first"));
    expect(await namesIn(catalog)).toBe("first");
  });

  test("that is not a registry says everything that is wrong", async () => {
    const path = join(directory, "registry.json");
    await writeFile(path, JSON.stringify({ version: "x", last_updated: "y", servers: {} }));
    settings = { ...settings, registry_url: path };

    await expect(newCatalog().load()).rejects.toMatchObject({
      code: "REGISTRY_INVALID",
      message: expect.stringMatching(/version is "x".*; last_updated is "y"/),
    });
  });
});

describe("a catalogue at an address", () => {
  test("is asked for once by many callers at the same time, and not again for an hour", async () => {
    await using web = await startOrigin();
    const catalog = newCatalog();

    const names = await Promise.all(Array.from({ length: 10 }, () => namesIn(catalog)));
    now += HOUR_MS - 1;
    await catalog.load();

    expect(new Set(names)).toEqual(new Set(["first"]));
    expect(web.server.requests).toHaveLength(1);
  });

  test("is refreshed after an hour, and only checked when it has not changed", async () => {
    await using web = await startOrigin();
    const catalog = newCatalog();
    await catalog.load();

    now += HOUR_MS;
    const unchanged = await namesIn(catalog);
    web.origin.text = registryText("second");
    now += HOUR_MS;

    expect([unchanged, await namesIn(catalog)]).toEqual(["first", "second"]);
    expect(web.server.requests.map(({ headers }) => headers["if-none-match"] !== undefined)).toEqual([
      false,
      true,
      true,
    ]);
  });

  test("is on disk for the next process", async () => {
    await using web = await startOrigin();
    await newCatalog().load();

    now += HOUR_MS - 1;

    expect(await namesIn(newCatalog())).toBe("first");
    expect(web.server.requests).toHaveLength(1);
  });

  test.each([
    ["fails", 500, registryText("second")],
    ["sends something else", 200, "<html>Sign in</html>"],
  ])("goes on with the old copy and says why while its origin %s, and recovers", async (_what, status, text) => {
    await using web = await startOrigin();
    const catalog = newCatalog();
    await catalog.load();
    now += HOUR_MS;
    Object.assign(web.origin, { status, text });

    const stale = await catalog.load();

    expect(stale.registry.servers.map(({ name }) => name)).toEqual(["first"]);
    expect(stale.staleReason).toMatch(/The copy of 2026-01-01T00:00:00.000Z is used, which is 1 hour old\.$/);
    expect(warnings).toEqual(["registry could not be refreshed"]);

    Object.assign(web.origin, { status: 200, text: registryText("second") });
    now += 60_000;
    const recovered = await catalog.load();
    expect(recovered.registry.servers.map(({ name }) => name)).toEqual(["second"]);
    expect(recovered.staleReason).toBeUndefined();
  });

  test("uses the copy on disk when nothing answers at all", async () => {
    const web = await startOrigin();
    await newCatalog().load();
    await web[Symbol.asyncDispose]();
    now += HOUR_MS;

    expect(await newCatalog().load()).toMatchObject({ staleReason: expect.stringContaining("nothing answers there") });
  });

  test("without any copy fails, and tries again moments later", async () => {
    await using web = await startOrigin();
    web.origin.status = 503;
    const catalog = newCatalog();

    await expect(catalog.load()).rejects.toMatchObject({ code: "REGISTRY_UNAVAILABLE" });
    web.origin.status = 200;
    await expect(catalog.load()).rejects.toMatchObject({ code: "REGISTRY_UNAVAILABLE" });
    now += 2_000;

    expect(await namesIn(catalog)).toBe("first");
  });

  test("fetches again what is damaged on disk", async () => {
    await using web = await startOrigin();
    const cache = new RegistryCache(directory);
    await cache.save({ url: settings.registry_url, checked_at: new Date(now).toISOString(), text: "{" });

    expect(await namesIn(newCatalog())).toBe("first");
    expect(web.server.requests).toHaveLength(1);
  });

  test("asks again when the clock was set back", async () => {
    await using web = await startOrigin();
    await newCatalog().load();

    now -= 24 * HOUR_MS;
    await newCatalog().load();

    expect(web.server.requests).toHaveLength(2);
  });
});

describe("parseRegistrySource", () => {
  const parseSource = (registry_url: string) => parseRegistrySource({ registry_url, allow_private_registry_ip: false });

  test.each([
    ["", { kind: "embedded" }],
    ["  ", { kind: "embedded" }],
    ["/srv/r.json", { kind: "file", path: "/srv/r.json" }],
    ["file:///srv/a%20b.json", { kind: "file", path: "/srv/a b.json" }],
    ["https://h.example/r.json", { kind: "remote", url: "https://h.example/r.json", allowPrivate: false }],
  ])("takes %j", (location, expected) => {
    expect(parseSource(location)).toEqual(expected);
  });

  test.each([
    "http://h.example/r.json",
    "ftp://h.example/r",
    "r.json",
    "./r.json",
    "file://host/r.json",
    "https://u:p@h.example/",
  ])("refuses %j and says how to write it", (location) => {
    expect(() => parseSource(location)).toThrow(
      expect.objectContaining({ code: "INVALID_ARGUMENT", hint: expect.stringContaining("https://host/") }),
    );
  });

  test("does not repeat a password", () => {
    expect(() => parseSource("https://user:hunter2@h.example/")).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining("hunter2") }),
    );
  });
});
