/** What `thv mcp list` makes of the answers of servers, good and bad. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { McpFixture } from "../../testing/mcp-fixture.ts";
import { ServedThv } from "../../testing/served-thv.ts";

let context: ServedThv;

beforeEach(async () => {
  context = await ServedThv.start();
});
afterEach(async () => {
  await context[Symbol.asyncDispose]();
});

const list = (...argv: string[]) => context.call(["mcp", "list", ...argv]);

const TOOL = { name: "add", description: "Adds\n two numbers.", inputSchema: { type: "object" } };
const PROMPT = { name: "greet", arguments: [{ name: "who", required: true }, { name: "tone" }] };
const RESOURCE = { name: "readme", uri: "file:///readme", mimeType: "text/plain" };

const EVERYTHING = {
  capabilities: { tools: {}, resources: {}, prompts: {} },
  answers: {
    "tools/list": ({ cursor }: Record<string, unknown>) =>
      cursor === "two" ? { tools: [{ ...TOOL, name: "subtract" }] } : { tools: [TOOL], nextCursor: "two" },
    "resources/list": () => ({ resources: [RESOURCE] }),
    "prompts/list": () => ({ prompts: [PROMPT] }),
  },
};

describe.each([
  { transport: "streamable-http", path: "/mcp" },
  { transport: "sse", path: "/sse" },
  { transport: "sse", path: "/old" },
] as const)("mcp list over $transport at $path", ({ transport, path }) => {
  test("shows every page of every kind, and calls itself toolhive-cli", async () => {
    await using server = await McpFixture.start({ ...EVERYTHING, transport });

    expect(await list("--server", `${server.origin}${path}`)).toEqual({
      code: 0,
      stdout: [
        "TOOLS:",
        "NAME       DESCRIPTION",
        "add        Adds two numbers.",
        "subtract   Adds two numbers.",
        "",
        "RESOURCES:",
        "NAME     URI              DESCRIPTION   MIME TYPE",
        "readme   file:///readme                 text/plain",
        "",
        "PROMPTS:",
        "NAME    DESCRIPTION   ARGUMENTS",
        "greet                 2 (who, [tone])",
        "",
        "",
      ].join("\n"),
      stderr: "",
    });
    expect(server.clientNames).toEqual(["toolhive-cli"]);
  });
});

describe("mcp list", () => {
  test("as JSON holds what the server said, with a key for each kind that was asked for", async () => {
    await using server = await McpFixture.start(EVERYTHING);
    const address = `${server.origin}/mcp`;
    const tools = [TOOL, { ...TOOL, name: "subtract" }];

    const all = await list("--server", address, "--format", "json");
    const some = await list("tools", "--server", address, "--format", "json");

    expect(JSON.parse(all.stdout)).toEqual({ prompts: [PROMPT], resources: [RESOURCE], tools });
    expect(Object.keys(JSON.parse(all.stdout))).toEqual(["prompts", "resources", "tools"]);
    expect(JSON.parse(some.stdout)).toEqual({ tools });
  });

  test("of a kind that the server does not have is empty, and does not ask for it", async () => {
    await using server = await McpFixture.start({
      capabilities: { tools: {} },
      answers: { "tools/list": () => ({ tools: [] }) },
    });
    const address = `${server.origin}/mcp`;

    expect(await list("prompts", "--server", address)).toEqual({
      code: 0,
      stdout: "",
      stderr: `${address} has no prompts.\n`,
    });
    expect((await list("--server", address)).stderr).toBe(`${address} has no tools, resources and prompts.\n`);
    expect((await list("prompts", "--server", address, "--format=json")).stdout).toBe('{\n  "prompts": []\n}\n');
    expect(server.methods).not.toContain("prompts/list");
  });

  test("goes on with a warning when one kind fails, and fails when that was asked for", async () => {
    const answers = {
      ...EVERYTHING.answers,
      "resources/list": () => {
        throw new Error("disk on fire");
      },
    };
    await using server = await McpFixture.start({ ...EVERYTHING, answers });
    const address = `${server.origin}/mcp`;

    const all = await list("--server", address);
    const one = await list("resources", "--server", address);

    expect([all.code, all.stdout]).toEqual([0, expect.stringMatching(/^TOOLS:.*PROMPTS:/s)]);
    expect(all.stderr).toMatch(/^Warning: The resources cannot be listed: .*disk on fire/);
    expect([one.code, one.stdout]).toEqual([8, ""]);
    expect(one.stderr).toContain("disk on fire");
  });

  test("shows what a server wrote without anything that could move the cursor", async () => {
    const tools = [{ ...TOOL, description: `\u001b[2Jgone ${"long ".repeat(40)}` }];
    await using server = await McpFixture.start({ answers: { "tools/list": () => ({ tools }) } });

    const { stdout } = await list("tools", "--server", `${server.origin}/mcp`);

    expect(stdout).not.toContain("\u001b");
    expect(stdout).toMatch(/\[2Jgone (long )+.*…\n/);
  });

  test("of a server that asks for a token exits 15 and says how to sign in", async () => {
    await using server = await McpFixture.start({ transport: { refused: 401 } });

    const { code, stdout, stderr } = await list("--server", `${server.origin}/mcp`);

    expect([code, stdout]).toEqual([15, ""]);
    expect(stderr).toBe(
      `Error: ${server.origin}/mcp asks for a token.\nHint: Sign in through a proxy, and ask that: thv proxy --target-uri ${server.origin} --remote-auth NAME\n`,
    );
  });

  test.each([{ refused: 500 }, { refused: 404 }] as const)("of something else (%j) exits 8", async (transport) => {
    await using server = await McpFixture.start({ transport });

    const { code, stderr } = await list("--server", server.origin);

    expect(code).toBe(8);
    expect(stderr).toContain("does not answer as an MCP server: ");
  });

  test("of an address without a listener exits 8 with the reason", async () => {
    const server = await McpFixture.start();
    const { origin } = server;
    await server[Symbol.asyncDispose]();

    const { code, stderr } = await list("--server", `${origin}/mcp`);

    expect(code).toBe(8);
    expect(stderr).toContain("ECONNREFUSED");
  });

  test.each(["/mcp", "/sse"])("of a server that says nothing at %s ends when the time is over", async (path) => {
    await using server = await McpFixture.start({ transport: "silent" });

    const { code, stderr } = await list("--server", `${server.origin}${path}`, "--timeout", "200ms");

    expect(code).toBe(8);
    expect(stderr).toContain("did not answer in time.\nHint: Wait longer");
  });

  test.each([
    [["--server", "ftp://x/"], 64, "must begin with http:// or https://"],
    [["--server", "http://x/", "--timeout", "0"], 64, "must be positive"],
    [[], 64, "thv mcp list needs --server."],
    [["tolls", "--server", "x"], 64, "Did you mean: thv mcp list tools"],
    [["--server", "nope"], 3, 'There is no server "nope".'],
  ])("with %j exits %i", async (argv, expected, text) => {
    const { code, stdout, stderr } = await list(...argv);

    expect([code, stdout]).toEqual([expected, ""]);
    expect(stderr).toContain(text);
  });

  test("of a workload that is stopped says how to start it", async () => {
    await context.call(["run", "--name", "echo", "mcp/echo:1"]);
    await context.call(["stop", "echo"]);

    const { code, stderr } = await list("--server", "echo");

    expect([code, stderr]).toEqual([8, 'Error: "echo" is stopped.\nHint: Start it: thv restart echo\n']);
  });
});
