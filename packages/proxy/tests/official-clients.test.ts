/**
 * The whole path with real parts: official clients, the endpoint, the official `server-everything` on stdio.
 */

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
  CreateMessageRequestSchema,
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import type { McpEndpoint } from "@toolhive/core";
import { waitFor } from "@toolhive/testing/wait-for";
import { describe, expect, test } from "vitest";
import { type ChildServer, startEverythingServer } from "../src/testing/child-servers.ts";
import { openMcpEndpoint } from "../src/transports/stdio-endpoint.ts";

const INFO = { name: "proxy-test", version: "1.0.0" };

interface Everything extends AsyncDisposable {
  readonly server: ChildServer;
  readonly endpoint: McpEndpoint;
  readonly url: URL;
}

async function openEverything(): Promise<Everything> {
  const server = startEverythingServer();
  const endpoint = await openMcpEndpoint({ name: "everything", host: "127.0.0.1", port: 0 });
  endpoint.connect(server.connection);
  return {
    server,
    endpoint,
    url: new URL(`http://127.0.0.1:${endpoint.port}/mcp`),
    [Symbol.asyncDispose]: async () => {
      await endpoint.close();
      await server.kill();
    },
  };
}

async function connectV1(url: URL, capabilities: object = {}): Promise<ClientV1> {
  const client = new ClientV1(INFO, { capabilities });
  await client.connect(new TransportV1(url));
  return client;
}

describe("the official client 2.4.0", () => {
  test("initializes, lists tools and calls one", async () => {
    await using everything = await openEverything();
    const client = new Client(INFO);

    await client.connect(new StreamableHTTPClientTransport(everything.url));
    const { tools } = await client.listTools();
    const answer = await client.callTool({ name: "echo", arguments: { message: "Grüße \u00a0 und \t Tab" } });
    await client.close();

    expect(tools.map(({ name }) => name)).toContain("echo");
    expect(answer.content).toEqual([{ type: "text", text: "Echo: Grüße \u00a0 und \t Tab" }]);
  });

  test("has its progress callback called on the way", async () => {
    await using everything = await openEverything();
    const client = new Client(INFO);
    await client.connect(new StreamableHTTPClientTransport(everything.url));
    const seen: number[] = [];

    await client.callTool(
      { name: "trigger-long-running-operation", arguments: { duration: 0.2, steps: 4 } },
      { onprogress: ({ progress }) => seen.push(progress) },
    );
    await client.close();

    // The client drops progress that it reads in one go with the response, so the last step may be missing.
    expect(seen.slice(0, 3)).toEqual([1, 2, 3]);
  });
});

describe("the official client 1.32", () => {
  test("initializes, lists tools and calls one", async () => {
    await using everything = await openEverything();
    const client = await connectV1(everything.url);

    const { tools } = await client.listTools();
    const answer = await client.callTool({ name: "echo", arguments: { message: "hello" } });
    await client.close();

    expect(tools.map(({ name }) => name)).toContain("echo");
    expect(answer.content).toEqual([{ type: "text", text: "Echo: hello" }]);
  });

  test("is asked for a sample while its tool call runs", async () => {
    await using everything = await openEverything();
    const client = new ClientV1(INFO, { capabilities: { sampling: {} } });
    client.setRequestHandler(CreateMessageRequestSchema, () => ({
      model: "none",
      role: "assistant" as const,
      content: { type: "text" as const, text: "sampled" },
    }));
    await client.connect(new TransportV1(everything.url));

    const answer = await client.callTool({
      name: "trigger-sampling-request",
      arguments: { prompt: "x", maxTokens: 5 },
    });
    await client.close();

    expect(JSON.stringify(answer.content)).toContain("sampled");
  });

  test("is asked for its roots after it has initialized", async () => {
    await using everything = await openEverything();
    const client = new ClientV1(INFO, { capabilities: { roots: { listChanged: true } } });
    let asked = 0;
    client.setRequestHandler(ListRootsRequestSchema, () => {
      asked++;
      return { roots: [{ uri: "file:///tmp", name: "tmp" }] };
    });
    await client.connect(new TransportV1(everything.url));

    await waitFor(() => asked > 0, { what: "roots/list" });
    const answer = await client.callTool({ name: "get-roots-list", arguments: {} });
    await client.close();

    expect(JSON.stringify(answer.content)).toContain("file:///tmp");
  });

  test("receives the server's log messages", async () => {
    await using everything = await openEverything();
    const client = new ClientV1(INFO);
    let heard = 0;
    client.setNotificationHandler(LoggingMessageNotificationSchema, () => {
      heard++;
    });
    await client.connect(new TransportV1(everything.url));

    await client.callTool({ name: "toggle-simulated-logging", arguments: {} });

    await waitFor(() => heard > 0, { what: "a log message" });
    await client.close();
  });

  test("cancels a call, and the server stops working on it", async () => {
    await using everything = await openEverything();
    const client = await connectV1(everything.url);
    const abort = new AbortController();
    const call = client.callTool(
      { name: "trigger-long-running-operation", arguments: { duration: 60, steps: 5 } },
      undefined,
      { signal: abort.signal },
    );
    await waitFor(() => everything.endpoint.counts.pendingRequests === 1, { what: "the call in flight" });

    abort.abort("enough");

    await expect(call).rejects.toThrow(/enough/);
    await waitFor(() => everything.endpoint.counts.pendingRequests === 0, { what: "the call to be gone" });
    await client.close();
  });
});

describe("many official clients on one server", () => {
  test("each get their own answers", async () => {
    await using everything = await openEverything();
    const clients = await Promise.all(Array.from({ length: 8 }, () => connectV1(everything.url)));

    const texts = await Promise.all(
      clients.flatMap((client, who) =>
        Array.from({ length: 25 }, async (_, n) => {
          const message = `${who}-${n}`;
          const { content } = await client.callTool({ name: "echo", arguments: { message } });
          return JSON.stringify(content).includes(`Echo: ${message}"`);
        }),
      ),
    );

    expect(texts).toHaveLength(200);
    expect(texts.every(Boolean)).toBe(true);
    await Promise.all(clients.map((client) => client.close()));
  });
});

describe("a client that stays while things break", () => {
  test("calls on after the server process was killed and replaced", async () => {
    await using everything = await openEverything();
    const client = await connectV1(everything.url);
    const lost = expect(
      client.callTool({ name: "trigger-long-running-operation", arguments: { duration: 60, steps: 1 } }),
    ).rejects.toMatchObject({ code: -32000 });
    await waitFor(() => everything.endpoint.counts.pendingRequests === 1, { what: "the call in flight" });

    await everything.server.kill();
    await lost;
    await using next = startEverythingServer();
    everything.endpoint.connect(next.connection);
    const answer = await client.callTool({ name: "echo", arguments: { message: "again" } });
    await client.close();

    expect(answer.content).toEqual([{ type: "text", text: "Echo: again" }]);
  });

  test("initializes again after a supervisor restart, with a server that was initialized before", async () => {
    await using everything = await openEverything();
    await connectV1(everything.url);
    await everything.endpoint.close();
    await using endpoint = await openMcpEndpoint({ name: "everything", host: "127.0.0.1", port: 0 });
    endpoint.connect(everything.server.connection, { resume: true });

    const client = await connectV1(new URL(`http://127.0.0.1:${endpoint.port}/mcp`));
    const { tools } = await client.listTools();
    await client.close();

    expect(tools.length).toBeGreaterThan(5);
  });
});
