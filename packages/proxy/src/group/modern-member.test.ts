/** A server of the official SDK that speaks revision 2026-07-28 only, as a member of a group. */
import type { IncomingMessage, ServerResponse } from "node:http";
import {
  LOG_LEVEL_META_KEY,
  type LoggingLevel,
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernTransport,
} from "@modelcontextprotocol/client";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
  ElicitRequestSchema,
  LoggingMessageNotificationSchema,
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { createMcpHandler, fromJsonSchema, inputRequired, McpServer } from "@modelcontextprotocol/server";
import type { GroupEndpoint } from "@toolhive/core";
import { isRecord } from "@toolhive/http/values";
import { afterEach, describe, expect, test } from "vitest";
import { openGroup, openStdioMember, untilMember } from "../testing/open-group.ts";
import { startHttpServer } from "../testing/raw-http-server.ts";

const WAIT = { timeout: 20_000 };

const closing: (() => PromiseLike<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Says what each call got, and adds a tool when it is asked to. */
async function startModernServer() {
  const tools = new Set(["echo", "ask", "steps", "log"]);
  const createServer = (): McpServer => {
    const mcp = new McpServer({ name: "modern", version: "1" }, { instructions: "Ask." });
    const named = { inputSchema: fromJsonSchema({ type: "object", properties: { text: { type: "string" } } }) };
    const say = (text: string) => ({ content: [{ type: "text" as const, text }] });
    for (const name of tools) {
      mcp.registerTool(name, named, async (given, { mcpReq }) => {
        if (name === "steps") {
          const { progressToken } = mcpReq._meta ?? {};
          const params = { progressToken: progressToken ?? "", progress: 1, total: 2 };
          await mcpReq.notify({ method: "notifications/progress", params });
        }
        const text = isRecord(given) ? String(given.text) : "";
        if (name === "log")
          for (const level of ["debug", "error"] as const) await mcpReq.log(level, `${level} of ${text}`);
        if (name !== "ask") return say(text);
        const { name: answer } = mcpReq.inputResponses ?? {};
        if (isRecord(answer)) return say(JSON.stringify(answer.content));
        return inputRequired({
          inputRequests: {
            name: inputRequired.elicit({
              message: "Which name?",
              requestedSchema: { type: "object", properties: { name: { type: "string" } } },
            }),
          },
        });
      });
    }
    mcp.registerResource("note", "note://one", {}, async () => ({ contents: [{ uri: "note://one", text: "read" }] }));
    mcp.server.registerCapabilities({ logging: {}, resources: { subscribe: true, listChanged: true } });
    return mcp;
  };
  const handler = createMcpHandler(createServer, { legacy: "reject", keepAliveMs: 0 });
  const methods: string[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += chunk;
    methods.push(String(request.headers["mcp-method"] ?? request.method));
    const gone = new AbortController();
    response.once("close", () => gone.abort());
    const { method = "GET", headers } = request;
    const answered = await handler.fetch(
      new Request(`http://127.0.0.1${request.url}`, {
        ...{ method, signal: gone.signal, headers: headers as Record<string, string> },
        ...(body !== "" && { body }),
      }),
    );
    response.writeHead(answered.status, Object.fromEntries(answered.headers));
    response.flushHeaders();
    try {
      for await (const chunk of answered.body ?? []) response.write(chunk);
    } catch {
      // The client has closed the stream.
    }
    response.end();
  };
  const server = await startHttpServer((request, response) => void answer(request, response));
  closing.push(
    () => server[Symbol.asyncDispose](),
    () => handler.close(),
  );
  const member = {
    member: { name: "modern", url: `http://127.0.0.1:${server.port}/mcp`, isRunning: true, run: "1" },
    [Symbol.asyncDispose]: async () => undefined,
  };
  return { member, methods, tools, notify: handler.notify };
}

async function openWithModern() {
  const server = await startModernServer();
  const group = await openGroup([server.member]);
  closing.push(() => group.close());
  await untilMember(group, "modern");
  return { ...server, group, url: new URL(`http://127.0.0.1:${group.port}/mcp`) };
}

/** Of the revisions with sessions. */
async function openSessionClient(url: URL) {
  const client = new Client({ name: "old", version: "1" }, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => ({
    action: "accept",
    content: { name: params.message },
  }));
  await client.connect(new StreamableHTTPClientTransport(url));
  closing.push(() => client.close());
  return client;
}

async function openModernClient(url: URL) {
  const client = new ModernClient(
    { name: "new", version: "1" },
    { versionNegotiation: { mode: "auto" }, capabilities: { elicitation: { form: {} } } },
  );
  client.setRequestHandler("elicitation/create", async ({ params }) => ({
    action: "accept",
    content: { name: params.message },
  }));
  await client.connect(new ModernTransport(url));
  closing.push(() => client.close());
  return client;
}

describe.each([
  ["with a session", openSessionClient],
  ["of the same revision", openModernClient],
] as const)("a client %s", (_kind, open) => {
  test("lists, calls and reads what the server has", async () => {
    const { url } = await openWithModern();
    const client = (await open(url)) as Client;

    expect((await client.listTools()).tools.map(({ name }) => name).sort()).toEqual(["ask", "echo", "log", "steps"]);
    expect(await client.callTool({ name: "echo", arguments: { text: "hello ü" } })).toMatchObject({
      content: [{ type: "text", text: "hello ü" }],
    });
    expect(await client.readResource({ uri: "note://one" })).toMatchObject({ contents: [{ text: "read" }] });
    expect(client.getInstructions()).toContain("modern: Ask.");
    await expect(client.callTool({ name: "nobody", arguments: {} })).rejects.toThrow();
  });

  test("is asked what the server asks before it answers", async () => {
    const { url } = await openWithModern();
    const client = (await open(url)) as Client;

    expect(await client.callTool({ name: "ask", arguments: {} })).toMatchObject({
      content: [{ type: "text", text: '{"name":"Which name?"}' }],
    });
  });

  test("gets the progress of its call", async () => {
    const { url } = await openWithModern();
    const client = await open(url);
    const steps: object[] = [];

    const call = { name: "steps", arguments: { text: "done" } };
    const options = { onprogress: (step: object) => void steps.push(step) };
    if (client instanceof Client) await client.callTool(call, undefined, options);
    else await client.callTool(call, options);

    expect(steps).toMatchObject([{ progress: 1, total: 2 }]);
  });
});

/** @param levels One for each of the calls, which are under way at the same time. @returns What all of them brought. */
async function callForLogs(url: URL, levels: readonly (LoggingLevel | undefined)[]): Promise<unknown[]> {
  const client = await openModernClient(url);
  const logs: unknown[] = [];
  client.setNotificationHandler("notifications/message", ({ params }) => void logs.push(params.data));
  const calls = levels.map(async (level, index) => {
    const _meta = level && { [LOG_LEVEL_META_KEY]: level };
    await client.callTool({ name: "log", arguments: { text: String(index) }, ...(_meta && { _meta }) });
  });
  await Promise.all(calls);
  return logs.sort();
}

test("each request of a client without a session brings the log messages that it asks for, and no others", async () => {
  const { url } = await openWithModern();

  expect(await callForLogs(url, ["debug", undefined, "error"])).toEqual(["debug of 0", "error of 0", "error of 2"]);
});

test("a client with a session gets log messages of the level that it has set", async () => {
  const { url } = await openWithModern();
  const client = await openSessionClient(url);
  const logs: unknown[] = [];
  client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void logs.push(params.data));

  await client.callTool({ name: "log", arguments: { text: "before" } });
  await client.setLoggingLevel("error");
  await client.callTool({ name: "log", arguments: { text: "after" } });

  expect(logs).toEqual(["error of after"]);
});

