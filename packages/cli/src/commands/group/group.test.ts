/** `thv group` and `--group`, against a supervisor over a simulated machine. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { McpFixture } from "../../testing/mcp-fixture.ts";
import { ServedThv } from "../../testing/served-thv.ts";

let thv: ServedThv;
beforeEach(async () => {
  thv = await ServedThv.start();
});
afterEach(async () => {
  await thv[Symbol.asyncDispose]();
});

async function call(line: string): Promise<{ code: number; stdout: string; stderr: string }> {
  return await thv.call(line.split(" "));
}

test("a group is created, filled, listed, emptied and removed", async () => {
  expect((await call("group create work")).stdout).toMatch(/^work is created. Its URL: http:\/\/127.0.0.1:\d+\/mcp/);
  await call("run --name first --group work mcp/echo:1");
  await call("run --name second mcp/echo:1");

  expect((await call("list --group work")).stdout).toMatch(/^first /m);
  expect((await call("list --group work")).stdout).not.toContain("second");
  expect((await call("list --group default")).stdout).not.toContain("first");

  expect((await call("group add work second")).stdout).toBe("Added to work: second\n");
  expect(await call("group add work second")).toEqual({ code: 0, stdout: "", stderr: "Already in work: second\n" });
  expect((await call("group list")).stdout).toMatch(/^work .*first, second/m);
  expect((await call("group remove work second")).stdout).toBe("Removed from work: second\n");
  expect(await call("group remove work second")).toEqual({ code: 0, stdout: "", stderr: "Not in work: second\n" });
  expect((await call("group list")).stderr).toBe("");
  expect((await call("group rm work")).stdout).toBe("work is removed.\n");
  expect((await call("group list")).stderr).toBe("No group has a URL yet. Create one: thv group create work\n");
  expect(JSON.parse((await call("group list --format json")).stdout)).toMatchObject([
    { name: "default", workloads: [{ name: "first" }, { name: "second" }] },
  ]);
});

test("a server of which clients of a group see no tool is pointed out where it joins, and in the list", async () => {
  const add = (server: string, name: string, isOffered: boolean) =>
    thv.served.groupTools.push({ server, name, shown: name, isOffered });
  add("first", "echo", true);
  add("second", "clock", false);
  expect((await call("group create work --tools echo")).stderr).toContain("thv group add work SERVER");
  await call("run --name first --group work mcp/echo:1");
  await call("run --name second mcp/echo:1");

  const warning =
    "Clients see no tool of second, because the tools of work were chosen and theirs are not among them. To offer all tools: thv tools allow --group work --all";
  expect((await call("group add work second")).stderr).toContain(`Warning: ${warning}`);
  const listed = await call("group list");
  expect(listed.stdout).toMatch(/^work .* 1 chosen /m);
  expect(listed.stderr).toContain(`Warning: work: ${warning}`);
  expect(JSON.parse((await call("group list --format json")).stdout)[1]).toMatchObject({
    warnings: [warning],
    workloads: [
      { name: "first", tools: 1 },
      { name: "second", tools: 0, hidden_tools: 1 },
    ],
  });
  add("third", "date", false);
  expect((await call("run --name third --group work mcp/echo:1")).stderr).toContain("see no tool of second, third");
});

test("commands that ask a server take the name of a group, too", async () => {
  const tools = [{ name: "echo", inputSchema: { type: "object" } }];
  const answers = { "tools/list": () => ({ tools }), ping: () => ({}) };
  await using server = await McpFixture.start({ answers, capabilities: { tools: {} } });
  await call(`group create work --port ${new URL(server.origin).port}`);

  expect((await call("mcp list tools --server work")).stdout).toContain("echo");
  expect((await call("mcp ping work")).code).toBe(0);
  expect(await call("mcp ping absent")).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('There is no server "absent"'),
  });
});

test("a group is shown with each of its servers on a line, by its own command and by thv status", async () => {
  await call("group create work");
  await call("run --name first --group work --sleep-after 5m mcp/echo:1");
  await call("run --name second --group work mcp/echo:1");
  await call("client register vscode --group work");
  await call("stop second");

  const shown = await call("group show work");

  expect(shown.code, shown.stderr).toBe(0);
  expect(shown.stdout).toMatch(/^Name: +work\nURL: +http:\S+\nNaming: +auto\nTools: +all 2\nClients: +vscode\n/);
  expect(shown.stdout).toMatch(
    /^SERVER +STATUS +TOOLS +SLEEPS AFTER +PACKAGE\nfirst +running .* 5m +mcp\/echo:1\nsecond +stopped /m,
  );
  expect(shown.stderr).toContain("No server sleeps while it is in a group");
  expect(await call("status work")).toEqual(shown);
  expect(JSON.parse((await call("status work --format json")).stdout)).toMatchObject({
    name: "work",
    registered_clients: ["vscode"],
    workloads: [
      { name: "first", status: "running", sleep_after_seconds: 300 },
      { name: "second", status: "stopped" },
    ],
  });
});

test("where a server and a group have one name, the command is about the server and says so", async () => {
  await call("group create both");
  await call("run --name both mcp/echo:1");

  const shown = await call("status both");

  expect(shown.stdout).toMatch(/^Image: +mcp\/echo:1/m);
  expect(shown.stderr).toContain('"both" is a server and a group; this is about the server.');
});

test("the lines of all servers of a group come in their order, each with its server", async () => {
  await call("group create work");
  for (const name of ["first", "second1"]) await call(`run --name ${name} --group work mcp/echo:1`);

  const printed = await call("logs work --tail all");
  expect(printed.code, printed.stderr).toBe(0);
  for (const line of printed.stdout.split("\n").filter(Boolean)) expect(line).toMatch(/^(?:first {2}|second1) \| /);
  expect((await call("logs absent")).code).toBe(3);
});

test.each(["stop", "rm", "restart"])(
  "%s of a group's name alone does nothing, and names the command for its servers",
  async (verb) => {
    await call("group create work");
    await call("run --name first --group work mcp/echo:1");

    const refused = await call(`${verb} work`);

    expect(refused.stderr).toContain(`thv ${verb} --group work`);
    expect((await call("list")).stdout).toMatch(/^first .*running/m);
  },
);

test("tools of a group are chosen by its name alone, too", async () => {
  await call("group create work");

  expect((await call("tools allow work echo")).stdout).toContain("work");
  expect(JSON.parse((await call("group show work --format json")).stdout)).not.toHaveProperty("tools");
  await call("tools allow --group work echo");
  expect((await call("tools allow work --all")).code).toBe(0);
});

test("a server that would sleep does not sleep in a group, and the command says so", async () => {
  await call("group create work");
  const sleepless = "does not sleep while it is in work";
  expect((await call("run --name first --sleep-after 5m --group work mcp/echo:1")).stderr).toContain(
    `first ${sleepless}`,
  );
  await call("run --name second --sleep-after 5m mcp/echo:1");
  expect((await call("group add work second")).stderr).toContain(`second ${sleepless}`);
});

test("a group of many servers has their number in the table, and their names in their order below", async () => {
  await call("group create work");
  for (const name of ["r10", "r9", "r2", "r1", "r3"]) await call(`run --name ${name} --group work mcp/echo:1`);
  const listed = await call("group list");
  expect(listed.stdout).toMatch(/^work +\S+ +5 /m);
  expect(listed.stderr).toContain("Servers of work: r1, r2, r3, r9, r10");
  await call("stop r1");
  expect((await call("list --all")).stdout.split("\n").map((line) => line.split(" ")[0])).toEqual([
    "NAME",
    "r1",
    "r2",
    "r3",
    "r9",
    "r10",
    "",
  ]);
});

test("stop, restart and rm act on the servers of a group alone", async () => {
  await call("group create work");
  await call("run --name first --group work mcp/echo:1");
  await call("run --name second mcp/echo:1");

  expect((await call("stop --group work")).code).toBe(0);
  expect((await call("list")).stdout).not.toContain("first");
  expect((await call("restart --group work")).code).toBe(0);
  expect((await call("list")).stdout).toContain("first");
  expect((await call("rm --group work --yes")).code).toBe(0);
  expect((await call("list --all")).stdout).not.toContain("first");
  expect((await call("list --all")).stdout).toContain("second");
});

test("rm --with-workloads names the servers that go, and asks first", async () => {
  await call("group create work");
  await call("group create other");
  await call("run --name first --group work mcp/echo:1");
  await call("run --name second --group work mcp/echo:1");
  await call("group add other second");

  const piped = await call("group rm work --with-workloads");

  expect([piped.code, piped.stderr]).toEqual([
    64,
    "Error: This would remove the group work and 1 server: first.\nHint: Confirm with: thv group rm work --with-workloads --yes\n",
  ]);
  expect((await call("list --all")).stdout).toContain("first");
  expect((await call("group rm work --with-workloads --yes")).stdout).toBe("work is removed.\n");
  const left = (await call("list --all")).stdout;
  expect(left).toContain("second");
  expect(left).not.toContain("first");
});

test.each([
  ["list --group nowhere", 3, 'There is no group "nowhere".'],
  ["run --group nowhere mcp/echo:1", 3, 'There is no group "nowhere".'],
  ["group rm nowhere", 3, 'There is no group "nowhere".'],
  ["group create default", 4, 'A group named "default" already exists.'],
  ["group add default nothing", 3, 'There is no server "nothing".'],
  ["client register vscode --group nowhere", 3, 'There is no group "nowhere".'],
  ["client register vscode --group default --dry-run", 64, "--dry-run does not go with --group."],
  ["stop --group work first", 64, "or --group, and not both"],
])("thv %s: exit code %i", async (line, code, text) => {
  const answer = await call(line);

  expect([answer.code, answer.stderr]).toEqual([code, expect.stringContaining(text)]);
});
