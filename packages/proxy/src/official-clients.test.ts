/**
 * The whole path with real parts: official clients, the endpoint, the official `server-everything` on stdio.
 */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { describe, expect, test } from "vitest";
import { openMcpEndpoint } from "./endpoint.ts";
import { startEverythingServer } from "./testing/everything-server.ts";

const INFO = { name: "proxy-test", version: "1.0.0" };

describe("the official client 2.4.0", () => {
  test("initializes, lists tools and calls one", async () => {
    await using server = startEverythingServer();
    await using endpoint = await openMcpEndpoint({ name: "everything", host: "127.0.0.1", port: 0 });
    endpoint.connect(server.connection);
    const client = new Client(INFO);

    await client.connect(new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${endpoint.port}/mcp`)));
    const { tools } = await client.listTools();
    const answer = await client.callTool({ name: "echo", arguments: { message: "Grüße \u00a0 und \t Tab" } });
    await client.close();

    expect(tools.map(({ name }) => name)).toContain("echo");
    expect(answer.content).toEqual([{ type: "text", text: "Echo: Grüße \u00a0 und \t Tab" }]);
  });
});

describe("the official client 1.32", () => {
  test("initializes, lists tools and calls one", async () => {
    await using server = startEverythingServer();
    await using endpoint = await openMcpEndpoint({ name: "everything", host: "127.0.0.1", port: 0 });
    endpoint.connect(server.connection);
    const client = new ClientV1(INFO);

    await client.connect(new TransportV1(new URL(`http://127.0.0.1:${endpoint.port}/mcp`)));
    const { tools } = await client.listTools();
    const answer = await client.callTool({ name: "echo", arguments: { message: "hello" } });
    await client.close();

    expect(tools.map(({ name }) => name)).toContain("echo");
    expect(answer.content).toEqual([{ type: "text", text: "Echo: hello" }]);
  });
});
