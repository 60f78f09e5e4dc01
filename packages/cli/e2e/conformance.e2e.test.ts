/**
 * The server that the conformance suite expects, in containers on each transport: what an official client gets through thv is
 * what it gets directly. The whole suite takes minutes: `npm run conformance -w @toolhive/proxy`.
 */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { describeEngines, findRepositoryRoot, runThv, ThrowawayHome } from "@toolhive/testing";
import { expect, test } from "vitest";
import { withMcpClient } from "../src/testing/mcp-client.ts";

const IMAGE = "toolhive-test/conformance:test";
const FIXTURE = `${findRepositoryRoot()}/packages/proxy/conformance/serve-fixture.mjs`;
const TRANSPORTS = ["stdio", "sse", "streamable-http"] as const;

/** Calls whose answers depend on nothing but the server. */
async function exercise(client: Client) {
  const call = (name: string) => client.callTool({ name, arguments: {} });
  const { tools } = await client.listTools();
  const plain = tools.map(({ name }) => name).filter((name) => /_(text|content|types|handling)$/.test(name));
  return {
    tools,
    answers: Object.fromEntries(await Promise.all(plain.map(async (name) => [name, await call(name)] as const))),
    prompts: (await client.listPrompts()).prompts,
    prompt: await client.getPrompt({ name: "test_prompt_with_arguments", arguments: { arg1: "a", arg2: "b" } }),
    resources: (await client.listResources()).resources,
    resource: await client.readResource({ uri: "test://template/7/data" }),
    unknown: await client.readResource({ uri: "test://nothing" }).catch((error: unknown) => String(error)),
  };
}

async function exerciseDirectly() {
  const client = new Client({ name: "thv-tests", version: "1.0.0" });
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [FIXTURE, "session", "stdio"] }));
  try {
    return await exercise(client);
  } finally {
    await client.close();
  }
}

describeEngines("in a container of $kind", (engine) => {
  test("a client gets the same from a server on every transport as directly", async () => {
    await using home = await ThrowawayHome.create();
    const direct = await exerciseDirectly();

    const answers = await Promise.all(
      TRANSPORTS.map(async (transport) => {
        const flags = transport === "stdio" ? [] : ["--transport", transport, "--target-port", "3001"];
        const args = ["run", "--name", transport, ...flags, IMAGE, "--", "session", transport, "3001"];
        const { stdout } = await runThv(args, { home, engine });
        return await withMcpClient(stdout.trim().split(" ").at(-1) ?? "", exercise);
      }),
    );

    expect(Object.keys(direct.answers).length).toBeGreaterThanOrEqual(5);
    for (const answer of answers) expect(answer).toEqual(direct);
  });
});

describeEngines("of revision 2026-07-28, on $kind", { isOneEnough: true }, (engine) => {
  test("a client gets through thv what the server says", async () => {
    await using home = await ThrowawayHome.create();
    const { stdout } = await runThv(["run", "--name", "modern", IMAGE, "--", "modern", "stdio"], { home, engine });
    const client = new Client(
      { name: "thv-tests", version: "1.0.0" },
      { versionNegotiation: { mode: { pin: "2026-07-28" } } },
    );
    await client.connect(new StreamableHTTPClientTransport(new URL(stdout.trim().split(" ").at(-1) ?? "")));

    const { content } = await client.callTool({ name: "test_simple_text", arguments: {} });

    expect(content).toEqual([{ type: "text", text: "This is a simple text response for testing." }]);
    await client.close();
  });
});
