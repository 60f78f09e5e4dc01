import { chmod, lstat, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ConfigFile } from "../config/config-file.ts";
import type { Workload } from "../workload/workload.ts";
import { ClientManager } from "./client-manager.ts";
import { createClientSettings } from "./client-settings.ts";
import { CLIENTS, findClient, findDefaultFile } from "./client-types.ts";
import { resolvePlace } from "./resolve-place.ts";

const URL_OF = "http://127.0.0.1:28113/mcp";
const SETTINGS = '{\n\t// mine\n\t"editor.fontSize": 13,\n}\n';

let home: string;
let clients: ClientManager;
let warnings: string[];
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "clients-"));
  warnings = [];
  const quiet = () => undefined;
  clients = new ClientManager({
    settings: createClientSettings(new ConfigFile(join(home, "own"))),
    program: ["/usr/bin/thv"],
    places: { home, platform: "linux" },
    stateDirectory: join(home, "state"),
    log: { error: quiet, warn: (fields) => warnings.push(JSON.stringify(fields)), info: quiet, debug: quiet },
  });
});
afterEach(async () => {
  await rm(home, { recursive: true });
});

const workload = (name: string, status: Workload["status"], url = URL_OF): Workload => ({
  name,
  package: "image",
  url,
  port: 28113,
  toolType: "mcp",
  transportType: "stdio",
  status,
  statusContext: "",
  createdAt: new Date(0),
});

async function install(id: string, content?: string): Promise<string> {
  const client = findClient(id);
  const file = client && findDefaultFile(client);
  if (!client || !file) throw new Error(`no client ${id}`);
  const path = resolvePlace(file.path, { home, platform: "linux" });
  await mkdir(dirname(path), { recursive: true });
  if (content !== undefined) await writeFile(path, content);
  return path;
}

const read = async (path: string) => await readFile(path, "utf8");

describe("an entry of the user's own with the name of a server", () => {
  const OWN = '{ "mcpServers": { "mine": { "command": "my-server" } } }\n';

  test("is named while the server's takes its place, and comes back to the byte", async () => {
    const path = await install("cursor", OWN);
    await clients.register(["cursor"]);
    expect(await clients.listReplaced()).toEqual([]);

    await clients.follow([workload("mine", "running"), workload("other", "running")]);
    expect(await clients.listReplaced()).toEqual([{ client: "cursor", workload: "mine" }]);
    expect(JSON.parse(await read(path)).mcpServers.mine).toHaveProperty("url");

    await clients.follow([workload("mine", "stopped"), workload("other", "stopped")]);
    expect(await clients.listReplaced()).toEqual([]);
    expect(await read(path)).toBe(OWN);
  });

  test("is not taken for one of ours, also when the files are read again later", async () => {
    await install("cursor", "{}");
    await clients.register(["cursor"]);
    for (const port of [28113, 28114]) {
      await clients.follow([workload("mine", "running", `http://127.0.0.1:${port}/mcp`)]);
      expect(await clients.listReplaced()).toEqual([]);
    }
  });
});

