/** Groups of workloads: who is in them, what is on disk of them, and what clients get of them. */
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ThvError } from "../support/errors.ts";
import { createMember, GroupHome } from "../testing/group-home.ts";
import type { GroupManager } from "./group-manager.ts";
import { GroupStore, MAX_GROUP_MEMBERS } from "./group-store.ts";

let home: GroupHome;
beforeEach(async () => {
  home = await GroupHome.create();
});
afterEach(async () => {
  await home[Symbol.asyncDispose]();
});

const names = (groups: GroupManager, group: string) => groups.listMembers(group);

test("members are listed by name with numbers in their order, and the tools of the group default are not counted", async () => {
  home.workloads = ["r10", "r2", "r1"].map((name) => createMember(name));
  const groups = await home.open();
  expect(names(groups, "default")).toEqual(["r1", "r2", "r10"]);
  expect(groups.get("default").members[0]).toEqual({ name: "r1", state: "ready" });
});

test("every workload is in default until it is put somewhere else", async () => {
  const groups = await home.open();
  expect(names(groups, "default")).toEqual(["fetch", "memory", "old"]);

  await groups.create("work");
  await groups.addMember("work", "fetch");

  expect(names(groups, "default")).toEqual(["memory", "old"]);
  expect(names(groups, "work")).toEqual(["fetch"]);
});

test("a workload may be in several groups, default among them", async () => {
  const groups = await home.open();
  await groups.create("work");
  await groups.create("home");
  for (const group of ["work", "home", "default"]) await groups.addMember(group, "fetch");

  expect(groups.listGroupsWith("fetch")).toEqual(["default", "home", "work"]);

  await groups.removeMember("default", "fetch");
  expect(groups.listGroupsWith("fetch")).toEqual(["home", "work"]);
});

test("a workload cannot leave default when it is in no other group", async () => {
  const groups = await home.open();

  await expect(groups.removeMember("default", "fetch")).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
});

test("a group keeps its members, its address and its naming over a restart", async () => {
  const first = await home.open();
  const { port } = await first.create("work", { naming: "always" });
  await first.addMember("work", "fetch");
  await first.close();
  expect(home.listening.size).toBe(0);

  const second = await home.open();

  expect(second.get("work")).toMatchObject({
    port,
    naming: "always",
    members: [{ name: "fetch", state: "ready", tools: 2 }],
  });
  expect(home.listening.get(port ?? 0)?.options).toMatchObject({ naming: "always" });
});

test("an address that somebody else has is waited for, and not given up", async () => {
  const first = await home.open();
  const { port = 0 } = await first.create("work");
  await first.close();
  home.taken.add(port);

  const second = await home.open();
  expect(second.get("work")).toMatchObject({ port, problem: expect.stringContaining(String(port)) });

  home.taken.delete(port);
  second.follow(home.workloads);
  await expect.poll(() => second.get("work").problem).toBeUndefined();
  expect(home.listening.has(port)).toBe(true);
});

test("a workload that is removed leaves its groups, also on disk", async () => {
  const groups = await home.open();
  await groups.create("work");
  await groups.addMember("work", "fetch");

  home.workloads = home.workloads.filter(({ name }) => name !== "fetch");
  groups.follow(home.workloads);
  await groups.close();

  expect(names(groups, "work")).toEqual([]);
  expect(await new GroupStore(home.directory).load()).toMatchObject([{ name: "work", members: [] }]);
});

test("the group's endpoint receives each start of a server, and the reason why one does not run", async () => {
  const groups = await home.open();
  const { port = 0 } = await groups.create("work");
  await groups.addMember("work", "fetch");
  const member = () => home.listening.get(port)?.members[0];
  const run = member()?.run;

  home.workloads = [{ ...createMember("fetch", "stopped"), statusContext: "told to" }];
  groups.follow(home.workloads);
  expect(member()).toMatchObject({ isRunning: false, reason: "it is stopped: told to" });

  home.workloads = [createMember("fetch")];
  groups.follow(home.workloads);
  expect(member()).toMatchObject({ isRunning: true });
  expect(member()?.run).not.toBe(run);
});

test("a change of one server lists no others, and goes to the endpoints of its own groups only", async () => {
  const groups = await home.open();
  const { port: work = 0 } = await groups.create("work");
  const { port: other = 0 } = await groups.create("other");
  await groups.addMember("work", "fetch");
  await groups.addMember("other", "memory");
  const members = (port: number) => home.listening.get(port)?.members;
  const before = { work: members(work), other: members(other), lists: home.lists };

  home.workloads = [createMember("fetch", "stopped"), createMember("memory")];
  groups.followOne({ name: "fetch", workload: home.workloads[0] });

  expect(members(work)).toMatchObject([{ name: "fetch", isRunning: false }]);
  expect(members(other)).toBe(before.other);
  expect(groups.listGroupsWith("fetch")).toEqual(["work"]);
  expect(home.lists).toBe(before.lists);

  home.workloads = [createMember("memory")];
  groups.followOne({ name: "fetch", workload: undefined });
  await groups.close();

  expect(names(groups, "work")).toEqual([]);
  expect(await new GroupStore(home.directory).load()).toMatchObject([
    { name: "other", members: ["memory"] },
    { name: "work", members: [] },
  ]);
});

test("what a server offers is kept, and known to the next endpoint", async () => {
  const first = await home.open();
  const { port = 0 } = await first.create("work");
  home.listening.get(port)?.options.onKnown?.("fetch", { tools: ['{"name":"a"}'] });
  await expect
    .poll(async () => await readdir(join(home.directory, "server-lists")).catch(() => []))
    .toEqual(["fetch.json"]);
  await first.close();

  await home.open();

  expect(home.listening.get(port)?.options.known).toEqual({ fetch: { tools: ['{"name":"a"}'] } });
});

