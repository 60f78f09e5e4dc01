/** What `thv upgrade` says and does, with a registry that lists another image than a server runs from. */
import { answeringServer } from "@toolhive/core/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { McpFixture } from "../../testing/mcp-fixture.ts";
import { ServedThv } from "../../testing/served-thv.ts";

let context: ServedThv;
const thv: ServedThv["call"] = (argv, options) => context.call(argv, options);

function list(image: string, required = false): void {
  const variable = { name: "VOICE", description: "How it sounds.", required };
  context.served.world.registry.set("echo", {
    name: "echo",
    image,
    description: "Says what it hears.",
    tier: "Community",
    status: "Active",
    transport: "stdio",
    tools: ["echo"],
    env_vars: [variable],
  });
}

beforeEach(async () => {
  context = await ServedThv.start();
  context.served.world.engine.registry.set("mcp/echo:2", answeringServer);
  await thv(["run", "--name", "mine", "mcp/echo:1"]);
});
afterEach(async () => {
  await context[Symbol.asyncDispose]();
});

describe("upgrade check", () => {
  test("lists what the registry has another image for, and how to upgrade", async () => {
    list("mcp/echo:2");
    await thv(["run", "--name", "other", "mcp/other:1"]);

    const { code, stdout, stderr } = await thv(["upgrade", "check"]);

    expect([code, stderr]).toEqual([0, "Upgrade one: thv upgrade apply mine\n"]);
    expect(stdout).toMatch(/^NAME +IMAGE +UPGRADE +NEW VARIABLES\nmine +mcp\/echo:1 +mcp\/echo:2 +VOICE\n$/);
  });

  test("says that there is nothing, and of one server why", async () => {
    list("mcp/echo:1");

    expect(await thv(["upgrade", "check"])).toEqual({
      code: 0,
      stdout: "",
      stderr: "The registry has no other image for any server.\n",
    });
    expect((await thv(["upgrade", "check", "mine"])).stdout).toBe(
      "There is no upgrade for mine: it runs from the image that the registry lists.\n",
    );
    expect(await thv(["upgrade", "check", "absent"])).toMatchObject({ code: 3 });
  });

  test("names the variables that the new version requires", async () => {
    list("mcp/echo:2", true);

    expect(await thv(["upgrade", "check", "mine"])).toEqual({
      code: 0,
      stdout: "mine can be upgraded to mcp/echo:2.\n  VOICE (required): How it sounds.\n",
      stderr: "Upgrade it: thv upgrade apply mine --env VOICE=…\n",
    });
  });
});

describe("upgrade apply", () => {
  test("replaces the image with the variables that are given, and has nothing to do the second time", async () => {
    list("mcp/echo:2", true);

    expect(await thv(["upgrade", "apply", "mine"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("cannot start without VOICE"),
    });
    expect(await thv(["upgrade", "apply", "mine", "--env", "VOICE=loud"])).toMatchObject({
      code: 0,
      stdout: "mine runs from mcp/echo:2 instead of mcp/echo:1.\n",
    });
    expect(context.served.world.engine.find("mine")?.spec.env).toMatchObject({ VOICE: "loud" });
    expect((await thv(["upgrade", "apply", "mine"])).stdout).toBe("mine already runs from mcp/echo:2.\n");
  });

  test("names the tools that the new version changes, which are held back", async () => {
    let tools = [{ name: "add", description: "Adds." }];
    // The simulated proxy passes nothing by itself.
    const passList = () => {
      const offered = tools.map((definition) => ({ name: definition.name, definition }));
      context.served.world.network.endpoints.get(port)?.pins?.review({ tools: offered, next: undefined });
      return { tools: tools.map((tool) => ({ ...tool, inputSchema: { type: "object" } })) };
    };
    await using server = await McpFixture.start({ answers: { "tools/list": passList }, capabilities: { tools: {} } });
    const port = Number(new URL(server.origin).port);
    await thv(["run", "--name", "asked", "--proxy-port", String(port), "mcp/echo:1"]);
    passList();
    list("mcp/echo:2");
    tools = [
      { name: "add", description: "Adds, and more." },
      { name: "new", description: "Is new." },
    ];

    const upgraded = await thv(["upgrade", "apply", "asked"]);

    expect(upgraded.stderr).toContain("Tools that differ from before are held back: add (changed).");
    expect(upgraded.stderr).toContain("thv tools accept asked");
    await thv(["tools", "accept", "asked", "--yes"]);
    expect((await thv(["upgrade", "apply", "asked", "--format", "json"])).stdout).toContain('"tools": []');
  });

  test("refuses what is neither a variable nor a secret, before anything is done", async () => {
    expect(await thv(["upgrade", "apply", "mine", "--env", "=x", "--secret", "no"])).toMatchObject({
      code: 64,
      stderr: expect.stringMatching(/--env.*--secret is "no" but must be NAME,target=VARIABLE/s),
    });
  });
});
