import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { MeasuredTools, UsageSink, UsedCall } from "@toolhive/core";
import { waitFor } from "@toolhive/testing/wait-for";
import { describe, expect, test } from "vitest";
import { openEndpoint } from "../open-endpoint.ts";
import { openGroup, openMember, untilMember } from "../testing/open-group.ts";
import { startHttpServer } from "../testing/raw-http-server.ts";
import { saysToolError } from "./usage-meter.ts";

/** What a test sees of what is counted. */
class Counted implements UsageSink {
  readonly calls: UsedCall[] = [];
  readonly pages: MeasuredTools[] = [];

  record(call: UsedCall): void {
    this.calls.push(call);
  }

  measure(page: MeasuredTools): void {
    this.pages.push(page);
  }

  /** Tool, client and failure of each call. */
  get shown(): unknown[] {
    return this.calls.map(({ tool, client, isFailure }) => [tool, client, isFailure]);
  }
}

const TOOLS = [
  { name: "add", description: "Adds.", inputSchema: { type: "object" } },
  { name: "bad", description: "Fails.", inputSchema: { type: "object" } },
];
const SIZES = TOOLS.map((tool) => ({ name: tool.name, bytes: JSON.stringify(tool).length }));

function answer(method: string, params: Readonly<Record<string, unknown>>): string | undefined {
  if (method === "tools/list") return JSON.stringify({ tools: TOOLS });
  if (method === "resources/list") return JSON.stringify({ resources: [{ uri: "note://1", name: "one" }] });
  if (method === "resources/read") return JSON.stringify({ contents: [] });
  if (method !== "tools/call") return undefined;
  return JSON.stringify({ content: [], ...(params.name === "bad" && { isError: true }) });
}

async function connect(url: string, name: string): Promise<Client & AsyncDisposable> {
  const client = new Client({ name, version: "1" });
  const address = new URL(url);
  const isSse = address.pathname === "/sse";
  await client.connect(isSse ? new SSEClientTransport(address) : new StreamableHTTPClientTransport(address));
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.close() });
}

const KINDS = ["stdio", "streamable-http", "sse"] as const;
const MODES = [
  ["as they are", {}],
  ["with a choice of tools", { tools: ["add", "bad"] }],
] as const;

describe.each(KINDS)("calls of a server on %s", (kind) => {
  test.each(MODES)("are counted once, %s", async (_mode, options) => {
    const usage = new Counted();
    await using server = await openMember("calc", kind, answer, { usage, ...options });
    await using client = await connect(server.member.url, "cursor");
    await client.listTools();
    await client.callTool({ name: "add" });
    await client.callTool({ name: "bad" });
    await client.readResource({ uri: "note://1" });
    await client.ping();

    await waitFor(() => usage.calls.length >= 3, { what: "three calls" });
    expect(usage.shown).toEqual([
      ["add", "cursor", false],
      ["bad", "cursor", true],
      [undefined, "cursor", false],
    ]);
    for (const { ms } of usage.calls) expect(ms).toBeGreaterThanOrEqual(0);
    expect(usage.pages).toEqual([{ tools: SIZES, isFirst: true, isLast: true, instead: undefined }]);
  });

  test("are counted by the tool that was found, and the context has the two tools that find it", async () => {
    const usage = new Counted();
    await using server = await openMember("calc", kind, answer, { usage, findTools: true });
    await using client = await connect(server.member.url, "cursor");
    await client.listTools();
    await client.callTool({ name: "find_tool", arguments: { query: "adds" } });
    await client.callTool({ name: "call_tool", arguments: { name: "add" } });

    await waitFor(() => usage.calls.length >= 1, { what: "a call" });
    expect(usage.calls.map(({ tool, isFailure }) => [tool, isFailure])).toEqual([["add", false]]);
    expect(usage.pages.length).toBeGreaterThan(0);
    for (const { instead } of usage.pages) expect(instead).toBeGreaterThan(500);
  });

  test("through a group are counted at the server once, and for the client of the group", async () => {
    const usage = new Counted();
    const ofGroup: unknown[] = [];
    await using server = await openMember("calc", kind, answer, { usage });
    await using group = await openGroup([server], {
      onCalled: (name, client, { isFailure }) => ofGroup.push([name, client, isFailure]),
    });
    await untilMember(group, "calc");
    await using client = await connect(`http://127.0.0.1:${group.port}/mcp`, "vscode");
    await client.listTools();
    await client.callTool({ name: "add" });
    await client.callTool({ name: "bad" });

    await waitFor(() => usage.calls.length >= 2, { what: "two calls" });
    expect(usage.shown).toEqual([
      ["add", undefined, false],
      ["bad", undefined, true],
    ]);
    expect(ofGroup).toEqual([
      ["calc", "vscode", false],
      ["calc", "vscode", true],
    ]);
  });
});