describe("a workload that is created in a group", () => {
  test("is in that group and never in default", async () => {
    const groups = await home.open();
    await groups.create("work");
    const seen: string[][] = [];

    await groups.place("work", async () => {
      home.workloads = [...home.workloads, createMember("new", "starting")];
      groups.follow(home.workloads);
      seen.push(groups.selectFor(["default"], home.workloads).map(({ name }) => name));
      return { name: "new" };
    });

    expect(seen).toEqual([["fetch", "memory", "old"]]);
    expect(names(groups, "default")).toEqual(["fetch", "memory", "old"]);
    expect(names(groups, "work")).toEqual(["new"]);
  });

  test("is not created when there is no such group", async () => {
    const groups = await home.open();
    let isCreated = false;
    const create = async () => {
      isCreated = true;
      return { name: "new" };
    };

    await expect(groups.place("nowhere", create)).rejects.toMatchObject({ code: "GROUP_NOT_FOUND" });
    expect(isCreated).toBe(false);
  });
});

test("clients of a group get its address, those of default each server's", async () => {
  const groups = await home.open();
  const { port, url } = await groups.create("work");
  await groups.addMember("work", "fetch");

  expect(groups.selectFor(["work"], home.workloads)).toEqual([{ name: "thv-work", url, status: "running" }]);
  expect(groups.selectFor(["default", "work"], home.workloads).map(({ name }) => name)).toEqual([
    "memory",
    "old",
    "thv-work",
  ]);
  expect(url).toBe(`http://127.0.0.1:${port}/mcp`);
});

test.each([
  ["work", "GROUP_EXISTS"],
  ["default", "GROUP_EXISTS"],
  ["..", "INVALID_ARGUMENT"],
  ["a b", "INVALID_ARGUMENT"],
  ["x", "INVALID_ARGUMENT"],
])("a second group named %j is not created: %s", async (name, code) => {
  const groups = await home.open();
  await groups.create("work");

  await expect(groups.create(name)).rejects.toMatchObject({ code });
  expect(home.listening.size).toBe(1);
});

test("a group that is removed lets go of its port, and its workloads stay", async () => {
  const groups = await home.open();
  await groups.create("work");
  await groups.addMember("work", "fetch");

  await groups.remove("work");

  expect(home.listening.size).toBe(0);
  expect(names(groups, "default")).toEqual(["fetch", "memory", "old"]);
  expect(() => groups.get("work")).toThrow(expect.objectContaining({ code: "GROUP_NOT_FOUND" }));
  await expect(groups.remove("default")).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
});

test.each([
  ["no JSON", "{", "STATE_CORRUPT"],
  ["something else", '{"groups":[{"name":5}]}', "STATE_CORRUPT"],
  ["of a newer version", '{"state_version":99,"groups":[]}', "STATE_TOO_NEW"],
])("a file that is %s is reported and left as it is", async (_what, text, code) => {
  await writeFile(join(home.directory, "groups.json"), text);

  await expect(home.open()).rejects.toMatchObject({ code });
  expect(await readFile(join(home.directory, "groups.json"), "utf8")).toBe(text);
});

test("what cannot be written is refused, and the groups stay as they were", async () => {
  const groups = await home.open();
  await groups.create("work", {});
  await groups.addMember("work", "fetch");
  await rm(join(home.directory, "groups.json"));
  await mkdir(join(home.directory, "groups.json"));
  const refused = { code: "FILE_FAILED" };

  await expect(groups.create("other", {})).rejects.toMatchObject(refused);
  await expect(groups.addMember("work", "memory")).rejects.toMatchObject(refused);
  await expect(groups.removeMember("work", "fetch")).rejects.toMatchObject(refused);
  await expect(groups.remove("work")).rejects.toMatchObject(refused);

  expect([groups.list().map(({ name }) => name), names(groups, "work")]).toEqual([["default", "work"], ["fetch"]]);
});

test("a group that is full takes no more workloads", async () => {
  home.workloads = Array.from({ length: MAX_GROUP_MEMBERS + 1 }, (_, number) => createMember(`server-${number}`));
  const members = home.workloads.slice(0, -1).map(({ name }) => name);
  await writeFile(join(home.directory, "groups.json"), await readGroupsWith(members));
  const groups = await home.open();

  await expect(groups.addMember("work", `server-${MAX_GROUP_MEMBERS}`)).rejects.toMatchObject({
    code: "INVALID_ARGUMENT",
    message: `The group "work" has ${MAX_GROUP_MEMBERS} servers already.`,
  });
});

/** What is on disk of a group `work` with these members. */
async function readGroupsWith(members: readonly string[]): Promise<string> {
  const groups = await home.open();
  await groups.create("work", {});
  const saved = JSON.parse(await readFile(join(home.directory, "groups.json"), "utf8"));
  await groups.close();
  const text = JSON.stringify(saved);
  return text.replace(/"members":\[\]/, `"members":${JSON.stringify(members)}`);
}

test("a member that was removed while the disk was full is no member after the next start, either", async () => {
  const store = new GroupStore(home.directory);
  const groups = await home.open(store);
  await groups.create("work");
  for (const name of ["fetch", "memory"]) await groups.addMember("work", name);
  const save = store.save.bind(store);
  let failures = 2;
  store.save = async (records) => {
    failures -= 1;
    if (failures >= 0) throw new ThvError("FILE_FAILED", "no space left on device");
    await save(records);
  };

  home.workloads = home.workloads.filter(({ name }) => name !== "fetch");
  groups.follow(home.workloads);

  const read = async () => (await new GroupStore(home.directory).load()).map(({ members }) => members);
  await expect.poll(read, { timeout: 10_000 }).toEqual([["memory"]]);
  await groups.close();
});
