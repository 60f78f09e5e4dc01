import { chmod, lstat, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ClientHome, createWorkload, SERVER_URL } from "../testing/client-home.ts";
import type { ClientManager } from "./client-manager.ts";

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

describe("a client's file", () => {
  test.each([
    ["malformed", '{"a": '],
    ["not an object", "[]"],
    ["not UTF-8", Buffer.from([0x7b, 0xff, 0x7d])],
  ])("that is %s is left as it is, and said", async (_what, content) => {
    const path = await home.install("cursor", "");
    await clients.register(["cursor"]);
    await writeFile(path, content);

    await clients.follow(() => [createWorkload("weather")]);

    expect(await readFile(path)).toEqual(Buffer.from(content));
    expect(home.warnings.join()).toContain("cursor");
    expect(clients.listFailures()).toMatchObject([{ client: "cursor", reason: expect.stringContaining(path) }]);
    await expect(clients.register(["cursor"])).rejects.toMatchObject({ code: "CLIENT_FILE_INVALID" });

    await writeFile(path, "{}");
    await clients.follow(() => [createWorkload("weather")]);
    expect(clients.listFailures()).toEqual([]);
  });

  test("that is read-only is left as it is, and said", async () => {
    const path = await home.install("cursor", "{}");
    await chmod(path, 0o444);
    const refused = { code: "CLIENT_FILE_FAILED", message: expect.stringContaining(`${path} of Cursor cannot be`) };
    await expect(clients.register(["cursor"])).rejects.toMatchObject(refused);
    await clients.follow(() => [createWorkload("weather")]);

    await expect(clients.register(["cursor"])).rejects.toMatchObject(refused);

    expect(await read(path)).toBe("{}");
    expect(await clients.list()).toEqual([]);
  });

  test("that became read-only keeps our entry when the client is unregistered, and the failure has its path", async () => {
    const path = await home.install("cursor", "{}");
    await clients.register(["cursor"]);
    await clients.follow(() => [createWorkload("weather")]);
    await chmod(path, 0o444);
    const starting = { name: "other", url: SERVER_URL };
    const failure = { client: "cursor", reason: expect.stringContaining(path), hint: expect.any(String) };

    expect(await clients.preview({ starting })).toEqual({ files: [], failures: [failure] });
    await clients.unregister(["cursor"]);

    expect(await clients.list()).toEqual([]);
    expect(clients.listFailures()).toEqual([failure]);
    expect((await clients.status()).find(({ id }) => id === "cursor")).toMatchObject({ failure: failure.reason });
    // A workload may change at any moment: our entry is still in the file, so the failure stays.
    await clients.follow(() => []);
    expect(clients.listFailures()).toEqual([failure]);
    await chmod(path, 0o644);
    await clients.unregister(["cursor"]);
    expect(clients.listFailures()).toEqual([]);
  });

  test("behind a link is changed where it is, and the link stays", async () => {
    const path = await home.install("cursor");
    const target = join(home.path, "dotfiles.json");
    await writeFile(target, "{}");
    await symlink(target, path);
    await clients.register(["cursor"]);

    await clients.follow(() => [createWorkload("weather")]);

    expect((await lstat(path)).isSymbolicLink()).toBe(true);
    expect(await read(target)).toContain(SERVER_URL);
  });

  test("keeps its rights", async () => {
    const path = await home.install("cursor", "{}");
    await chmod(path, 0o640);
    await clients.register(["cursor"]);

    await clients.follow(() => [createWorkload("weather")]);

    expect((await lstat(path)).mode & 0o777).toBe(0o640);
  });

  describe("of Visual Studio Code", () => {
    const ENTRY = { weather: { url: SERVER_URL, type: "http" } };
    const OWN = { mine: { command: "my-server" } };

    test.each([
      ["neither file is there", undefined, undefined],
      ["its settings have no servers", undefined, SETTINGS],
      ["its settings have an empty list", undefined, '{"mcp": {"servers": {}}}'],
      ["its settings cannot be read", undefined, "{ not JSON"],
      ["both files have servers", JSON.stringify({ servers: OWN }), JSON.stringify({ mcp: { servers: OWN } })],
    ])("is mcp.json when %s, and its settings are left alone", async (_when, servers, settings) => {
      const path = await home.install("vscode", servers);
      const old = join(dirname(path), "settings.json");
      if (settings !== undefined) await writeFile(old, settings);
      await clients.register(["vscode"]);

      await clients.follow(() => [createWorkload("weather")]);

      expect(JSON.parse(await read(path)).servers).toMatchObject(ENTRY);
      if (settings !== undefined) expect(await read(old)).toBe(settings);
    });

    test("is settings.json while that has servers and there is no mcp.json, until the last one of ours goes", async () => {
      const path = await home.install("vscode");
      const old = join(dirname(path), "settings.json");
      const settings = JSON.stringify({ mcp: { servers: OWN } });
      await writeFile(old, settings);
      await clients.register(["vscode"]);

      await clients.follow(() => [createWorkload("weather")]);
      expect(JSON.parse(await read(old)).mcp.servers).toEqual({ ...OWN, ...ENTRY });
      await expect(read(path)).rejects.toMatchObject({ code: "ENOENT" });
      await clients.follow(() => [createWorkload("weather", "stopped")]);

      expect(await read(old)).toBe(settings);
    });

    test("goes on in settings.json with entries that an earlier version wrote there", async () => {
      const path = await home.install("vscode");
      const old = join(dirname(path), "settings.json");
      await writeFile(old, JSON.stringify({ mcp: { servers: ENTRY } }));
      await clients.register(["vscode"]);

      await clients.follow(() => [createWorkload("weather", "running", "http://127.0.0.1:2/mcp")]);

      expect(JSON.parse(await read(old)).mcp.servers.weather.url).toBe("http://127.0.0.1:2/mcp");
      await expect(read(path)).rejects.toMatchObject({ code: "ENOENT" });
    });
  });
});

