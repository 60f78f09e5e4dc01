/** Clients find tools of a real server instead of listing them, at its own address and at that of a group. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { describeEngines, runThv, type TestEngine, ThrowawayHome } from "@toolhive/testing";
import { afterAll, beforeAll, expect, test } from "vitest";

let home: ThrowawayHome;

async function connect(url: string): Promise<Client> {
  const client = new Client({ name: "finder", version: "1" });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  return client;
}

async function listNames(client: Client): Promise<string[]> {
  const { tools } = await client.listTools({}, { cacheMode: "refresh" });
  return tools.map(({ name }) => name);
}

/** What `find_tool` shows first, and what `call_tool` makes of it. */
async function useSum(client: Client): Promise<unknown[]> {
  const found = await client.callTool({ name: "find_tool", arguments: { query: "add two numbers" } });
  const { tools } = found.structuredContent as { tools: { name: string }[] };
  const [best] = tools;
  const summed = await client.callTool({
    name: "call_tool",
    arguments: { name: best?.name, arguments: { a: 2, b: 40 } },
  });
  return [best?.name, JSON.stringify(summed.content)];
}

describeEngines("finding tools on $kind", { isOneEnough: true }, (engine: TestEngine) => {
  const thv = async (...args: string[]) => {
    const done = await runThv(args, { home, engine });
    expect(done.code, done.stderr).toBe(0);
    return done.stdout;
  };
  beforeAll(async () => {
    home = await ThrowawayHome.create();
    await thv("run", "--name", "it", "--find-tools", "mcp/everything:test");
  });
  afterAll(async () => await home[Symbol.asyncDispose]());

  test("lists two tools, runs what is found, and shows all in the same session when it is switched off", async () => {
    const [{ url }] = JSON.parse(await thv("list", "--format", "json"));
    const client = await connect(url);

    expect(await listNames(client)).toEqual(["find_tool", "call_tool"]);
    expect(await useSum(client)).toEqual(["get-sum", expect.stringContaining("42")]);

    await thv("tools", "find", "it", "--off");
    expect(await listNames(client)).toContain("get-sum");
    expect(await thv("tools", "list", "it")).toContain("get-sum");
    await client.close();
  });

  test("works for a group, whose server's own clients find tools, too", async () => {
    await thv("tools", "find", "it");
    const { url } = JSON.parse(await thv("group", "create", "work", "--find-tools", "--format", "json"));
    await thv("group", "add", "work", "it");
    const client = await connect(url);

    expect(await listNames(client)).toEqual(["find_tool", "call_tool"]);
    expect(await useSum(client)).toEqual(["get-sum", expect.stringContaining("42")]);
    expect(await thv("tools", "list", "--group", "work")).toContain("get-sum");
    await client.close();
  });
});
