/** Groups of workloads: who is in them, what is on disk of them, and what clients get of them. */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type {
  GroupEndpoint,
  GroupEndpointOptions,
  GroupMember,
  GroupToolNames,
  GroupToolState,
  GroupTools,
} from "../ports/group-endpoint.ts";
import { ThvError } from "../support/errors.ts";
import type { Workload } from "../workload/workload.ts";
import type { WorkloadStatus } from "../workload/workload-status.ts";
import { GroupManager } from "./group-manager.ts";
import { GroupStore, MAX_GROUP_MEMBERS } from "./group-store.ts";

let home: string;
let workloads: Workload[];
/** Endpoints that listen, by their port. */
let listening: Map<number, FakeGroup>;
let taken: Set<number>;

interface FakeGroup {
  readonly options: GroupEndpointOptions;
  members: readonly GroupMember[];
  /** The choice of tools that the manager set last. */
  choice: GroupTools | undefined;
  tools: readonly GroupToolState[];
}

/** Servers that have a tool, by the tool's name. */
let holders: Map<string, readonly string[]>;

/** As the naming rule has it: one that several have is called after its server. */
const toolNames: GroupToolNames = {
  find: (name) => {
    const [, server, own] = /^(.+)__(.+)$/.exec(name) ?? [];
    if (server !== undefined && own !== undefined && holders.get(own)?.includes(server)) return { server, name: own };
    const [only, ...others] = holders.get(name) ?? [];
    return only === undefined || others.length > 0 ? undefined : { server: only, name };
  },
  findShown: (server, name) => {
    const all = holders.get(name) ?? [];
    if (!all.includes(server)) return undefined;
    return all.length === 1 ? name : `${server}__${name}`;
  },
};

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "groups-"));
  workloads = [workload("fetch"), workload("memory"), workload("old", "stopped")];
  listening = new Map();
  holders = new Map();
  taken = new Set();
});
afterEach(async () => {
  await rm(home, { recursive: true });
});

function workload(name: string, status: WorkloadStatus = "running"): Workload {
  return {
    name,
    package: "image",
    url: `http://127.0.0.1:1${name.length}000/mcp`,
    port: 10_000 + name.length,
    toolType: "mcp",
    transportType: "stdio",
    status,
    statusContext: "",
    createdAt: new Date(0),
  };
}

