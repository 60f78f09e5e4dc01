import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js";
import type { McpEndpoint } from "@toolhive/core";
import { waitFor } from "@toolhive/testing/wait-for";
import { describe, expect, test } from "vitest";
import { startEverythingServer } from "../testing/child-servers.ts";
import { openPair } from "../testing/open-pair.ts";
import { buildUrl, EventReader, initializeBody, openSession, rawRequest } from "../testing/raw-client.ts";
import { openMcpEndpoint } from "./stdio-endpoint.ts";

const CALL = '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{}}';

interface SseSession extends AsyncDisposable {
  readonly events: EventReader;
  readonly address: string;
  post(body: string): Promise<Response>;
}

async function openSse(endpoint: McpEndpoint): Promise<SseSession> {
  const abort = new AbortController();
  const events = new EventReader(await fetch(buildUrl(endpoint, "/sse"), { signal: abort.signal }), abort);
  const address = (await events.next())?.data ?? "";
  return {
    events,
    address,
    post: (body) => fetch(address, { method: "POST", body }),
    [Symbol.asyncDispose]: () => events[Symbol.asyncDispose](),
  };
}

describe("GET /sse", () => {
  test("opens with the absolute address to post to", async () => {
    await using pair = await openPair();
    const abort = new AbortController();
    await using events = new EventReader(await fetch(buildUrl(pair.endpoint, "/sse"), { signal: abort.signal }), abort);

    const first = await events.next();

    expect(events.response.headers.get("content-type")).toBe("text/event-stream");
    expect(first?.event).toBe("endpoint");
    expect(first?.data).toMatch(
      new RegExp(`^http://127.0.0.1:${pair.endpoint.port}/messages\\?session_id=[0-9a-f-]{36}$`),
    );
  });

  test("carries answers as message events without ids", async () => {
    await using pair = await openPair({ onRequest: () => '{"a": 1.0}' });
    await using session = await openSse(pair.endpoint);
    await session.post(initializeBody("2024-11-05"));
    await session.events.next();

    const accepted = await session.post(CALL);

    expect(accepted.status).toBe(202);
    expect(await accepted.text()).toBe("Accepted");
    expect(await session.events.next()).toEqual({
      id: undefined,
      event: "message",
      data: '{"jsonrpc":"2.0","id":7,"result":{"a": 1.0}}',
    });
  });

  test("keeps answers from other sessions, also from those of the other transport", async () => {
    await using pair = await openPair();
    await using a = await openSse(pair.endpoint);
    await using b = await openSse(pair.endpoint);
    const c = await openSession(pair.endpoint);
    for (const session of [a, b]) {
      await session.post(initializeBody("2024-11-05"));
      await session.events.next();
    }
    await a.post(CALL);
    await b.post(CALL);
    const other = c.post(CALL);
    await pair.server.receive("tools/call", 3);

    for (const [index, message] of pair.server.listSeen("tools/call").entries()) {
      pair.server.answer(message, String(index));
    }

    const results = [await a.events.nextMessage(), await b.events.nextMessage(), await (await other).json()];
    expect(results.map((message) => (message as { id: number }).id)).toEqual([7, 7, 7]);
    expect(new Set(results.map((message) => (message as { result: number }).result)).size).toBe(3);
    expect(pair.server.listSeen("initialize")).toHaveLength(1);
  });

  test("ends the session with the connection, and the server's work for it", async () => {
    await using pair = await openPair();
    const session = await openSse(pair.endpoint);
    await session.post(initializeBody("2024-11-05"));
    await session.events.next();
    await session.post(CALL);
    const message = await pair.server.receive("tools/call");

    await session[Symbol.asyncDispose]();

    expect((await pair.server.receive("notifications/cancelled")).params.requestId).toBe(message.id);
    expect(pair.endpoint.counts).toEqual({ sessions: 0, streams: 0, pendingRequests: 0 });
    expect((await session.post(CALL)).status).toBe(404);
  });

  test("brings nothing of the server before the client has initialized", async () => {
    await using pair = await openPair();
    await using session = await openSse(pair.endpoint);
    pair.server.notify("notifications/tools/list_changed");

    await session.post(initializeBody("2024-11-05"));

    expect(await session.events.nextMessage()).toMatchObject({ id: 0, result: {} });
  });
});

describe("bad input", () => {
  test.each([
    ["POST", "/sse", "", 405, "Method not allowed"],
    ["GET", "/messages?session_id=x", "", 405, "Method not allowed"],
    ["POST", "/messages", CALL, 400, "session_id is required"],
    ["POST", "/messages?session_id=x", CALL, 404, "Could not find session"],
  ])("%s %s is answered as the reference does", async (method, path, body, status, text) => {
    await using pair = await openPair();

    const answer = await rawRequest(pair.endpoint, { method, path, body });

    expect(answer).toMatchObject({ status, body: text });
  });

  test("in a message is a 400 that says what is wrong", async () => {
    await using pair = await openPair();
    await using session = await openSse(pair.endpoint);

    const [broken, batch] = [await session.post("{"), await session.post(`[${CALL}]`)];

    expect([broken.status, batch.status]).toEqual([400, 400]);
    expect(await broken.text()).toBe("Error parsing JSON-RPC message: The body is not valid JSON.");
  });

  test("of a streamable session's id does not open it here", async () => {
    await using pair = await openPair();
    const session = await openSession(pair.endpoint);

    const answer = await rawRequest(pair.endpoint, { path: `/messages?session_id=${session.id}`, body: CALL });

    expect(answer.status).toBe(404);
  });
});

describe("the official SSE client", () => {
  test("initializes, lists tools, calls one with progress, and leaves nothing", async () => {
    await using server = startEverythingServer();
    await using endpoint = await openMcpEndpoint({ name: "everything", host: "127.0.0.1", port: 0 });
    endpoint.connect(server.connection);
    const client = new ClientV1({ name: "sse", version: "1" });
    const seen: number[] = [];

    await client.connect(new SSEClientTransport(new URL(`http://127.0.0.1:${endpoint.port}/sse`)));
    const { tools } = await client.listTools();
    await client.callTool(
      { name: "trigger-long-running-operation", arguments: { duration: 0.1, steps: 2 } },
      undefined,
      {
        onprogress: ({ progress }) => seen.push(progress),
      },
    );
    await client.close();

    expect(tools.length).toBeGreaterThan(5);
    // The client drops progress that it reads in one go with the response, so the last step may be missing.
    expect(seen[0]).toBe(1);
    await waitFor(() => endpoint.counts.sessions === 0, { what: "the session to end" });
  });
});