test("a client that cannot be asked gets an error, and the server no answer", async () => {
  const { url } = await openWithModern();
  const client = new Client({ name: "old", version: "1" });
  await client.connect(new StreamableHTTPClientTransport(url));
  closing.push(() => client.close());

  await expect(client.callTool({ name: "ask", arguments: {} })).rejects.toThrow("elicitation");
});

test("what changes at the server reaches the clients: a list, and a resource that one has subscribed to", async () => {
  const { url, tools, notify, methods } = await openWithModern();
  const client = await openSessionClient(url);
  const changes: string[] = [];
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => void changes.push("tools"));
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void changes.push(params.uri));
  await client.subscribeResource({ uri: "note://one" });
  await expect.poll(() => methods.filter((method) => method === "subscriptions/listen").length, WAIT).toBe(2);

  const change = () => {
    notify.resourceUpdated("note://one");
    tools.add("late");
    notify.toolsChanged();
    return new Set(changes);
  };
  await expect.poll(change, WAIT).toEqual(new Set(["tools", "note://one"]));

  expect((await client.listTools()).tools.map(({ name }) => name)).toContain("late");
});

test("a server on stdio that knows no sessions is served, too", async () => {
  const answers: Readonly<Record<string, string>> = {
    "server/discover": '{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"resultType":"complete"}',
    "tools/list": '{"tools":[{"name":"echo","inputSchema":{"type":"object"}}],"resultType":"complete"}',
    "tools/call": '{"content":[{"type":"text","text":"hello"}],"resultType":"complete"}',
  };
  const newest = await openStdioMember("newest", {
    isSilent: true,
    onRequest: ({ id, method = "" }) => {
      const error = { code: -32022, message: "Unsupported protocol version", data: { supported: ["2026-07-28"] } };
      if (method === "initialize") newest.pair.server.write(JSON.stringify({ jsonrpc: "2.0", id, error }));
      return answers[method];
    },
  });
  closing.push(() => newest[Symbol.asyncDispose]());
  const group: GroupEndpoint = await openGroup([newest]);
  closing.push(() => group.close());
  await untilMember(group, "newest");

  const client = await openSessionClient(new URL(`http://127.0.0.1:${group.port}/mcp`));

  expect((await client.callTool({ name: "echo", arguments: {} })).content).toEqual([{ type: "text", text: "hello" }]);
});
