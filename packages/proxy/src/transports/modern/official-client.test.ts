/** Protocol revision 2026-07-28: the official client, at servers of both kinds. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { McpEndpoint } from "@toolhive/core";
import { waitFor } from "@toolhive/testing/wait-for";
import { describe, expect, test } from "vitest";
import { type ChildServer, startEverythingServer, startModernServer } from "../../testing/child-servers.ts";
import { REVISION } from "../../testing/modern-call.ts";
import { openMcpEndpoint } from "../stdio-endpoint.ts";

interface Opened extends AsyncDisposable {
  readonly endpoint: McpEndpoint;
  readonly url: URL;
}

async function open(server: ChildServer): Promise<Opened> {
  const endpoint = await openMcpEndpoint({ name: "real", host: "127.0.0.1", port: 0 });
  endpoint.connect(server.connection);
  return {
    endpoint,
    url: new URL(`http://127.0.0.1:${endpoint.port}/mcp`),
    [Symbol.asyncDispose]: async () => {
      await endpoint.close();
      await server.kill();
    },
  };
}

const MODERN = { versionNegotiation: { mode: { pin: REVISION } } } as const;

describe("the official client of 2026-07-28", () => {
  test("lists and calls tools of an older server, with progress", async () => {
    await using opened = await open(startEverythingServer());
    const client = new Client({ name: "modern", version: "1" }, MODERN);
    await client.connect(new StreamableHTTPClientTransport(opened.url));
    const seen: number[] = [];

    const { tools } = await client.listTools();
    const answer = await client.callTool({ name: "echo", arguments: { message: "hello" } });
    await client.callTool(
      { name: "trigger-long-running-operation", arguments: { duration: 0.2, steps: 4 } },
      { onprogress: ({ progress }) => seen.push(progress) },
    );
    await client.close();

    expect(tools.length).toBeGreaterThan(5);
    expect(answer.content).toEqual([{ type: "text", text: "Echo: hello" }]);
    expect(seen.slice(0, 3)).toEqual([1, 2, 3]);
  });

  test("answers an older server's sampling request within its call", async () => {
    await using opened = await open(startEverythingServer());
    const client = new Client({ name: "modern", version: "1" }, { ...MODERN, capabilities: { sampling: {} } });
    client.setRequestHandler("sampling/createMessage", () => ({
      model: "none",
      role: "assistant" as const,
      content: { type: "text" as const, text: "sampled" },
    }));
    await client.connect(new StreamableHTTPClientTransport(opened.url));

    const answer = await client.callTool({
      name: "trigger-sampling-request",
      arguments: { prompt: "x", maxTokens: 5 },
    });
    await client.close();

    expect(JSON.stringify(answer.content)).toContain("sampled");
  });

  test("finds the revision by itself in mode auto", async () => {
    await using opened = await open(startEverythingServer());
    const client = new Client({ name: "modern", version: "1" }, { versionNegotiation: { mode: "auto" } });

    await client.connect(new StreamableHTTPClientTransport(opened.url));
    const { tools } = await client.listTools();

    expect(client.getProtocolEra()).toBe("modern");
    expect(tools.length).toBeGreaterThan(5);
    await client.close();
  });

  test("uses a server that speaks nothing older, with its subscriptions", async () => {
    await using opened = await open(startModernServer());
    const client = new Client({ name: "modern", version: "1" }, MODERN);
    let changes = 0;
    client.setNotificationHandler("notifications/tools/list_changed", () => {
      changes++;
    });
    await client.connect(new StreamableHTTPClientTransport(opened.url));
    const subscription = await client.listen({ toolsListChanged: true });

    const answer = await client.callTool({ name: "echo-id", arguments: {} });
    await client.callTool({ name: "change", arguments: {} });
    await waitFor(() => changes > 0, { what: "the change" });
    await subscription.close();
    await client.close();

    expect(answer.content).toEqual([{ type: "text", text: "called by modern" }]);
    await waitFor(() => opened.endpoint.counts.pendingRequests === 0, { what: "the subscription to end" });
  });

  test("leaves an older client of such a server with the server's own refusal", async () => {
    await using opened = await open(startModernServer());
    const client = new ClientV1({ name: "older", version: "1" });

    await expect(client.connect(new TransportV1(opened.url))).rejects.toMatchObject({ code: -32022 });
    expect(opened.endpoint.counts.sessions).toBe(0);
  });
});