describe("a call at a server that speaks HTTP, of which nothing has to be read", () => {
  const body = (id: number, more = "") =>
    `{"jsonrpc":"2.0","method":"tools/call","params":{"name":"add","arguments":{"text":"${more}"}},"id":${id}}`;
  const post = async (port: number, text: string) =>
    await fetch(`http://127.0.0.1:${port}/mcp`, {
      method: "POST",
      body: text,
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
    });

  async function open(
    respond: (text: string) => { readonly type: string; readonly text: string; readonly status?: number },
  ) {
    const usage = new Counted();
    const seen: string[] = [];
    const server = await startHttpServer(async (request, response) => {
      let text = "";
      for await (const chunk of request) text += String(chunk);
      // The endpoint looks after the server with requests of its own.
      if (request.method === "POST") seen.push(text);
      const { type, text: sent, status = 200 } = respond(text);
      response.writeHead(status, { "content-type": type }).end(sent);
    });
    const endpoint = await openEndpoint({
      ...{ name: "raw", host: "127.0.0.1", port: 0, transport: "streamable-http", usage },
    });
    endpoint.connect({ host: "127.0.0.1", port: server.port });
    const close = async () => {
      await endpoint.close();
      await server[Symbol.asyncDispose]();
    };
    return { usage, seen, port: endpoint.port, [Symbol.asyncDispose]: close };
  }

  const RESULT = '{"jsonrpc":"2.0","id":1,"result":{"content":[]}}';
  test.each([
    ["JSON", "application/json", RESULT, 200, false],
    ["a stream", "text/event-stream", `event: message\ndata: ${RESULT}\n\n`, 200, false],
    [
      "a stream with progress before",
      "text/event-stream",
      `data: {"jsonrpc":"2.0","method":"x"}\n\ndata: ${RESULT}\n\n`,
      200,
      false,
    ],
    ["an error", "application/json", '{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"no"}}', 200, true],
    ["no answer at all", "text/event-stream", "", 200, true],
    ["a page of an error", "text/html", "<h1>no</h1>", 500, true],
  ])("is counted with %s as it passes, byte for byte", async (_what, type, text, status, isFailure) => {
    await using world = await open(() => ({ type, text, status }));

    const response = await post(world.port, body(1));
    expect([response.status, await response.text()]).toEqual([status, text]);
    await waitFor(() => world.usage.calls.length > 0, { what: "a call" });
    expect(world.usage.shown).toEqual([["add", undefined, isFailure]]);
    expect(world.seen).toEqual([body(1)]);
  });

  test("passes whole, and is counted by its first bytes, when it is larger than what is read along", async () => {
    await using world = await open(() => ({ type: "application/json", text: RESULT }));
    const large = body(1, "x".repeat(3 * 1024 * 1024));

    expect(await (await post(world.port, large)).text()).toBe(RESULT);
    expect(world.seen[0]?.length).toBe(large.length);
    expect(world.usage.shown).toEqual([["add", undefined, false]]);
  });

  test("counts as answered when the answer is larger than what is read along", async () => {
    const large = RESULT.replace('"content":[]', `"content":[],"x":"${"x".repeat(3 * 1024 * 1024)}"`);
    await using world = await open(() => ({ type: "application/json", text: large }));

    expect((await (await post(world.port, body(1))).text()).length).toBe(large.length);
    await waitFor(() => world.usage.calls.length > 0, { what: "a call" });
    expect(world.usage.shown).toEqual([["add", undefined, false]]);
  });

  test.each(["", "{", "[]", "[[[", '{"jsonrpc":"2.0"}', '"tools/call"', "\u0000"])(
    "%j is none, and reaches the server as it is",
    async (text) => {
      await using world = await open(() => ({ type: "application/json", text: RESULT }));

      await (await post(world.port, text)).text();
      expect([world.seen, world.usage.calls]).toEqual([[text], []]);
    },
  );

  test("of a batch is counted for each of its calls", async () => {
    const answers = `[${RESULT},${RESULT.replace('"id":1', '"id":2')}]`;
    await using world = await open(() => ({ type: "application/json", text: answers }));

    await (await post(world.port, `[${body(1)},${body(2)}]`)).text();
    await waitFor(() => world.usage.calls.length >= 2, { what: "two calls" });
    expect(world.usage.shown).toEqual([
      ["add", undefined, false],
      ["add", undefined, false],
    ]);
  });
});

test.each([
  ['{"jsonrpc":"2.0","id":1,"result":{"isError":true}}', true],
  ['{"jsonrpc":"2.0","id":1,"result":{"isError": true ,"content":[]}}', true],
  ['{"jsonrpc":"2.0","id":1,"result":{"isError":false}}', false],
  ['{"jsonrpc":"2.0","id":1,"result":{"content":[{"text":"\\"isError\\":true"}]}}', false],
  ['{"jsonrpc":"2.0","id":1,"result":{"content":{"isError":true}}}', false],
])("%s says that the tool has failed: %s", (text, expected) => {
  expect(saysToolError(Buffer.from(text))).toBe(expected);
});
