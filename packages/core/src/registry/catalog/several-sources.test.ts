import { mkdtemp, rm, writeFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { RegistrySourceSetting } from "../../config/config-schema.ts";
import { startHttpsServer, TEST_CA } from "../testing/https-server.ts";
import { joinSources } from "./join-sources.ts";
import type { RegistrySettings } from "./named-sources.ts";
import { RegistryCache } from "./registry-cache.ts";
import { RegistryCatalog } from "./registry-catalog.ts";

let directory: string;
let settings: RegistrySettings;
let now: number;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "thv-sources-"));
  settings = { registry_url: await writeRegistry("default", ["weather", "maps"]), allow_private_registry_ip: false };
  now = Date.parse("2026-01-01T00:00:00Z");
});

afterEach(async () => {
  await rm(directory, { recursive: true });
});

function newCatalog(options: { refreshWaitMs?: number } = {}): RegistryCatalog {
  const quiet = () => undefined;
  return new RegistryCatalog({
    loadConfig: async () => settings,
    updateConfig: async (change) => {
      settings = change(settings);
    },
    cache: new RegistryCache(directory),
    log: { error: quiet, warn: quiet, info: quiet, debug: quiet },
    ca: TEST_CA,
    now: () => now,
    refreshWaitMs: 60_000,
    ...options,
  });
}

function formatRegistry(owner: string, names: readonly string[]): string {
  const servers = Object.fromEntries(
    names.map((name) => [
      name,
      {
        image: `ghcr.io/${owner}/${name}:1.0.0`,
        description: `The server ${name} of ${owner}.`,
        tier: "Community",
        status: "Active",
        transport: "stdio",
        tools: [],
      },
    ]),
  );
  return JSON.stringify({ version: "1.0.0", last_updated: "2026-01-01T00:00:00Z", servers });
}

async function writeRegistry(owner: string, names: readonly string[]): Promise<string> {
  const path = join(directory, `${owner}.json`);
  await writeFile(path, formatRegistry(owner, names));
  return path;
}

async function useSources(...sources: RegistrySourceSetting[]): Promise<void> {
  settings = { ...settings, registry_sources: sources };
}

const findImage = async (catalog: RegistryCatalog, reference: string) => {
  const located = await catalog.locate(reference);
  return located && "image" in located.entry ? located.entry.image : undefined;
};

describe("a name in several sources", () => {
  test("is that of the first source, and of another one with the source before it", async () => {
    const catalog = newCatalog();
    await catalog.addSource({ name: "acme", url: await writeRegistry("acme", ["weather", "chat"]) });
    await catalog.addSource({ name: "team", url: await writeRegistry("team", ["chat", "weather"]) });

    expect(await catalog.locate("weather")).toMatchObject({
      entry: { image: "ghcr.io/default/weather:1.0.0" },
      origin: { name: "default" },
      alsoIn: ["acme", "team"],
    });
    expect(await catalog.locate("chat")).toMatchObject({ origin: { name: "acme" }, alsoIn: ["team"] });
    expect(await findImage(catalog, "team/chat")).toBe("ghcr.io/team/chat:1.0.0");
    expect(await findImage(catalog, "default/weather")).toBe("ghcr.io/default/weather:1.0.0");
    expect(await catalog.locate("other/chat")).toBeUndefined();
    const shown = joinSources(await catalog.loadAll()).map(({ reference, source }) => [reference, source]);
    expect(shown).toEqual([
      ["chat", "acme"],
      ["team/chat", "team"],
      ["maps", "default"],
      ["weather", "default"],
      ["acme/weather", "acme"],
      ["team/weather", "team"],
    ]);
  });

  test("is no image's when its source is named and has no such server", async () => {
    await useSources({ name: "acme", url: await writeRegistry("acme", ["chat"]) });

    await expect(newCatalog().locate("acme/weather")).rejects.toMatchObject({
      code: "REGISTRY_SERVER_NOT_FOUND",
      hint: expect.stringContaining("docker.io/acme/weather"),
    });
  });

  test("is not given to a later source while an earlier one cannot be read, and can be run with its source", async () => {
    await useSources(
      { name: "acme", url: join(directory, "gone.json") },
      { name: "team", url: await writeRegistry("team", ["chat"]) },
    );
    const catalog = newCatalog();

    await expect(catalog.locate("chat")).rejects.toMatchObject({
      code: "REGISTRY_UNAVAILABLE",
      hint: "Name the source: thv run team/chat",
    });
    expect(await findImage(catalog, "team/chat")).toBe("ghcr.io/team/chat:1.0.0");
    expect(await findImage(catalog, "weather")).toBe("ghcr.io/default/weather:1.0.0");
    expect(joinSources(await catalog.loadAll()).map(({ reference }) => reference)).toContain("team/chat");
  });

  test("of a long name is found by its last part in the first source that has one", async () => {
    const path = join(directory, "official.json");
    const server = { name: "io.github.acme/weather", description: "Weather of places.", version: "1.0.0" };
    await writeFile(path, JSON.stringify([{ ...server, remotes: [{ type: "sse", url: "https://a.example/sse" }] }]));
    settings = { ...settings, registry_url: path };
    await useSources({ name: "team", url: await writeRegistry("team", ["weather"]) });
    const catalog = newCatalog();

    expect(await catalog.locate("weather")).toMatchObject({ entry: { name: "io.github.acme/weather" } });
    expect(await catalog.locate("default/io.github.acme/weather@1.0.0")).toMatchObject({ origin: { name: "default" } });
    expect(joinSources(await catalog.loadAll()).map(({ reference }) => reference)).toEqual([
      "io.github.acme/weather",
      "team/weather",
    ]);
  });
});

