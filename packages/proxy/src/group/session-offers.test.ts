/** Servers of the official SDK that have a server object for each session, as all of its examples do. */
import { randomUUID } from "node:crypto";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { waitFor } from "@toolhive/testing/wait-for";
import { describe, expect, test } from "vitest";
import { openGroup, openStdioMember, untilMember } from "../testing/open-group.ts";
import { startHttpServer } from "../testing/raw-http-server.ts";

/** Offers `login`, which adds `secret` to its own session. */
async function startLoginServer() {
  const transports = new Map<string, StreamableHTTPServerTransport>();
  /** Sessions with an open stream of their own. */
  const listening = new Set<string>();
  const server = await startHttpServer(async (request, response) => {
    const id = request.headers["mcp-session-id"];
    const known = typeof id === "string" ? transports.get(id) : undefined;
    if (request.method === "GET" && typeof id === "string") listening.add(id);
    if (known !== undefined) return void (await known.handleRequest(request, response));
    if (id !== undefined) return void response.writeHead(404).end();
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (session) => void transports.set(session, transport),
    });
    const mcp = new McpServer({ name: "login", version: "1" });
    mcp.registerTool("login", {}, () => {
      const secret = async () => ({ content: [{ type: "text" as const, text: "secret" }] });
      mcp.registerTool("secret", {}, secret);
      return { content: [{ type: "text", text: "welcome" }] };
    });
    await mcp.connect(transport);
    await transport.handleRequest(request, response);
  });
  return { server, transports, listening };
}

async function openSdkClient(url: URL) {
  const client = new Client({ name: "test", version: "1" });
  let changes = 0;
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
    changes += 1;
  });
  await client.connect(new StreamableHTTPClientTransport(url));
  const list = async () => (await client.listTools()).tools.map(({ name }) => name).sort();
  const call = async (name: string) => (await client.callTool({ name, arguments: {} })).content;
  return { client, list, call, countChanges: () => changes };
}

describe("a tool that a server adds to one session", () => {
  test("is announced to its client, listed and called there, and nowhere else, until the session ends", async () => {
    const { server, transports, listening } = await startLoginServer();
    await using _server = server;
    const other = await openStdioMember("other", {
      onRequest: ({ method }) =>
        method === "tools/list" ? '{"tools":[{"name":"add","inputSchema":{"type":"object"}}]}' : "{}",
    });
    await using _other = other;
    const member = { name: "web", url: `http://127.0.0.1:${server.port}/mcp`, isRunning: true, run: "1" };
    await using group = await openGroup([{ member, [Symbol.asyncDispose]: async () => undefined }, other]);
    await untilMember(group, "web");
    await untilMember(group, "other");
    const url = new URL(`http://127.0.0.1:${group.port}/mcp`);
    const mine = await openSdkClient(url);
    const theirs = await openSdkClient(url);
    const before = new Set(transports.keys());
    // A first call opens the session at the server, and its own stream after it.
    await mine.call("login").catch(() => undefined);
    await waitFor(() => [...listening].some((id) => !before.has(id)), { what: "the stream of the client's session" });
    const [session = ""] = [...transports.keys()].filter((id) => !before.has(id));

    await transports.get(session)?.send({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });
    await waitFor(() => mine.countChanges() > 0, { what: "the notification" });

    expect(await mine.list()).toEqual(["add", "login", "secret"]);
    expect(await mine.call("secret")).toEqual([{ type: "text", text: "secret" }]);
    expect(await theirs.list()).toEqual(["add", "login"]);
    expect(theirs.countChanges()).toBe(0);

    transports.delete(session);
    const seen = mine.countChanges();
    await mine.call("secret").catch(() => undefined);
    await waitFor(() => mine.countChanges() > seen, { what: "the notification of the end" });
    expect(await mine.list()).toEqual(["add", "login"]);
    for (const { client } of [mine, theirs]) await client.close();
    for (const transport of transports.values()) await transport.close();
  });
});
