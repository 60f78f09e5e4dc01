/** Servers of the official SDK that have one transport, and so accept one session for their whole process. */
import { randomUUID } from "node:crypto";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { NoSignIn } from "@toolhive/core";
import { afterEach, describe, expect, test } from "vitest";
import { openGroup, untilMember } from "../testing/open-group.ts";
import { startHttpServer } from "../testing/raw-http-server.ts";
import { HttpEndpoint } from "./http-endpoint.ts";

const CHECK_MS = 20_000;

const clients: Client[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
});

/** `restart` is what a new process does: it forgets the session, and accepts another one. */
async function startOneSessionServer() {
  /** Calls that wait until `release`. */
  const waiting: (() => void)[] = [];
  const begin = async () => {
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: () => randomUUID() });
    const mcp = new McpServer({ name: "one", version: "1" });
    mcp.registerTool("echo", {}, () => ({ content: [{ type: "text", text: "hello" }] }));
    mcp.registerTool("wait", {}, async ({ sendNotification, requestId, _meta }) => {
      const progressToken = _meta?.progressToken ?? "";
      await sendNotification({ method: "notifications/progress", params: { progressToken, progress: 1 } });
      await new Promise<void>((resolve) => waiting.push(resolve));
      return { content: [{ type: "text", text: `${requestId}` }] };
    });
    await mcp.connect(transport);
    return transport;
  };
  let transport = await begin();
  const server = await startHttpServer((request, response) => void transport.handleRequest(request, response));
  return {
    url: new URL(`http://127.0.0.1:${server.port}/mcp`),
    waiting,
    restart: async () => {
      await transport.close();
      transport = await begin();
    },
    [Symbol.asyncDispose]: async () => {
      await transport.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

async function openChecked(url: URL): Promise<HttpEndpoint> {
  const options = { name: "one", host: "127.0.0.1", port: 0, transport: "streamable-http", isRemote: true } as const;
  const endpoint = await HttpEndpoint.open(options);
  const remote = { url, authorization: new NoSignIn("one") };
  endpoint.connect({ host: url.hostname, port: Number(url.port), remote });
  await endpoint.probe(AbortSignal.timeout(CHECK_MS));
  return endpoint;
}

async function openClient({ port }: { readonly port: number }): Promise<Client> {
  const client = new Client({ name: "test", version: "1" });
  clients.push(client);
  await client.connect(new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`)));
  return client;
}

const call = async (client: Client, name = "echo") => (await client.callTool({ name, arguments: {} })).content;

describe("the session that the check has opened", () => {
  test("goes to the first client, and the server is ready afterwards, too", async () => {
    await using server = await startOneSessionServer();
    await using endpoint = await openChecked(server.url);

    const client = await openClient(endpoint);

    expect(client.getServerVersion()).toMatchObject({ name: "one" });
    expect(await call(client)).toEqual([{ type: "text", text: "hello" }]);
    await endpoint.probe(AbortSignal.timeout(CHECK_MS));
    expect(endpoint.isReady).toBe(true);
    expect(await call(client)).toEqual([{ type: "text", text: "hello" }]);
  });

  test("goes to one client only: a second one is refused, as the server itself would do it", async () => {
    await using server = await startOneSessionServer();
    await using endpoint = await openChecked(server.url);
    await openClient(endpoint);

    await expect(openClient(endpoint)).rejects.toThrow("already initialized");
  });

  test("is another one after the server was started again, and goes to the next client", async () => {
    await using server = await startOneSessionServer();
    await using endpoint = await openChecked(server.url);
    await openClient(endpoint);
    await server.restart();
    await endpoint.probe(AbortSignal.timeout(CHECK_MS));

    const client = await openClient(endpoint);

    expect(await call(client)).toEqual([{ type: "text", text: "hello" }]);
    await endpoint.probe(AbortSignal.timeout(CHECK_MS));
    expect(endpoint.isReady).toBe(true);
  });

  test("stays the check's while a client comes that opens a session itself", async () => {
    await using server = await startOneSessionServer();
    await using endpoint = await openChecked(server.url);
    await server.restart();

    const client = await openClient(endpoint);

    expect(await call(client)).toEqual([{ type: "text", text: "hello" }]);
    await endpoint.probe(AbortSignal.timeout(CHECK_MS));
    expect(endpoint.isReady).toBe(true);
    expect(await call(client)).toEqual([{ type: "text", text: "hello" }]);
  });
});

describe("a group with such a server", () => {
  test("serves several clients in the group's own session, each with its own answers and progress", async () => {
    await using server = await startOneSessionServer();
    await using endpoint = await openChecked(server.url);
    const member = { name: "one", url: `http://127.0.0.1:${endpoint.port}/mcp`, isRunning: true, run: "1" };
    await using group = await openGroup([{ member, [Symbol.asyncDispose]: async () => undefined }]);
    await untilMember(group, "one");
    const [first, second] = [await openClient(group), await openClient(group)];
    const progress = [0, 0];

    const calls = [first, second].map((client, index) =>
      client.callTool({ name: "wait", arguments: {} }, undefined, {
        onprogress: () => {
          progress[index] = (progress[index] ?? 0) + 1;
        },
      }),
    );
    await expect.poll(() => server.waiting.length).toBe(2);
    for (const release of server.waiting) release();
    const [one, two] = await Promise.all(calls);

    expect(one?.content).not.toEqual(two?.content);
    expect(progress).toEqual([1, 1]);
    await first.close();
    expect(await call(second)).toEqual([{ type: "text", text: "hello" }]);
  });

  test("opens another session after the server was started again", async () => {
    await using server = await startOneSessionServer();
    const member = { name: "one", url: server.url.href, isRunning: true, run: "1" };
    const limits = { firstPauseMs: 10, maxPauseMs: 20 };
    await using group = await openGroup([{ member, [Symbol.asyncDispose]: async () => undefined }], { limits });
    await untilMember(group, "one");
    const client = await openClient(group);
    expect(await call(client)).toEqual([{ type: "text", text: "hello" }]);

    await server.restart();

    const ask = () => call(client).catch(String);
    await expect.poll(ask, { timeout: CHECK_MS }).toEqual([{ type: "text", text: "hello" }]);
  });
});