describe("the table of clients", () => {
  test("begins with the specification's six in the reference's order", () => {
    const ids = CLIENTS.map(({ id }) => id);

    expect(ids.slice(0, 6)).toEqual(["roo-code", "cline", "vscode-insider", "vscode", "cursor", "claude-code"]);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test.each([
    ["RooCode", "roo-code"],
    ["VSCodeInsider", "vscode-insider"],
    ["ClaudeCode", "claude-code"],
    ["cursor", "cursor"],
    ["", undefined],
    ["emacs", undefined],
  ])("%j names %s", (name, id) => {
    expect(findClient(name)?.id).toBe(id);
  });

  test.each([
    ["linux", "/h/.config/Code/User/mcp.json"],
    ["darwin", "/h/Library/Application Support/Code/User/mcp.json"],
    ["win32", "C:\\h\\AppData\\Roaming\\Code\\User\\mcp.json"],
  ] as const)("on %s Visual Studio Code's servers are where it keeps them", (platform, path) => {
    const client = findClient("vscode");
    const file = client && findDefaultFile(client);

    expect(file && resolvePlace(file.path, { home: platform === "win32" ? "C:\\h" : "/h", platform })).toBe(path);
  });
});

describe.each(CLIENTS.map(({ id }) => [id]))("%s", (id) => {
  test("gets an entry for a running workload, loses it when it stops, and has its file back as it was", async () => {
    const isClaude = id === "claude-code";
    const client = findClient(id);
    const content = client && findDefaultFile(client)?.format === "json" ? SETTINGS : "# mine\n";
    const path = await install(id, content);
    await clients.register([id]);
    expect(await read(path)).toBe(content);

    await clients.follow([workload("weather", "running")]);

    const shown = await read(path);
    // A client that starts its servers itself is given the server's name.
    if (id !== "claude-desktop") expect(shown).toContain(URL_OF);
    expect(shown).toContain("weather");
    expect(isClaude || (await clients.status()).find((client) => client.id === id)?.isInstalled).toBe(true);
    await clients.follow([workload("weather", "stopped")]);
    expect(await read(path)).toBe(content);
  });
});

describe("a client that starts its servers itself", () => {
  const readCommand = async (path: string, name: string) => JSON.parse(await read(path)).mcpServers[name];

  test("is given this program and the server's name, which stays when the address changes", async () => {
    const path = await install("claude-desktop", "{}");
    await clients.register(["claude-desktop"]);
    await clients.follow([workload("weather", "running")]);

    const entry = await readCommand(path, "weather");
    await clients.follow([{ ...workload("weather", "running"), url: "http://127.0.0.1:4/mcp" } as Workload]);

    expect(entry).toEqual({ command: "/usr/bin/thv", args: ["proxy", "stdio", "weather"] });
    expect(await readCommand(path, "weather")).toEqual(entry);
  });
});

describe("registering", () => {
  test("writes the workloads that run already, and is remembered in order", async () => {
    const path = await install("cursor", "{}");
    await clients.follow([workload("weather", "running"), workload("off", "stopped")]);

    expect(await clients.register(["cursor", "vscode", "cursor"])).toEqual(["cursor", "vscode", "cursor"]);

    expect(JSON.parse(await read(path))).toEqual({ mcpServers: { weather: { url: URL_OF, type: "http" } } });
    expect(await clients.list()).toEqual(["cursor", "vscode"]);
  });

  test("an unknown client changes nothing, also not for the known ones before it", async () => {
    const path = await install("cursor", "{}");
    await clients.follow([workload("weather", "running")]);

    await expect(clients.register(["cursor", "emacs"])).rejects.toMatchObject({ code: "CLIENT_UNKNOWN" });

    expect(await read(path)).toBe("{}");
    expect(await clients.list()).toEqual([]);
  });

  test("a client whose file is broken takes back the ones before it", async () => {
    const good = await install("cursor", "{ }");
    const bad = await install("windsurf", '{"a": ');
    await clients.follow([workload("weather", "running")]);

    await expect(clients.register(["cursor", "windsurf"])).rejects.toMatchObject({ code: "CLIENT_FILE_INVALID" });

    expect([await read(good), await read(bad)]).toEqual(["{ }", '{"a": ']);
    expect(await clients.list()).toEqual([]);
  });

  test("a client that is not installed is remembered, and gets its entries once it is", async () => {
    await clients.register(["cursor"]);
    await clients.follow([workload("weather", "running")]);
    expect(await readdir(home)).not.toContain(".cursor");

    const path = await install("cursor");
    await clients.follow([workload("weather", "running")]);

    expect(JSON.parse(await read(path))).toHaveProperty("mcpServers.weather");
    await clients.unregister(["cursor"]);
    expect(await readdir(dirname(path))).toEqual([]);
  });
});

describe("unregistering", () => {
  test("takes out what was put in and keeps what somebody else wrote since", async () => {
    const path = await install("cursor", "{}");
    await clients.register(["cursor"]);
    await clients.follow([workload("weather", "running")]);
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
    if (wasInstalled) await install("cursor", "{}");
    await clients.register(["cursor"]);
    await clients.follow([workload("weather", "running")]);
    await rm(join(home, ".cursor"), { recursive: true, force: true });

    expect(await clients.preview({ unregister: ["cursor", "vscode", "emacs"] })).toEqual({ files: [], failures: [] });
    await clients.unregister(["cursor"]);

    expect([clients.listFailures(), await clients.list()]).toEqual([[], []]);
  });

  test("an entry of the same name that is not ours stays", async () => {
    const content = '{"mcpServers": {"weather": {"url": "http://elsewhere"}}}';
    const path = await install("cursor", content);

    await clients.unregister(["cursor", "emacs"]);
    await clients.follow([workload("weather", "stopped")]);

    expect(await read(path)).toBe(content);
  });
});

describe("a client's file", () => {
  test.each([
    ["malformed", '{"a": '],
    ["not an object", "[]"],
    ["not UTF-8", Buffer.from([0x7b, 0xff, 0x7d])],
  ])("that is %s is left as it is, and said", async (_what, content) => {
    const path = await install("cursor", "");
    await clients.register(["cursor"]);
    await writeFile(path, content);

    await clients.follow([workload("weather", "running")]);

    expect(await readFile(path)).toEqual(Buffer.from(content));
    expect(warnings.join()).toContain("cursor");
    expect(clients.listFailures()).toMatchObject([{ client: "cursor", reason: expect.stringContaining(path) }]);
    await expect(clients.register(["cursor"])).rejects.toMatchObject({ code: "CLIENT_FILE_INVALID" });

    await writeFile(path, "{}");
    await clients.follow([workload("weather", "running")]);
    expect(clients.listFailures()).toEqual([]);
  });

  test("that is read-only is left as it is, and said", async () => {
    const path = await install("cursor", "{}");
    await chmod(path, 0o444);
    const refused = { code: "CLIENT_FILE_FAILED", message: expect.stringContaining(`${path} of Cursor cannot be`) };
    await expect(clients.register(["cursor"])).rejects.toMatchObject(refused);
    await clients.follow([workload("weather", "running")]);

    await expect(clients.register(["cursor"])).rejects.toMatchObject(refused);

    expect(await read(path)).toBe("{}");
    expect(await clients.list()).toEqual([]);
  });

  test("that became read-only keeps our entry when the client is unregistered, and the failure has its path", async () => {
    const path = await install("cursor", "{}");
    await clients.register(["cursor"]);
    await clients.follow([workload("weather", "running")]);
    await chmod(path, 0o444);
    const starting = { name: "other", url: URL_OF };
    const failure = { client: "cursor", reason: expect.stringContaining(path), hint: expect.any(String) };

    expect(await clients.preview({ starting })).toEqual({ files: [], failures: [failure] });
    await clients.unregister(["cursor"]);

    expect(await clients.list()).toEqual([]);
    expect(clients.listFailures()).toEqual([failure]);
    expect((await clients.status()).find(({ id }) => id === "cursor")).toMatchObject({ failure: failure.reason });
    // A workload may change at any moment: our entry is still in the file, so the failure stays.
    await clients.follow([]);
    expect(clients.listFailures()).toEqual([failure]);
    await chmod(path, 0o644);
    await clients.unregister(["cursor"]);
    expect(clients.listFailures()).toEqual([]);
  });

  test("behind a link is changed where it is, and the link stays", async () => {
    const path = await install("cursor");
    const target = join(home, "dotfiles.json");
    await writeFile(target, "{}");
    await symlink(target, path);
    await clients.register(["cursor"]);

    await clients.follow([workload("weather", "running")]);

    expect((await lstat(path)).isSymbolicLink()).toBe(true);
    expect(await read(target)).toContain(URL_OF);
  });

  test("keeps its rights", async () => {
    const path = await install("cursor", "{}");
    await chmod(path, 0o640);
    await clients.register(["cursor"]);

    await clients.follow([workload("weather", "running")]);

    expect((await lstat(path)).mode & 0o777).toBe(0o640);
  });

  describe("of Visual Studio Code", () => {
    const ENTRY = { weather: { url: URL_OF, type: "http" } };
    const OWN = { mine: { command: "my-server" } };

    test.each([
      ["neither file is there", undefined, undefined],
      ["its settings have no servers", undefined, SETTINGS],
      ["its settings have an empty list", undefined, '{"mcp": {"servers": {}}}'],
      ["its settings cannot be read", undefined, "{ not JSON"],
      ["both files have servers", JSON.stringify({ servers: OWN }), JSON.stringify({ mcp: { servers: OWN } })],
    ])("is mcp.json when %s, and its settings are left alone", async (_when, servers, settings) => {
      const path = await install("vscode", servers);
      const old = join(dirname(path), "settings.json");
      if (settings !== undefined) await writeFile(old, settings);
      await clients.register(["vscode"]);

      await clients.follow([workload("weather", "running")]);

      expect(JSON.parse(await read(path)).servers).toMatchObject(ENTRY);
      if (settings !== undefined) expect(await read(old)).toBe(settings);
    });

    test("is settings.json while that has servers and there is no mcp.json, until the last one of ours goes", async () => {
      const path = await install("vscode");
      const old = join(dirname(path), "settings.json");
      const settings = JSON.stringify({ mcp: { servers: OWN } });
      await writeFile(old, settings);
      await clients.register(["vscode"]);

      await clients.follow([workload("weather", "running")]);
      expect(JSON.parse(await read(old)).mcp.servers).toEqual({ ...OWN, ...ENTRY });
      await expect(read(path)).rejects.toMatchObject({ code: "ENOENT" });
      await clients.follow([workload("weather", "stopped")]);

      expect(await read(old)).toBe(settings);
    });

    test("goes on in settings.json with entries that an earlier version wrote there", async () => {
      const path = await install("vscode");
      const old = join(dirname(path), "settings.json");
      await writeFile(old, JSON.stringify({ mcp: { servers: ENTRY } }));
      await clients.register(["vscode"]);

      await clients.follow([workload("weather", "running", "http://127.0.0.1:2/mcp")]);

      expect(JSON.parse(await read(old)).mcp.servers.weather.url).toBe("http://127.0.0.1:2/mcp");
      await expect(read(path)).rejects.toMatchObject({ code: "ENOENT" });
    });
  });
});

test("clients that have a server are those whose file has its entry now, or its group's", async () => {
  const path = await install("cursor", "{}");
  await install("zed", "{}");
  await clients.register(["cursor", "zed"]);
  await clients.follow([workload("weather", "running"), workload("old", "running", "http://127.0.0.1:1/sse#old")]);
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
  const path = await install("zed", "{}");
  await clients.register(["zed"]);

  await clients.follow([workload("old", "running", "http://127.0.0.1:1/sse#old")]);

  expect(await read(path)).toBe("{}");
});

test("a server whose address changes has its entry replaced", async () => {
  const path = await install("cursor", "{}");
  await clients.register(["cursor"]);
  await clients.follow([workload("weather", "running")]);

  await clients.follow([workload("weather", "running", "http://127.0.0.1:2/mcp")]);

  expect(JSON.parse(await read(path)).mcpServers.weather.url).toBe("http://127.0.0.1:2/mcp");
});

test("a record of a newer version is refused, and neither it nor the client's file is changed", async () => {
  const path = await install("cursor", "{}");
  await clients.register(["cursor"]);
  await clients.follow([workload("fs", "running")]);
  const [folder = ""] = (await readdir(join(home, "state"), { recursive: true })).filter((each) =>
    each.endsWith("cursor.json"),
  );
  const record = join(home, "state", folder);
  expect(JSON.parse(await read(record))).toMatchObject({ state_version: 1, entries: ["fs"] });
  const newer = (await read(record)).replace('"state_version": 1', '"state_version": 2');
  await writeFile(record, newer);
  const before = await read(path);

  await clients.follow([workload("fs", "stopped")]);

  expect(warnings.join()).toContain("was written by a newer thv");
  expect([await read(path), await read(record)]).toEqual([before, newer]);
  expect(await clients.listReplaced()).toEqual([]);
});

describe("a client of a group", () => {
  const selectFor = (groups: readonly string[], all: readonly Pick<Workload, "name" | "url" | "status">[]) => [
    ...(groups.includes("default") ? all : []),
    ...(groups.includes("work")
      ? [{ name: "thv-work", url: "http://127.0.0.1:28114/mcp", status: "running" as const }]
      : []),
  ];
  let grouped: ClientManager;
  beforeEach(() => {
    const quiet = () => undefined;
    grouped = new ClientManager({
      settings: createClientSettings(new ConfigFile(join(home, "own"))),
      program: ["/usr/bin/thv"],
      places: { home, platform: "linux" },
      stateDirectory: join(home, "state"),
      selectFor,
      log: { error: quiet, warn: quiet, info: quiet, debug: quiet },
    });
  });
  test("that starts its servers itself is given the group's address", async () => {
    const path = await install("claude-desktop", "{}");
    await grouped.follow([workload("fetch", "running")]);

    await grouped.register(["claude-desktop"], "work");

    expect(JSON.parse(await read(path)).mcpServers).toEqual({
      "thv-work": { command: "/usr/bin/thv", args: ["proxy", "stdio", "http://127.0.0.1:28114/mcp"] },
    });
  });

  const entries = async (path: string) => Object.keys(JSON.parse(await read(path)).mcpServers ?? {}).sort();

  test("gets the group's address and no server's", async () => {
    const path = await install("cursor", "{}");
    await grouped.follow([workload("fetch", "running")]);

    await grouped.register(["cursor"], "work");
    expect(await entries(path)).toEqual(["thv-work"]);

    await grouped.register(["cursor"]);
    expect(await entries(path)).toEqual(["fetch", "thv-work"]);
    expect(await grouped.listGroups()).toEqual({ cursor: ["work", "default"] });

    await grouped.leaveGroup(["cursor"], "default");
    expect(await entries(path)).toEqual(["thv-work"]);

    await grouped.leaveGroup(["cursor"], "work");
    expect(await grouped.list()).toEqual([]);
    expect(await read(path)).toBe("{}");
  });

  test("of default alone needs no word in the settings", async () => {
    await install("cursor", "{}");
    await grouped.register(["cursor"]);

    expect(await new ConfigFile(join(home, "own")).load()).not.toHaveProperty("clients.groups");
    expect(await grouped.listGroups()).toEqual({ cursor: ["default"] });
  });

  test("is unregistered when its only group goes", async () => {
    const path = await install("cursor", "{}");
    await grouped.register(["cursor"], "work");

    await grouped.forgetGroup("work");

    expect(await grouped.list()).toEqual([]);
    expect(await read(path)).toBe("{}");
  });
});

test("a preview for a group shows what joining it and leaving it does, and changes nothing", async () => {
  const path = await install("cursor", "{}\n");
  const quiet = () => undefined;
  const listed = [workload("a", "running"), workload("b", "running")];
  const grouped = new ClientManager({
    settings: createClientSettings(new ConfigFile(join(home, "own"))),
    program: ["/usr/bin/thv"],
    places: { home, platform: "linux" },
    stateDirectory: join(home, "state"),
    log: { error: quiet, warn: quiet, info: quiet, debug: quiet },
    // A group has the server of its name.
    selectFor: (groups, all) => all.filter(({ name }) => groups.includes(name)),
  });
  await grouped.follow(listed);
  const names = async (options: Parameters<ClientManager["preview"]>[0]) => {
    const [file] = (await grouped.preview(options)).files;
    return Object.keys((JSON.parse(file?.after ?? "{}") as { mcpServers?: object }).mcpServers ?? {});
  };

  expect(await names({ register: ["cursor"], group: "a" })).toEqual(["a"]);
  await grouped.register(["cursor"], "a");
  expect((await names({ register: ["cursor"], group: "b" })).sort()).toEqual(["a", "b"]);
  await grouped.register(["cursor"], "b");
  const before = await read(path);
  expect(await names({ unregister: ["cursor"], group: "a" })).toEqual(["b"]);
  expect(await read(path)).toBe(before);
  expect(await grouped.listGroups()).toEqual({ cursor: ["a", "b"] });
});
