/** The MCP client of the API's calls. */
import { openEndpoint } from "@toolhive/proxy";
import { describe, expect, test, vi } from "vitest";
import { McpFixture } from "../testing/mcp-fixture.ts";
import { openMcp } from "./open-mcp.ts";

const NOTHING = 'forbid(principal, action, resource == Tool::"pay");';
const signal = new AbortController().signal;

describe("the client of calls", () => {
  test("lists all pages of what there is, and nothing of a kind that the server does not have", async () => {
    const tool = (name: string) => ({ name, inputSchema: { type: "object" } });
    await using server = await McpFixture.start({
      answers: {
        "tools/list": ({ cursor }) => (cursor ? { tools: [tool("b")] } : { tools: [tool("a")], nextCursor: "two" }),
      },
    });
    await using session = await openMcp(new URL(`${server.origin}/mcp`), { signal });

    expect((await session.list("tools")).map(({ name }) => name)).toEqual(["a", "b"]);
    expect([await session.list("prompts"), await session.list("resourceTemplates")]).toEqual([[], []]);
    expect(server.methods).not.toContain("prompts/list");
  });

  test("shows each message as it crosses, and the error of the server as its own", async () => {
    await using server = await McpFixture.start({
      answers: {
        "tools/call": ({ name }) => {
          if (name === "fails") throw new Error("no such tool");
          return { content: [{ type: "text", text: "hello" }] };
        },
      },
    });
    const messages: [string, { readonly method?: string }][] = [];
    const onMessage = (direction: string, message: unknown) => void messages.push([direction, message as object]);
    await using session = await openMcp(new URL(`${server.origin}/mcp`), { signal, onMessage });

    expect(await session.call("tools/call", { name: "says" })).toMatchObject({ content: [{ text: "hello" }] });
    await expect(session.call("tools/call", { name: "fails" })).rejects.toMatchObject({
      name: "RpcFailure",
      rpcCode: -32603,
    });
    const sent = messages.filter(([direction]) => direction === "out").map(([, { method }]) => method);
    expect(sent).toContain("initialize");
    expect(sent).toContain("tools/call");
    expect(messages.filter(([direction]) => direction === "in").at(-1)?.[1]).toMatchObject({ error: { code: -32603 } });
  });

  const tool = { name: "t", inputSchema: { type: "object" }, outputSchema: { type: "object", required: ["a"] } };
  const WITH_NUMBER = { ...tool.outputSchema, properties: { a: { type: "number" } } };
  test.each<[string, Record<string, () => object>, string]>([
    ["a list that is none", { "tools/list": () => ({ tools: 5 }) }, '"tools" is of the type number'],
    ["a tool without a name", { "tools/list": () => ({ tools: [{}] }) }, '"tools.0.name" is missing'],
    [
      "content that its schema forbids",
      {
        "tools/list": () => ({ tools: [{ ...tool, outputSchema: WITH_NUMBER }] }),
        "tools/call": () => ({ content: [], structuredContent: { a: "x" } }),
      },
      "is not what the tool's output schema says: see /a",
    ],
    [
      "content without a member",
      {
        "tools/list": () => ({ tools: [tool] }),
        "tools/call": () => ({ content: [], structuredContent: {} }),
      },
      "is not what the tool's output schema says",
    ],
    [
      "an answer to a call that is none",
      { "tools/list": () => ({ tools: [] }), "tools/call": () => ({ content: [{ type: 7 }] }) },
      "its answer to tools/call is not as the protocol has it",
    ],
  ])("of a server that gives %s says so in one sentence, without a validator's text", async (_what, answers, text) => {
    await using server = await McpFixture.start({ answers });
    await using session = await openMcp(new URL(`${server.origin}/mcp`), { signal });

    const error: unknown = await session
      .list("tools")
      .then(() => session.call("tools/call", { name: "t" }))
      .catch((thrown: unknown) => thrown);

    expect(error).toMatchObject({ code: "SERVER_NOT_READY", message: expect.stringContaining(text) });
    expect(String(error)).not.toMatch(/invalid_type|Invalid input|must be|must have|expected|received|\[ ?\{|data\//);
  });

  test("sends the server a cancellation of a call", async () => {
    await using server = await McpFixture.start({ answers: { "tools/call": () => new Promise(() => undefined) } });
    const stop = new AbortController();
    const session = await openMcp(new URL(`${server.origin}/mcp`), { signal: stop.signal });

    const call = session.call("tools/call", { name: "never-ends" });
    const outcome = expect(call).rejects.toThrow();
    await vi.waitFor(() => expect(server.methods).toContain("tools/call"));
    stop.abort();
    await outcome;
    await session[Symbol.asyncDispose]();

    await vi.waitFor(() => expect(server.methods).toContain("notifications/cancelled"));
  });

  test("says why a proxy with policies refuses it", async () => {
    await using server = await McpFixture.start();
    const access = { authz_config: { version: "1.0", type: "cedarv1" as const, cedar: { policies: [NOTHING] } } };
    const listener = { name: "it", host: "127.0.0.1", port: 0, transport: "streamable-http" as const };
    await using proxy = await openEndpoint({ ...listener, access });
    proxy.connect({ host: "127.0.0.1", port: Number(new URL(server.origin).port) });
    await using session = await openMcp(new URL(`http://127.0.0.1:${proxy.port}/mcp`), { signal });

    await expect(session.call("tools/call", { name: "pay" })).rejects.toMatchObject({
      name: "RpcFailure",
      message: 'Unauthorized: call_tool "pay" is not permitted.',
    });
  });

  test("reports an address that does not answer", async () => {
    const server = await McpFixture.start();
    const url = new URL(`${server.origin}/mcp`);
    await server[Symbol.asyncDispose]();

    await expect(openMcp(url, { signal })).rejects.toMatchObject({ code: "SERVER_NOT_READY" });
  });
});
