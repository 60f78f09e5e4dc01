/** What `thv tools` changes and refuses, and what `thv run` takes. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ServedThv } from "../../testing/served-thv.ts";

let context: ServedThv;
beforeEach(async () => {
  context = await ServedThv.start();
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
    stdout: "echo offers 3 tools: add, echo, get-env.\n",
  });
  const denied = await context.call(["tools", "deny", "echo", "echo", "--format", "json"]);
  expect(JSON.parse(denied.stdout)).toEqual({ tools: ["add", "get-env"], tools_override: { sum: { name: "add" } } });
  const renamed = await context.call(["tools", "rename", "echo", "add", "plus", "--format", "json"]);
  expect(JSON.parse(renamed.stdout)).toEqual({ tools: ["plus", "get-env"], tools_override: { sum: { name: "plus" } } });
  expect(context.served.world.engine.find("echo")).toBe(container);
  expect((await context.call(["tools", "allow", "echo", "--all"])).stdout).toBe("echo offers all its tools.\n");
});

test.each([
  [["tools", "allow", "echo"], 64, "--all"],
  [["tools", "deny", "echo", "add"], 2, "no tool at all"],
  [["tools", "deny", "echo", "absent"], 2, "offers no tool"],
  [["tools", "list", "absent"], 3, "not found"],
  [["run", "--tools-override", "/absent.json", "mcp/echo:1"], 64, "cannot be used"],
])("%j ends with exit code %i", async (argv, code, message) => {
  await context.call(["run", "--name", "echo", "--tools", "add", "mcp/echo:1"]);
  expect(await context.call(argv)).toMatchObject({ code, stdout: "", stderr: expect.stringContaining(message) });
});
