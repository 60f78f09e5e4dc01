import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createMember, GroupHome } from "../testing/group-home.ts";
import { GroupStore } from "./group-store.ts";

let home: GroupHome;
beforeEach(async () => {
  home = await GroupHome.create();
});
afterEach(async () => {
  await home[Symbol.asyncDispose]();
});

describe("tools that were chosen for a group", () => {
  const SEARCH = { server: "fetch", name: "search" };

  test("are kept by whose they are, over a restart and another server with the same tool", async () => {
    home.holders.set("search", ["fetch"]);
    const first = await home.open();
    const { port = 0 } = await first.create("work");

    const chosen = { tools: ["find"], tools_override: { search: { name: "find", description: "Finds" } } };
    expect(await first.chooseTools("work", chosen)).toMatchObject(chosen);
    const choice = { tools: [SEARCH], overrides: [{ ...SEARCH, override: chosen.tools_override.search }] };
    expect(home.listening.get(port)?.choice).toEqual(choice);
    await first.close();

    home.holders.set("search", ["fetch", "memory"]);
    const second = await home.open();
    expect(home.listening.get(port)?.choice).toEqual(choice);
    const shown = { tools: ["find"], tools_override: { fetch__search: { name: "find", description: "Finds" } } };
    expect(second.get("work")).toMatchObject(shown);

    // What is written back as it was read is the same choice.
    await second.chooseTools("work", shown);
    expect(home.listening.get(port)?.choice).toEqual(choice);
    expect(await second.chooseTools("work", {})).not.toHaveProperty("tools");
    expect(home.listening.get(port)?.choice).toEqual({});
  });

  test("stay those of a server that does not say now what it has", async () => {
    home.holders.set("search", ["fetch"]);
    const groups = await home.open();
    const { port = 0 } = await groups.create("work");
    await groups.chooseTools("work", { tools: ["search"] });

    home.holders.set("search", ["memory"]);
    expect(groups.get("work")).toMatchObject({ tools: ["fetch__search"] });
    await groups.chooseTools("work", { tools: ["fetch__search", "clock"] });

    expect(home.listening.get(port)?.choice).toEqual({ tools: [SEARCH, { name: "clock" }] });
  });

  test("that nobody has yet become those of the server that has them first", async () => {
    const groups = await home.open();
    const { port = 0 } = await groups.create("work", {
      tools: ["find", "clock"],
      tools_override: { search: { name: "find" } },
    });
    const clock = { name: "clock" };
    expect(home.listening.get(port)?.choice).toEqual({
      tools: [{ name: "find" }, clock],
      overrides: [{ name: "search", override: { name: "find" } }],
    });

    home.holders.set("search", ["fetch"]);
    home.listening.get(port)?.options.onChange?.();

    const bound = { tools: [SEARCH, clock], overrides: [{ ...SEARCH, override: { name: "find" } }] };
    await expect.poll(() => home.listening.get(port)?.choice).toEqual(bound);
    home.holders.set("search", ["fetch", "memory"]);
    home.listening.get(port)?.options.onChange?.();
    await groups.close();
    const { tools, overrides } = bound;
    expect(await new GroupStore(home.directory).load()).toMatchObject([{ tools, tool_overrides: overrides }]);
  });

  test("leave with their server, for good or only out of the group, and the last ones stay so that nothing else is shown", async () => {
    for (const tool of ["search", "find"]) home.holders.set(tool, ["fetch"]);
    home.holders.set("recall", ["memory"]);
    const groups = await home.open();
    const { port = 0 } = await groups.create("work");
    for (const server of ["fetch", "memory"]) await groups.addMember("work", server);
    const recall = { server: "memory", name: "recall" };
    await groups.chooseTools("work", {
      tools: ["search", "recall"],
      tools_override: { find: { name: "seek" } },
    });

    home.workloads = [createMember("memory")];
    groups.follow(home.workloads);

    await expect.poll(() => home.listening.get(port)?.choice).toEqual({ tools: [recall] });
    await groups.addMember("default", "memory");
    await groups.removeMember("work", "memory");
    expect(home.listening.get(port)?.choice).toEqual({ tools: [recall] });
    await groups.close();
    expect(await new GroupStore(home.directory).load()).toMatchObject([{ name: "default" }, { tools: [recall] }]);
  });

  test("of which a server has none are a reason to warn, with the command that helps", async () => {
    home.holders.set("search", ["fetch"]);
    const groups = await home.open();
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
    home.holders.set("search", ["fetch"]);
    const groups = await home.open();
    const { port = 0 } = await groups.create("work", { tools: ["search", "absent"] });
    const fake = home.listening.get(port);
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
    const first = await home.open();
    const { port = 0 } = await first.create("work");
    await first.close();
    home.taken.add(port);
    const groups = await home.open();

    const chosen = groups.chooseTools("work", { tools: ["clock"] });
    home.taken.delete(port);
    groups.follow(home.workloads);

    await chosen;
    await expect.poll(() => home.listening.get(port)?.options.choice).toEqual({ tools: [{ name: "clock" }] });
  });

  test.each([
    ["work", { tools: ["a\nb"] }, "INVALID_ARGUMENT"],
    ["work", { tools_override: { a: { name: "c" }, b: { name: "c" } } }, "INVALID_ARGUMENT"],
    ["default", { tools: ["a"] }, "INVALID_ARGUMENT"],
    ["nowhere", { tools: ["a"] }, "GROUP_NOT_FOUND"],
  ])("of %s are refused: %j", async (name, tools, code) => {
    const groups = await home.open();
    await groups.create("work", { tools: ["clock"] });

    await expect(groups.chooseTools(name, tools)).rejects.toMatchObject({ code });
    expect(groups.get("work")).toMatchObject({ tools: ["clock"] });
  });

  test("are refused when they would make the file too large, and the choice stays", async () => {
    const groups = await home.open();
    const override = { description: "d".repeat(10_000) };
    const large = Object.fromEntries(Array.from({ length: 900 }, (_, number) => [`tool-${number}`, override]));
    await groups.create("one", { tools_override: large });
    await groups.create("two", { tools: ["clock"] });

    await expect(groups.chooseTools("two", { tools_override: large })).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
    });
    expect(groups.get("two")).toMatchObject({ tools: ["clock"] });
    await groups.close();
    expect(await new GroupStore(home.directory).load()).toHaveLength(2);
  });
});