describe("an entry of the user's own with the name of a server", () => {
  const OWN = '{ "mcpServers": { "mine": { "command": "my-server" } } }\n';

  test("is named while the server's takes its place, and comes back to the byte", async () => {
    const path = await home.install("cursor", OWN);
    await clients.register(["cursor"]);
    expect(await clients.listReplaced()).toEqual([]);

    await clients.follow(() => [createWorkload("mine"), createWorkload("other")]);
    expect(await clients.listReplaced()).toEqual([{ client: "cursor", workload: "mine" }]);
    expect(JSON.parse(await read(path)).mcpServers.mine).toHaveProperty("url");

    await clients.follow(() => [createWorkload("mine", "stopped"), createWorkload("other", "stopped")]);
    expect(await clients.listReplaced()).toEqual([]);
    expect(await read(path)).toBe(OWN);
  });

  test("is not taken for one of ours, also when the files are read again later", async () => {
    await home.install("cursor", "{}");
    await clients.register(["cursor"]);
    for (const port of [28113, 28114]) {
      await clients.follow(() => [createWorkload("mine", "running", `http://127.0.0.1:${port}/mcp`)]);
      expect(await clients.listReplaced()).toEqual([]);
    }
  });
});

test("a record of a newer version is refused, and neither it nor the client's file is changed", async () => {
  const path = await home.install("cursor", "{}");
  await clients.register(["cursor"]);
  await clients.follow(() => [createWorkload("fs")]);
  const [folder = ""] = (await readdir(join(home.path, "state"), { recursive: true })).filter((each) =>
    each.endsWith("cursor.json"),
  );
  const record = join(home.path, "state", folder);
  expect(JSON.parse(await read(record))).toMatchObject({ state_version: 1, entries: ["fs"] });
  const newer = (await read(record)).replace('"state_version": 1', '"state_version": 2');
  await writeFile(record, newer);
  const before = await read(path);

  await clients.follow(() => [createWorkload("fs", "stopped")]);

  expect(home.warnings.join()).toContain("was written by a newer thv");
  expect([await read(path), await read(record)]).toEqual([before, newer]);
  expect(await clients.listReplaced()).toEqual([]);
});