async function openFake(options: GroupEndpointOptions): Promise<GroupEndpoint> {
  if (taken.has(options.port) || listening.has(options.port)) throw new ThvError("PORT_IN_USE", `Port ${options.port}`);
  const fake: FakeGroup = { options, members: [], choice: options.choice, tools: [] };
  listening.set(options.port, fake);
  const close = async () => void listening.delete(options.port);
  return {
    port: options.port,
    counts: { sessions: 0, streams: 0, pendingRequests: 0 },
    get members() {
      return fake.members.map(
        ({ name, isRunning }) =>
          ({
            name,
            state: isRunning ? "ready" : "stopped",
            ...(fake.choice?.tools?.every(({ server }) => server !== name)
              ? { tools: 0, hiddenTools: 2 }
              : { tools: 2 }),
          }) as const,
      );
    },
    update: (members) => {
      fake.members = members;
    },
    toolNames,
    listTools: () => fake.tools,
    imitated: [],
    chooseTools: (choice) => {
      fake.choice = choice;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function open(store = new GroupStore(home)): Promise<GroupManager> {
  const quiet = () => undefined;
  const groups = new GroupManager({
    store,
    openEndpoint: openFake,
    listWorkloads: () => workloads,
    log: { error: quiet, warn: quiet, info: quiet, debug: quiet },
  });
  await groups.load();
  groups.follow(workloads);
  await groups.start();
  return groups;
}

const names = (groups: GroupManager, group: string) => groups.listMembers(group);

test("members are listed by name with numbers in their order, and the tools of the group default are not counted", async () => {
  workloads = ["r10", "r2", "r1"].map((name) => workload(name));
  const groups = await open();
  expect(names(groups, "default")).toEqual(["r1", "r2", "r10"]);
  expect(groups.get("default").members[0]).toEqual({ name: "r1", state: "ready" });
});

test("every workload is in default until it is put somewhere else", async () => {
  const groups = await open();
  expect(names(groups, "default")).toEqual(["fetch", "memory", "old"]);

  await groups.create("work");
  await groups.addMember("work", "fetch");

  expect(names(groups, "default")).toEqual(["memory", "old"]);
  expect(names(groups, "work")).toEqual(["fetch"]);
});

test("a workload may be in several groups, default among them", async () => {
  const groups = await open();
  await groups.create("work");
  await groups.create("home");
  for (const group of ["work", "home", "default"]) await groups.addMember(group, "fetch");

  expect(groups.listGroupsWith("fetch")).toEqual(["default", "home", "work"]);

  await groups.removeMember("default", "fetch");
  expect(groups.listGroupsWith("fetch")).toEqual(["home", "work"]);
});

test("a workload cannot leave default when it is in no other group", async () => {
  const groups = await open();

  await expect(groups.removeMember("default", "fetch")).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
});

test("a group keeps its members, its address and its naming over a restart", async () => {
  const first = await open();
  const { port } = await first.create("work", { naming: "always" });
  await first.addMember("work", "fetch");
  await first.close();
  expect(listening.size).toBe(0);

  const second = await open();

  expect(second.get("work")).toMatchObject({
    port,
    naming: "always",
    members: [{ name: "fetch", state: "ready", tools: 2 }],
  });
  expect(listening.get(port ?? 0)?.options).toMatchObject({ naming: "always" });
});

test("an address that somebody else has is waited for, and not given up", async () => {
  const first = await open();
  const { port = 0 } = await first.create("work");
  await first.close();
  taken.add(port);

  const second = await open();
  expect(second.get("work")).toMatchObject({ port, problem: expect.stringContaining(String(port)) });

  taken.delete(port);
  second.follow(workloads);
  await expect.poll(() => second.get("work").problem).toBeUndefined();
  expect(listening.has(port)).toBe(true);
});

test("a workload that is removed leaves its groups, also on disk", async () => {
  const groups = await open();
  await groups.create("work");
  await groups.addMember("work", "fetch");

  workloads = workloads.filter(({ name }) => name !== "fetch");
  groups.follow(workloads);
  await groups.close();

  expect(names(groups, "work")).toEqual([]);
  expect(await new GroupStore(home).load()).toMatchObject([{ name: "work", members: [] }]);
});

test("the group's endpoint receives each start of a server, and the reason why one does not run", async () => {
  const groups = await open();
  const { port = 0 } = await groups.create("work");
  await groups.addMember("work", "fetch");
  const member = () => listening.get(port)?.members[0];
  const run = member()?.run;

  workloads = [{ ...workload("fetch", "stopped"), statusContext: "told to" }];
  groups.follow(workloads);
  expect(member()).toMatchObject({ isRunning: false, reason: "it is stopped: told to" });

  workloads = [workload("fetch")];
  groups.follow(workloads);
  expect(member()).toMatchObject({ isRunning: true });
  expect(member()?.run).not.toBe(run);
});

test("what a server offers is kept, and known to the next endpoint", async () => {
  const first = await open();
  const { port = 0 } = await first.create("work");
  listening.get(port)?.options.onKnown?.("fetch", { tools: ['{"name":"a"}'] });
  await expect.poll(async () => await readdir(join(home, "server-lists")).catch(() => [])).toEqual(["fetch.json"]);
  await first.close();

  await open();

  expect(listening.get(port)?.options.known).toEqual({ fetch: { tools: ['{"name":"a"}'] } });
});

describe("tools that were chosen for a group", () => {
  const SEARCH = { server: "fetch", name: "search" };

  test("are kept by whose they are, over a restart and another server with the same tool", async () => {
    holders.set("search", ["fetch"]);
    const first = await open();
    const { port = 0 } = await first.create("work");

    const chosen = { tools: ["find"], tools_override: { search: { name: "find", description: "Finds" } } };
    expect(await first.chooseTools("work", chosen)).toMatchObject(chosen);
    const choice = { tools: [SEARCH], overrides: [{ ...SEARCH, override: chosen.tools_override.search }] };
    expect(listening.get(port)?.choice).toEqual(choice);
    await first.close();

    holders.set("search", ["fetch", "memory"]);
    const second = await open();
    expect(listening.get(port)?.choice).toEqual(choice);
    const shown = { tools: ["find"], tools_override: { fetch__search: { name: "find", description: "Finds" } } };
    expect(second.get("work")).toMatchObject(shown);

    // What is written back as it was read is the same choice.
    await second.chooseTools("work", shown);
    expect(listening.get(port)?.choice).toEqual(choice);
    expect(await second.chooseTools("work", {})).not.toHaveProperty("tools");
    expect(listening.get(port)?.choice).toEqual({});
  });

  test("stay those of a server that does not say now what it has", async () => {
    holders.set("search", ["fetch"]);
    const groups = await open();
    const { port = 0 } = await groups.create("work");
    await groups.chooseTools("work", { tools: ["search"] });

    holders.set("search", ["memory"]);
    expect(groups.get("work")).toMatchObject({ tools: ["fetch__search"] });
    await groups.chooseTools("work", { tools: ["fetch__search", "clock"] });

    expect(listening.get(port)?.choice).toEqual({ tools: [SEARCH, { name: "clock" }] });
  });

  test("that nobody has yet become those of the server that has them first", async () => {
    const groups = await open();
    const { port = 0 } = await groups.create("work", {
      tools: ["find", "clock"],
      tools_override: { search: { name: "find" } },
    });
    const clock = { name: "clock" };
    expect(listening.get(port)?.choice).toEqual({
      tools: [{ name: "find" }, clock],
      overrides: [{ name: "search", override: { name: "find" } }],
    });

    holders.set("search", ["fetch"]);
    listening.get(port)?.options.onChange?.();

    const bound = { tools: [SEARCH, clock], overrides: [{ ...SEARCH, override: { name: "find" } }] };
    await expect.poll(() => listening.get(port)?.choice).toEqual(bound);
    holders.set("search", ["fetch", "memory"]);
    listening.get(port)?.options.onChange?.();
    await groups.close();
    const { tools, overrides } = bound;
    expect(await new GroupStore(home).load()).toMatchObject([{ tools, tool_overrides: overrides }]);
  });

  test("leave with their server, for good or only out of the group, and the last ones stay so that nothing else is shown", async () => {
    for (const tool of ["search", "find"]) holders.set(tool, ["fetch"]);
    holders.set("recall", ["memory"]);
    const groups = await open();
    const { port = 0 } = await groups.create("work");
    for (const server of ["fetch", "memory"]) await groups.addMember("work", server);
    const recall = { server: "memory", name: "recall" };
    await groups.chooseTools("work", {
      tools: ["search", "recall"],
      tools_override: { find: { name: "seek" } },
    });

    workloads = [workload("memory")];
    groups.follow(workloads);

    await expect.poll(() => listening.get(port)?.choice).toEqual({ tools: [recall] });
    await groups.addMember("default", "memory");
    await groups.removeMember("work", "memory");
    expect(listening.get(port)?.choice).toEqual({ tools: [recall] });
    await groups.close();
    expect(await new GroupStore(home).load()).toMatchObject([{ name: "default" }, { tools: [recall] }]);
  });

  test("of which a server has none are a reason to warn, with the command that helps", async () => {
    holders.set("search", ["fetch"]);
    const groups = await open();
    await groups.create("work");
    for (const server of ["fetch", "memory"]) await groups.addMember("work", server);
    expect(groups.get("work").warnings).toEqual([]);

    await groups.chooseTools("work", { tools: ["search"] });

    expect(groups.get("work").warnings).toEqual([
      "Clients see no tool of memory, because the tools of work were chosen and theirs are not among them. To offer all tools: thv tools allow --group work --all",
    ]);
    expect(groups.get("work").members).toContainEqual({ name: "memory", state: "ready", tools: 0, hiddenTools: 2 });
  });

  test("are listed with whose they are, then those that are hidden, then those that nobody has", async () => {
    holders.set("search", ["fetch"]);
    const groups = await open();
    const { port = 0 } = await groups.create("work", { tools: ["search", "absent"] });
    const fake = listening.get(port);
    if (fake === undefined) throw new Error("no endpoint");
    fake.tools = [
      { server: "fetch", name: "clock", shown: "clock", isOffered: false, description: "Tells the time" },
      { server: "fetch", name: "search", shown: "search", isOffered: true },
    ];

    expect(groups.listTools("work")).toEqual([
      { name: "search", own: "search", server: "fetch", state: "offered" },
      { name: "clock", own: "clock", server: "fetch", state: "hidden", description: "Tells the time" },
      { name: "absent", own: "absent", state: "missing" },
    ]);
  });

  test("hold for an address that is opened while they are chosen", async () => {
    const first = await open();
    const { port = 0 } = await first.create("work");
    await first.close();
    taken.add(port);
    const groups = await open();

    const chosen = groups.chooseTools("work", { tools: ["clock"] });
    taken.delete(port);
    groups.follow(workloads);

    await chosen;
    await expect.poll(() => listening.get(port)?.options.choice).toEqual({ tools: [{ name: "clock" }] });
  });

  test.each([
    ["work", { tools: ["a\nb"] }, "INVALID_ARGUMENT"],
    ["work", { tools_override: { a: { name: "c" }, b: { name: "c" } } }, "INVALID_ARGUMENT"],
    ["default", { tools: ["a"] }, "INVALID_ARGUMENT"],
    ["nowhere", { tools: ["a"] }, "GROUP_NOT_FOUND"],
  ])("of %s are refused: %j", async (name, tools, code) => {
    const groups = await open();
    await groups.create("work", { tools: ["clock"] });

    await expect(groups.chooseTools(name, tools)).rejects.toMatchObject({ code });
    expect(groups.get("work")).toMatchObject({ tools: ["clock"] });
  });

  test("are refused when they would make the file too large, and the choice stays", async () => {
    const groups = await open();
    const override = { description: "d".repeat(10_000) };
    const large = Object.fromEntries(Array.from({ length: 900 }, (_, number) => [`tool-${number}`, override]));
    await groups.create("one", { tools_override: large });
    await groups.create("two", { tools: ["clock"] });

    await expect(groups.chooseTools("two", { tools_override: large })).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
    });
    expect(groups.get("two")).toMatchObject({ tools: ["clock"] });
    await groups.close();
    expect(await new GroupStore(home).load()).toHaveLength(2);
  });
});

describe("a workload that is created in a group", () => {
  test("is in that group and never in default", async () => {
    const groups = await open();
    await groups.create("work");
    const seen: string[][] = [];

    await groups.place("work", async () => {
      workloads = [...workloads, workload("new", "starting")];
      groups.follow(workloads);
      seen.push(groups.selectFor(["default"], workloads).map(({ name }) => name));
      return { name: "new" };
    });

    expect(seen).toEqual([["fetch", "memory", "old"]]);
    expect(names(groups, "default")).toEqual(["fetch", "memory", "old"]);
    expect(names(groups, "work")).toEqual(["new"]);
  });

  test("is not created when there is no such group", async () => {
    const groups = await open();
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
  const groups = await open();
  const { port, url } = await groups.create("work");
  await groups.addMember("work", "fetch");

  expect(groups.selectFor(["work"], workloads)).toEqual([{ name: "thv-work", url, status: "running" }]);
  expect(groups.selectFor(["default", "work"], workloads).map(({ name }) => name)).toEqual([
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
  const groups = await open();
  await groups.create("work");

  await expect(groups.create(name)).rejects.toMatchObject({ code });
  expect(listening.size).toBe(1);
});

test("a group that is removed lets go of its port, and its workloads stay", async () => {
  const groups = await open();
  await groups.create("work");
  await groups.addMember("work", "fetch");

  await groups.remove("work");

  expect(listening.size).toBe(0);
  expect(names(groups, "default")).toEqual(["fetch", "memory", "old"]);
  expect(() => groups.get("work")).toThrow(expect.objectContaining({ code: "GROUP_NOT_FOUND" }));
  await expect(groups.remove("default")).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
});

test.each([
  ["no JSON", "{", "STATE_CORRUPT"],
  ["something else", '{"groups":[{"name":5}]}', "STATE_CORRUPT"],
  ["of a newer version", '{"state_version":99,"groups":[]}', "STATE_TOO_NEW"],
])("a file that is %s is reported and left as it is", async (_what, text, code) => {
  await writeFile(join(home, "groups.json"), text);

  await expect(open()).rejects.toMatchObject({ code });
  expect(await readFile(join(home, "groups.json"), "utf8")).toBe(text);
});

test("what cannot be written is refused, and the groups stay as they were", async () => {
  const groups = await open();
  await groups.create("work", {});
  await groups.addMember("work", "fetch");
  await rm(join(home, "groups.json"));
  await mkdir(join(home, "groups.json"));
  const refused = { code: "FILE_FAILED" };

  await expect(groups.create("other", {})).rejects.toMatchObject(refused);
  await expect(groups.addMember("work", "memory")).rejects.toMatchObject(refused);
  await expect(groups.removeMember("work", "fetch")).rejects.toMatchObject(refused);
  await expect(groups.remove("work")).rejects.toMatchObject(refused);

  expect([groups.list().map(({ name }) => name), names(groups, "work")]).toEqual([["default", "work"], ["fetch"]]);
});

test("a group that is full takes no more workloads", async () => {
  workloads = Array.from({ length: MAX_GROUP_MEMBERS + 1 }, (_, number) => workload(`server-${number}`));
  const members = workloads.slice(0, -1).map(({ name }) => name);
  await writeFile(join(home, "groups.json"), await readGroupsWith(members));
  const groups = await open();

  await expect(groups.addMember("work", `server-${MAX_GROUP_MEMBERS}`)).rejects.toMatchObject({
    code: "INVALID_ARGUMENT",
    message: `The group "work" has ${MAX_GROUP_MEMBERS} servers already.`,
  });
});

/** What is on disk of a group `work` with these members. */
async function readGroupsWith(members: readonly string[]): Promise<string> {
  const groups = await open();
  await groups.create("work", {});
  const saved = JSON.parse(await readFile(join(home, "groups.json"), "utf8"));
  await groups.close();
  const text = JSON.stringify(saved);
  return text.replace(/"members":\[\]/, `"members":${JSON.stringify(members)}`);
}

test("a member that was removed while the disk was full is no member after the next start, either", async () => {
  const store = new GroupStore(home);
  const groups = await open(store);
  await groups.create("work");
  for (const name of ["fetch", "memory"]) await groups.addMember("work", name);
  const save = store.save.bind(store);
  let failures = 2;
  store.save = async (records) => {
    failures -= 1;
    if (failures >= 0) throw new ThvError("FILE_FAILED", "no space left on device");
    await save(records);
  };

  workloads = workloads.filter(({ name }) => name !== "fetch");
  groups.follow(workloads);

  const read = async () => (await new GroupStore(home).load()).map(({ members }) => members);
  await expect.poll(read, { timeout: 10_000 }).toEqual([["memory"]]);
  await groups.close();
});
