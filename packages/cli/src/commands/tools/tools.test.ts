/** What `thv tools` changes and refuses, and what `thv run` takes. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openMcp } from "../../mcp/open-mcp.ts";
import { McpFixture } from "../../testing/mcp-fixture.ts";
import { ServedThv } from "../../testing/served-thv.ts";

let context: ServedThv;
beforeEach(async () => {
  context = await ServedThv.start();
  context.served.mcp.open = openMcp;
});
afterEach(async () => {
  await context[Symbol.asyncDispose]();
});

test("tools are chosen at the start, and changed without a new container", async () => {
  const file = join(context.home, "override.json");
  await writeFile(file, JSON.stringify({ toolsOverride: { sum: { name: "add" } } }));
  const ran = await context.call([
    "run",
    "--name",
    "echo",
    "--tools",
    "add,echo",
    "--tools-override",
    file,
    "mcp/echo:1",
  ]);
  expect([ran.code, ran.stderr]).toEqual([0, expect.any(String)]);
  const container = context.served.world.engine.find("echo");

  expect(await context.call(["tools", "allow", "echo", "get-env"])).toMatchObject({
    code: 0,
    stdout: "echo also offers get-env. 3 tools are chosen.\n",
  });
  const denied = await context.call(["tools", "deny", "echo", "echo", "--format", "json"]);
  expect(JSON.parse(denied.stdout)).toEqual({
    tools: ["add", "get-env"],
    tools_override: { sum: { name: "add" } },
    find_tools: false,
  });
  const renamed = await context.call(["tools", "rename", "echo", "add", "plus", "--format", "json"]);
  expect(JSON.parse(renamed.stdout)).toEqual({
    tools: ["plus", "get-env"],
    tools_override: { sum: { name: "plus" } },
    find_tools: false,
  });
  expect(context.served.world.engine.find("echo")).toBe(container);
  expect((await context.call(["tools", "allow", "echo", "--all"])).stdout).toBe("echo offers all its tools.\n");
});

test("tools that are hidden are listed as hidden, and a chosen name that the server does not have is pointed out", async () => {
  const answers = {
    "tools/list": () => ({ tools: [{ name: "echo", description: "Echoes", inputSchema: { type: "object" } }] }),
  };
  await using server = await McpFixture.start({ answers, capabilities: { tools: {} } });
  const { port } = new URL(server.origin);
  const thv = async (line: string) => await context.call(line.split(" "));
  const ran = await thv(`run --name it --proxy-port ${port} --tools ecoh,echo mcp/echo:1`);
  expect(ran).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("Chosen, but not offered by the server: ecoh (did you mean echo?)."),
  });
  // What the proxy of the simulated machine would know once a list has passed.
  const endpoint = context.served.world.network.endpoints.get(Number(port));
  if (endpoint !== undefined) endpoint.listedTools = ["get-env", "echo", "sum"];
  const listed = await thv("tools list it");
  expect(listed.stdout).toMatch(
    /^NAME +STATE +OWN NAME +DESCRIPTION\necho +offered +echo +Echoes\nget-env +hidden +get-env *\nsum +hidden +sum/,
  );
  expect(JSON.parse((await thv("tools list it --format json")).stdout)).toMatchObject({
    tools: [{ state: "offered" }, { name: "get-env", own_name: "get-env", state: "hidden" }, { name: "sum" }],
    missing: ["ecoh"],
  });
  const missing = "it: it has no tool ecoh, which was chosen for its clients. See its tools: thv tools list it";
  expect((await thv("list")).stderr).toContain(missing);
  expect((await thv("status it")).stderr).toContain(`Warning: ${missing}`);
  expect(JSON.parse((await thv("list --format json")).stdout)).toMatchObject([{ missing_tools: ["ecoh"] }]);
  const slip = await thv("tools allow it get-emv");
  expect(slip.stderr).toContain("get-emv (did you mean get-env?)");
  expect(slip.stdout).toBe("Nothing changes for clients of it. 3 tools are chosen.\n");
});

test("what is hidden already is no error, and a slip is answered with the tool that was meant", async () => {
  const answers = {
    "tools/list": () => ({ tools: ["echo", "sum"].map((name) => ({ name, inputSchema: { type: "object" } })) }),
  };
  await using server = await McpFixture.start({ answers, capabilities: { tools: {} } });
  const { port } = new URL(server.origin);
  const thv = async (line: string) => await context.call(line.split(" "));
  await thv(`run --name it --proxy-port ${port} mcp/echo:1`);
  const endpoint = context.served.world.network.endpoints.get(Number(port));
  if (endpoint !== undefined) endpoint.listedTools = ["echo", "sum"];
  expect((await thv("tools deny it sum")).stdout).toBe("it no longer offers sum. 1 tool is chosen.\n");

  expect(await thv("tools deny it sum")).toEqual({
    code: 0,
    stdout: "Nothing changes for clients of it. 1 tool is chosen.\n",
    stderr: "",
  });
  expect(await thv("tools deny it sun")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("Hint: Did you mean sum? See its tools: thv tools list it"),
  });
});

test("tools of a group are chosen at its creation, and changed without another address", async () => {
  const answers = {
    "tools/list": () => ({ tools: ["plus", "echo"].map((name) => ({ name, inputSchema: { type: "object" } })) }),
  };
  // Where the simulated machine has the group's address, a server of ours answers.
  await using server = await McpFixture.start({ answers, capabilities: { tools: {} } });
  const { port } = new URL(server.origin);
  const file = join(context.home, "override.json");
  await writeFile(file, JSON.stringify({ toolsOverride: { sum: { name: "add" } } }));
  const create = ["group", "create", "work", "--port", port, "--tools", "add,echo", "--tools-override", file];
  expect(JSON.parse((await context.call([...create, "--format", "json"])).stdout)).toMatchObject({
    tools: ["add", "echo"],
    tools_override: { sum: { name: "add" } },
  });
  const thv = async (line: string) => await context.call(line.split(" "));

  const absent = await thv("tools allow --group work clock");
  expect(absent.stdout).toBe("Nothing changes for clients of work. 3 tools are chosen.\n");
  expect(absent.stderr).toContain("Chosen, but not offered by a server of the group: clock.");
  const denied = await thv("tools deny --group work echo --format json");
  expect(JSON.parse(denied.stdout)).toEqual({
    tools: ["add", "clock"],
    tools_override: { sum: { name: "add" } },
    find_tools: false,
  });
  const renamed = await thv("tools rename --group work add plus --description Adds");
  expect(renamed.stdout).toBe("add of work is offered as plus.\n");
  context.served.groupTools.push(
    { server: "everything", name: "sum", shown: "plus", isOffered: true },
    { server: "fetch", name: "ech", shown: "ech", isOffered: false, description: "Hidden" },
  );
  expect(JSON.parse((await thv("tools list --group work --format json")).stdout)).toEqual({
    chosen: true,
    tools: [
      { name: "plus", own_name: "sum", server: "everything", state: "offered" },
      { name: "ech", own_name: "ech", server: "fetch", state: "hidden", description: "Hidden" },
    ],
    missing: ["clock"],
    warnings: [],
  });
  const listed = await thv("tools list --group work");
  expect(listed.stderr).toContain("Chosen, but not offered by a server of the group: clock.");
  expect(listed.stderr).toContain("thv tools allow --group work TOOL, or --all");
  expect(listed.stdout).toMatch(
    /^NAME +STATE +SERVER +OWN NAME +DESCRIPTION\nplus +offered +everything +sum.*\nech +hidden +fetch +ech +Hidden/,
  );
  expect((await thv("tools allow --group work --all")).stdout).toBe("work offers all its tools.\n");
  // What is left is a list of everything else that clients see.
  expect((await thv("tools deny --group work echo")).stdout).toBe("work no longer offers echo. 1 tool is chosen.\n");
  expect(JSON.parse((await thv("group list --format json")).stdout)).toContainEqual(
    expect.objectContaining({ name: "work", port: Number(port), tools: ["plus"] }),
  );
});

test("clients find tools from the start or from later on, without a new container, whatever else is chosen", async () => {
  await context.call(["run", "--name", "echo", "--find-tools", "mcp/echo:1"]);
  const container = context.served.world.engine.find("echo");
  const readConfig = () => context.served.supervisor.getUsable("echo").config;
  expect(readConfig()).toMatchObject({ find_tools: true });

  const off = await context.call(["tools", "find", "echo", "--off", "--format", "json"]);
  expect(JSON.parse(off.stdout)).toEqual({ tools: [], tools_override: {}, find_tools: false });
  expect(readConfig()).not.toHaveProperty("find_tools");
  expect((await context.call(["tools", "find", "echo"])).stdout).toBe(
    "Clients of echo get find_tool and call_tool instead of its tools.\n",
  );
  await context.call(["tools", "allow", "echo", "--all"]);
  expect(readConfig()).toMatchObject({ find_tools: true });
  expect(context.served.world.engine.find("echo")).toBe(container);
});

test("clients of a group find tools from the start or from later on, whatever else is chosen", async () => {
  const thv = async (line: string) => await context.call(line.split(" "));
  const created = await thv("group create work --find-tools --tools add,echo --format json");
  expect(JSON.parse(created.stdout)).toMatchObject({ find_tools: true, tools: ["add", "echo"] });

  await thv("tools deny --group work echo");
  expect(JSON.parse((await thv("tools allow --group work plus --format json")).stdout)).toEqual({
    tools: ["add", "plus"],
    tools_override: {},
    find_tools: true,
  });
  expect((await thv("tools find --group work --off")).stdout).toBe("Clients of work list all its tools again.\n");
  expect((await thv("group list --format json")).stdout).not.toContain("find_tools");
  expect(await thv("tools find --group work echo")).toMatchObject({ code: 64 });
});

test.each([
  [["tools", "allow", "--group", "work"], 64, "--all"],
  [["tools", "deny", "--group", "work"], 64, "names of tools"],
  [["tools", "deny", "--group", "work", "add"], 2, "thv group remove work"],
  [["tools", "deny", "--group", "work", "absent"], 2, "thv tools list --group work"],
  [["tools", "rename", "--group", "work", "add"], 64, "NEW_NAME"],
  [["tools", "rename", "--group", "work", "work", "add", "plus"], 64, "NEW_NAME"],
  [["tools", "list", "--group", "work", "echo"], 64, "beside --group"],
  [["tools", "list", "--group", "default"], 2, "has no address"],
  [["tools", "list", "--group", "absent"], 3, "There is no group"],
  [["tools", "list"], 64, "or --group"],
  [["group", "create", "other", "--tools-override", "/absent.json"], 64, "cannot be used"],
])("%j of a group ends with exit code %i", async (argv, code, message) => {
  await context.call(["group", "create", "work", "--tools", "add"]);
  expect(await context.call(argv)).toMatchObject({ code, stdout: "", stderr: expect.stringContaining(message) });
});

test.each([
  [["tools", "allow", "echo"], 64, "--all"],
  [["tools", "deny", "echo", "add"], 2, "no tool at all"],
  [["tools", "deny", "echo", "absent"], 2, "offers no tool"],
  [["tools", "list", "absent"], 3, 'There is no server "absent"'],
  [["run", "--tools-override", "/absent.json", "mcp/echo:1"], 64, "cannot be used"],
])("%j ends with exit code %i", async (argv, code, message) => {
  await context.call(["run", "--name", "echo", "--tools", "add", "mcp/echo:1"]);
  expect(await context.call(argv)).toMatchObject({ code, stdout: "", stderr: expect.stringContaining(message) });
});
