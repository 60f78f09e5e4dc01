import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ClientHome, createWorkload, SERVER_URL } from "../testing/client-home.ts";
import type { ClientManager } from "./client-manager.ts";
import { CLIENTS, findClient, findDefaultFile } from "./client-types.ts";

const SETTINGS = '{\n\t// mine\n\t"editor.fontSize": 13,\n}\n';

let home: ClientHome;
let clients: ClientManager;
beforeEach(async () => {
  home = await ClientHome.create();
  clients = home.openManager();
});
afterEach(async () => {
  await home[Symbol.asyncDispose]();
});

const read = async (path: string) => await readFile(path, "utf8");

describe.each(CLIENTS.map(({ id }) => [id]))("%s", (id) => {
  test("gets an entry for a running workload, loses it when it stops, and has its file back as it was", async () => {
    const isClaude = id === "claude-code";
    const client = findClient(id);
    const content = client && findDefaultFile(client)?.format === "json" ? SETTINGS : "# mine\n";
    const path = await home.install(id, content);
    await clients.register([id]);
    expect(await read(path)).toBe(content);

    await clients.follow(() => [createWorkload("weather")]);

    const shown = await read(path);
    // A client that starts its servers itself is given the server's name.
    if (id !== "claude-desktop") expect(shown).toContain(SERVER_URL);
    expect(shown).toContain("weather");
    expect(isClaude || (await clients.status()).find((client) => client.id === id)?.isInstalled).toBe(true);
    await clients.follow(() => [createWorkload("weather", "stopped")]);
    expect(await read(path)).toBe(content);
  });
});

describe("a client that starts its servers itself", () => {
  const readCommand = async (path: string, name: string) => JSON.parse(await read(path)).mcpServers[name];

  test("is given this program and the server's name, which stays when the address changes", async () => {
    const path = await home.install("claude-desktop", "{}");
    await clients.register(["claude-desktop"]);
    await clients.follow(() => [createWorkload("weather")]);

    const entry = await readCommand(path, "weather");
    await clients.follow(() => [createWorkload("weather", "running", "http://127.0.0.1:4/mcp")]);

    expect(entry).toEqual({ command: "/usr/bin/thv", args: ["proxy", "stdio", "weather"] });
    expect(await readCommand(path, "weather")).toEqual(entry);
  });
});

describe("registering", () => {
  test("writes the workloads that run already, and is remembered in order", async () => {
    const path = await home.install("cursor", "{}");
    await clients.follow(() => [createWorkload("weather"), createWorkload("off", "stopped")]);

    expect(await clients.register(["cursor", "vscode", "cursor"])).toEqual(["cursor", "vscode", "cursor"]);

    expect(JSON.parse(await read(path))).toEqual({ mcpServers: { weather: { url: SERVER_URL, type: "http" } } });
    expect(await clients.list()).toEqual(["cursor", "vscode"]);
  });

  test("an unknown client changes nothing, also not for the known ones before it", async () => {
    const path = await home.install("cursor", "{}");
    await clients.follow(() => [createWorkload("weather")]);

    await expect(clients.register(["cursor", "emacs"])).rejects.toMatchObject({ code: "CLIENT_UNKNOWN" });

    expect(await read(path)).toBe("{}");
    expect(await clients.list()).toEqual([]);
  });

  test("a client whose file is broken takes back the ones before it", async () => {
    const good = await home.install("cursor", "{ }");
    const bad = await home.install("windsurf", '{"a": ');
    await clients.follow(() => [createWorkload("weather")]);

    await expect(clients.register(["cursor", "windsurf"])).rejects.toMatchObject({ code: "CLIENT_FILE_INVALID" });

    expect([await read(good), await read(bad)]).toEqual(["{ }", '{"a": ']);
    expect(await clients.list()).toEqual([]);
  });

  test("a client that is not installed is remembered, and gets its entries once it is", async () => {
    await clients.register(["cursor"]);
    await clients.follow(() => [createWorkload("weather")]);
    expect(await readdir(home.path)).not.toContain(".cursor");

    const path = await home.install("cursor");
    await clients.follow(() => [createWorkload("weather")]);

    expect(JSON.parse(await read(path))).toHaveProperty("mcpServers.weather");
    await clients.unregister(["cursor"]);
    expect(await readdir(dirname(path))).toEqual([]);
  });
});

describe("unregistering", () => {
  test("takes out what was put in and keeps what somebody else wrote since", async () => {
    const path = await home.install("cursor", "{}");
    await clients.register(["cursor"]);
    await clients.follow(() => [createWorkload("weather")]);
    const theirs = (await read(path)).replace("{", '{ "theirs": 1,');
    await writeFile(path, theirs);

    await clients.unregister(["cursor"]);

    expect(JSON.parse(await read(path))).toEqual({ theirs: 1, mcpServers: {} });
    expect(await clients.list()).toEqual([]);
  });

  test.each([
    ["was never installed", false],
    ["was uninstalled", true],
  ])("a client that %s changes no file, and is no failure", async (_what, wasInstalled) => {
    if (wasInstalled) await home.install("cursor", "{}");
    await clients.register(["cursor"]);
    await clients.follow(() => [createWorkload("weather")]);
    await rm(join(home.path, ".cursor"), { recursive: true, force: true });

    expect(await clients.preview({ unregister: ["cursor", "vscode", "emacs"] })).toEqual({ files: [], failures: [] });
    await clients.unregister(["cursor"]);

    expect([clients.listFailures(), await clients.list()]).toEqual([[], []]);
  });

  test("an entry of the same name that is not ours stays", async () => {
    const content = '{"mcpServers": {"weather": {"url": "http://elsewhere"}}}';
    const path = await home.install("cursor", content);

    await clients.unregister(["cursor", "emacs"]);
    await clients.follow(() => [createWorkload("weather", "stopped")]);

    expect(await read(path)).toBe(content);
  });
});

test("clients that have a server are those whose file has its entry now, or its group's", async () => {
  const path = await home.install("cursor", "{}");
  await home.install("zed", "{}");
  await clients.register(["cursor", "zed"]);
  await clients.follow(() => [
    createWorkload("weather"),
    createWorkload("old", "running", "http://127.0.0.1:1/sse#old"),
  ]);
  const none = new Map<string, string>();

  expect(await clients.listHolders("weather", none)).toEqual([{ client: "cursor" }, { client: "zed" }]);
  // Zed takes no SSE.
  expect(await clients.listHolders("old", none)).toEqual([{ client: "cursor" }]);
  expect(await clients.listHolders("other", none)).toEqual([]);
  expect(await clients.listHolders("other", new Map([["work", "weather"]]))).toEqual([
    { client: "cursor", group: "work" },
    { client: "zed", group: "work" },
  ]);
  await writeFile(path, "{}");
  expect(await clients.listHolders("weather", none)).toEqual([{ client: "zed" }]);
});

test("a client that cannot use SSE gets no entry for such a server", async () => {
  const path = await home.install("zed", "{}");
  await clients.register(["zed"]);

  await clients.follow(() => [createWorkload("old", "running", "http://127.0.0.1:1/sse#old")]);

  expect(await read(path)).toBe("{}");
});

test("a server whose address changes has its entry replaced", async () => {
  const path = await home.install("cursor", "{}");
  await clients.register(["cursor"]);
  await clients.follow(() => [createWorkload("weather")]);

  await clients.follow(() => [createWorkload("weather", "running", "http://127.0.0.1:2/mcp")]);

  expect(JSON.parse(await read(path)).mcpServers.weather.url).toBe("http://127.0.0.1:2/mcp");
});
