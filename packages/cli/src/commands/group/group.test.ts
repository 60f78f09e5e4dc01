/** `thv group` and `--group`, against a supervisor over a simulated machine. */
import { afterEach, beforeEach, expect, test } from "vitest";
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
  expect((await call("group create work")).stdout).toMatch(
    /^work is created. Its address: http:\/\/127.0.0.1:\d+\/mcp/,
  );
  await call("run --name first --group work mcp/echo:1");
  await call("run --name second mcp/echo:1");

  expect((await call("list --group work")).stdout).toMatch(/^first /m);
  expect((await call("list --group work")).stdout).not.toContain("second");
  expect((await call("list --group default")).stdout).not.toContain("first");

  expect((await call("group add work second")).stdout).toBe("In work: second\n");
  expect((await call("group list")).stdout).toMatch(/^work .*first, second/m);
  expect((await call("group remove work second")).stdout).toBe("Not in work: second\n");
  expect((await call("group rm work")).stdout).toBe("work is removed.\n");
  expect(JSON.parse((await call("group list --format json")).stdout)).toMatchObject([
    { name: "default", workloads: [{ name: "first" }, { name: "second" }] },
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
});

test.each([
  ["list --group nowhere", 3, 'There is no group "nowhere".'],
  ["run --group nowhere mcp/echo:1", 3, 'There is no group "nowhere".'],
  ["group rm nowhere", 3, 'There is no group "nowhere".'],
  ["group create default", 4, 'A group named "default" already exists.'],
  ["group add default nothing", 3, 'Workload "nothing" not found.'],
  ["client register vscode --group nowhere", 3, 'There is no group "nowhere".'],
  ["client register vscode --group default --dry-run", 64, "--dry-run does not go with --group."],
  ["stop --group work first", 64, "or --group, and not both"],
])("thv %s: exit code %i", async (line, code, text) => {
  const answer = await call(line);

  expect([answer.code, answer.stderr]).toEqual([code, expect.stringContaining(text)]);
});
