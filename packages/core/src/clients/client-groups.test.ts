import { readFile } from "node:fs/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ClientHome, createWorkload, listEntryNames } from "../testing/client-home.ts";
import type { Workload } from "../workload/workload.ts";
import type { ClientManager } from "./client-manager.ts";

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

describe("a client of a group", () => {
  const selectFor = (groups: readonly string[], all: readonly Pick<Workload, "name" | "url" | "status">[]) => [
    ...(groups.includes("default") ? all : []),
    ...(groups.includes("work")
      ? [{ name: "thv-work", url: "http://127.0.0.1:28114/mcp", status: "running" as const }]
      : []),
  ];
  beforeEach(() => {
    clients = home.openManager({ selectFor });
  });

  test("that starts its servers itself is given the group's address", async () => {
    const path = await home.install("claude-desktop", "{}");
    await clients.follow(() => [createWorkload("fetch")]);

    await clients.register(["claude-desktop"], "work");

    expect(JSON.parse(await read(path)).mcpServers).toEqual({
      "thv-work": { command: "/usr/bin/thv", args: ["proxy", "stdio", "http://127.0.0.1:28114/mcp"] },
    });
  });

  test("gets the group's address and no server's", async () => {
    const path = await home.install("cursor", "{}");
    await clients.follow(() => [createWorkload("fetch")]);

    await clients.register(["cursor"], "work");
    expect(await listEntryNames(path)).toEqual(["thv-work"]);

    await clients.register(["cursor"]);
    expect(await listEntryNames(path)).toEqual(["fetch", "thv-work"]);
    expect(await clients.listGroups()).toEqual({ cursor: ["work", "default"] });

    await clients.leaveGroup(["cursor"], "default");
    expect(await listEntryNames(path)).toEqual(["thv-work"]);

    await clients.leaveGroup(["cursor"], "work");
    expect(await clients.list()).toEqual([]);
    expect(await read(path)).toBe("{}");
  });

  test("of default alone needs no word in the settings", async () => {
    await home.install("cursor", "{}");
    await clients.register(["cursor"]);

    expect(await home.config.load()).not.toHaveProperty("clients.groups");
    expect(await clients.listGroups()).toEqual({ cursor: ["default"] });
  });

  test("is unregistered when its only group goes", async () => {
    const path = await home.install("cursor", "{}");
    await clients.register(["cursor"], "work");

    await clients.forgetGroup("work");

    expect(await clients.list()).toEqual([]);
    expect(await read(path)).toBe("{}");
  });
});

test("a preview for a group shows what joining it and leaving it does, and changes nothing", async () => {
  const path = await home.install("cursor", "{}\n");
  const listed = [createWorkload("a"), createWorkload("b")];
  // A group has the server of its name.
  clients = home.openManager({ selectFor: (groups, all) => all.filter(({ name }) => groups.includes(name)) });
  await clients.follow(() => listed);
  const names = async (options: Parameters<ClientManager["preview"]>[0]) => {
    const [file] = (await clients.preview(options)).files;
    return Object.keys((JSON.parse(file?.after ?? "{}") as { mcpServers?: object }).mcpServers ?? {});
  };

  expect(await names({ register: ["cursor"], group: "a" })).toEqual(["a"]);
  await clients.register(["cursor"], "a");
  expect((await names({ register: ["cursor"], group: "b" })).sort()).toEqual(["a", "b"]);
  await clients.register(["cursor"], "b");
  const before = await read(path);
  expect(await names({ unregister: ["cursor"], group: "a" })).toEqual(["b"]);
  expect(await read(path)).toBe(before);
  expect(await clients.listGroups()).toEqual({ cursor: ["a", "b"] });
});