describe("the server of an image", () => {
  test("is that of the source that the workload was made from, and of no other", async () => {
    await writeFile(join(directory, "acme.json"), formatRegistry("default", ["weather"]).replace('1.0.0"', '6.6.6"'));
    const location = join(directory, "acme.json");
    await useSources({ name: "acme", url: location });
    const catalog = newCatalog();

    expect(await catalog.findByImage("ghcr.io/default/weather:0.1.0")).toMatchObject({
      image: "ghcr.io/default/weather:1.0.0",
    });
    const origin = { name: "acme", location };
    expect(await catalog.findByImage("ghcr.io/default/weather:0.1.0", origin)).toBeDefined();
    const elsewhere = { ...origin, location: "/another.json" };
    expect(await catalog.findByImage("ghcr.io/default/weather:0.1.0", elsewhere)).toBeUndefined();
  });
});

describe("a source that is added", () => {
  test.each([
    ["default", /registry_url/],
    ["mcp", /images are named mcp/],
    ["ghcr", /the image "ghcr\/weather:1" in use/],
    ["Team", /small letters/],
    ["-a", /small letters/],
    ["team/x", /small letters/],
    ["", /small letters/],
    ["a".repeat(32), /small letters/],
    ["__proto__", /small letters/],
  ])("cannot be named %j", async (name, message) => {
    const url = await writeRegistry("acme", ["chat"]);

    await expect(
      newCatalog().addSource({ name, url }, { usedImages: ["ghcr/weather:1", "redis"] }),
    ).rejects.toMatchObject({ code: "INVALID_ARGUMENT", message: expect.stringMatching(message) });
    expect(settings.registry_sources).toBeUndefined();
  });

  test("is refused when it is there already, under this name or another, or is one too many", async () => {
    const url = await writeRegistry("acme", ["chat"]);
    const catalog = newCatalog();
    await catalog.addSource({ name: "acme", url });

    const refused = { code: "INVALID_ARGUMENT" };
    await expect(catalog.addSource({ name: "acme", url: "/other.json" })).rejects.toMatchObject(refused);
    await expect(catalog.addSource({ name: "other", url })).rejects.toMatchObject(refused);
    await expect(catalog.addSource({ name: "other", url: "http://a.example/r.json" })).rejects.toMatchObject(refused);
    await expect(catalog.addSource({ name: "other", url: " " })).rejects.toMatchObject(refused);
    await expect(catalog.addSource({ name: "other", url: "/nowhere.json" })).rejects.toMatchObject({
      code: "REGISTRY_UNAVAILABLE",
      hint: "Check it, or remove it: thv registry source remove other",
    });
    for (let index = 2; index <= 10; index += 1) {
      await catalog.addSource({ name: `more-${index}`, url: await writeRegistry(`more-${index}`, ["chat"]) });
    }
    const last = await writeRegistry("more-11", ["chat"]);
    await expect(catalog.addSource({ name: "more-11", url: last })).rejects.toMatchObject(refused);
    expect(settings.registry_sources).toHaveLength(10);
  });

  test("is removed, and nothing of its name is found any more", async () => {
    const catalog = newCatalog();
    await catalog.addSource({ name: "acme", url: await writeRegistry("acme", ["chat"]) });

    expect(await catalog.removeSource("acme")).toMatchObject({ name: "acme" });
    expect(await catalog.locate("acme/chat")).toBeUndefined();
    await expect(catalog.removeSource("acme")).rejects.toMatchObject({ code: "REGISTRY_NOT_FOUND" });
    await expect(catalog.removeSource("default")).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
  });
});

