import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { countLeftovers, describeEngines, ThrowawayHome } from "./index.ts";

const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } },
};

describeEngines("test images on $kind", (engine) => {
  const runImage = (image: string, messages: readonly object[]) => {
    const [program, ...leading] = engine.command;
    const child = spawn(program, [...leading, "run", "--rm", "--interactive", image], {
      env: { ...process.env, ...engine.env },
    });
    child.stdin.write(messages.map((message) => `${JSON.stringify(message)}\n`).join(""));
    return child;
  };

  test.each([
    ["mcp/everything:latest", "everything"],
    ["mcp/everything:test", "everything"],
    ["mcp/filesystem:latest", "filesystem"],
    ["mcp/memory:latest", "memory"],
    ["mcp/sequentialthinking:latest", "sequential"],
    ["toolhive-test/echo:test", "echo"],
  ])("%s answers initialize over stdio", async (image, name) => {
    const child = runImage(image, [INITIALIZE]);

    const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
    child.stdin.end();
    await once(child, "close");

    expect(JSON.parse(line)).toMatchObject({
      id: 1,
      result: { protocolVersion: "2025-06-18", serverInfo: { name: expect.stringContaining(name) } },
    });
  });

  test("the exits image ends with code 3 and gives its reason on stderr", async () => {
    const created = await engine.cli(["create", "--name", "exits", "toolhive-test/exits:test"]);
    await engine.cli(["start", "exits"]);
    const waited = await engine.cli(["wait", "exits"]);
    const logs = await engine.cli(["logs", "exits"]);
    await engine.cli(["rm", "exits"]);

    expect(created.code).toBe(0);
    expect(waited.stdout.trim()).toBe("3");
    expect(logs.stderr).toBe("exits: cannot read the configuration file /etc/exits.conf\n");
  });

  test("the echo image crashes with the exit code it is asked for", async () => {
    const crash = { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "crash", arguments: { code: 7 } } };
    const child = runImage("toolhive-test/echo:test", [INITIALIZE, crash]);

    const [code] = (await once(child, "close")) as [number];

    expect(code).toBe(7);
  });

  test("counting leftovers sees a container and no longer sees it once it is removed", async () => {
    await using home = await ThrowawayHome.create();
    const before = await countLeftovers(engine, home);

    await engine.cli(["create", "--name", "left", "toolhive-test/echo:test"]);
    const during = await countLeftovers(engine, home);
    await engine.cli(["rm", "left"]);

    expect(during.containers).toHaveLength(before.containers.length + 1);
    expect(during.containers.join()).toContain("left (created)");
    expect(await countLeftovers(engine, home)).toEqual(before);
  });
});