describe("a source that fails", () => {
  type Answer = (request: IncomingMessage, response: ServerResponse) => void;
  const broken: [string, Answer][] = [
    ["is down", (_request, response) => void response.writeHead(503).end()],
    ["is no registry", (_request, response) => void response.end("<html>")],
    ["is cut off", (_request, response) => void response.writeHead(200, { "Content-Length": "999" }).write("{")],
    ["is damaged", (_request, response) => void response.end('{"servers":[{"name":1},{"name":null}]}')],
    ["closes the connection", (request) => void request.socket.destroy()],
    ["leads to itself", (_request, response) => void response.writeHead(302, { Location: "/r.json" }).end()],
    [
      "leads to plain http",
      (_request, response) => void response.writeHead(302, { Location: "http://a.example/" }).end(),
    ],
  ];
  test.each(broken)("because it %s hides no other, and says so", async (_what, answer) => {
    await using web = await startHttpsServer((request, response) => {
      answer(request, response);
      if (!response.writableEnded) setImmediate(() => request.socket.destroy());
    });
    await useSources(
      { name: "bad", url: `${web.origin}/r.json`, allow_private_ip: true },
      { name: "team", url: await writeRegistry("team", ["chat"]) },
    );

    const states = await newCatalog().loadAll();

    expect(states.map(({ name, problem }) => [name, problem?.code?.startsWith("REGISTRY_")])).toEqual([
      ["default", undefined],
      ["bad", true],
      ["team", undefined],
    ]);
    expect(joinSources(states)).toHaveLength(3);
  });

  test("uses its copy, asks again after longer and longer pauses, and asks with the date of the copy", async () => {
    let status = 200;
    await using web = await startHttpsServer((request, response) => {
      if (status !== 200) response.writeHead(status).end();
      else if (request.headers["if-modified-since"]) response.writeHead(304).end();
      else
        response
          .writeHead(200, { "Last-Modified": "Thu, 01 Jan 2026 00:00:00 GMT" })
          .end(formatRegistry("a", ["chat"]));
    });
    await useSources({ name: "web", url: `${web.origin}/r.json`, allow_private_ip: true });
    const catalog = newCatalog();
    await catalog.load("web");
    now += 60 * 60_000;
    await catalog.load("web");
    expect(web.requests.map(({ headers }) => headers["if-modified-since"])).toEqual([
      undefined,
      "Thu, 01 Jan 2026 00:00:00 GMT",
    ]);

    status = 503;
    now += 60 * 60_000;
    const asked = async (afterMs: number) => {
      now += afterMs;
      const before = web.requests.length;
      const { staleReason } = await catalog.load("web");
      return [web.requests.length - before, staleReason?.includes("The copy of")];
    };
    expect(await asked(0)).toEqual([1, true]);
    expect(await asked(60_000)).toEqual([1, true]);
    expect(await asked(60_000)).toEqual([0, true]);
    expect(await asked(60_000)).toEqual([1, true]);
    expect(await asked(120_000)).toEqual([0, true]);
  });

  test("does not hold up a command: the copy is used until the answer comes", async () => {
    let answer: ServerResponse | undefined;
    let isSlow = false;
    await using web = await startHttpsServer((_request, response) => {
      if (isSlow) answer = response;
      else response.end(formatRegistry("a", ["chat"]));
    });
    await useSources({ name: "web", url: `${web.origin}/r.json`, allow_private_ip: true });
    const catalog = newCatalog({ refreshWaitMs: 1 });
    await catalog.refresh("web");
    isSlow = true;
    now += 60 * 60_000;

    const stale = await catalog.load("web");
    expect(stale.staleReason).toMatch(/has not answered yet\. The copy of .* is used/);

    await expect.poll(() => answer !== undefined).toBe(true);
    answer?.end(formatRegistry("a", ["talk"]));
    await expect
      .poll(async () => (await catalog.load("web")).registry.servers.map(({ name }) => name), { timeout: 20_000 })
      .toEqual(["talk"]);
  });
});
