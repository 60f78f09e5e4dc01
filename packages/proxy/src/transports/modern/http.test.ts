/**
 * Protocol revision 2026-07-28: statements about the wire with a scripted older server, then the official client.
 */

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { McpEndpoint } from "@toolhive/core";
import { waitFor } from "@toolhive/testing/wait-for";
import { describe, expect, test } from "vitest";
import { type ChildServer, startEverythingServer, startModernServer } from "../../testing/child-servers.ts";
import type { SeenMessage } from "../../testing/fake-server.ts";
import { openPair } from "../../testing/open-pair.ts";
import { EventReader, openSession, post } from "../../testing/raw-client.ts";
import { openMcpEndpoint } from "../stdio-endpoint.ts";

const REVISION = "2026-07-28";
const META = "io.modelcontextprotocol/";

interface ModernOptions {
  readonly id?: number;
  readonly params?: Record<string, unknown>;
  readonly meta?: Record<string, unknown>;
  readonly capabilities?: Record<string, unknown>;
  readonly headers?: Record<string, string>;
  readonly signal?: AbortSignal;
}

/** Posts a request as a client of the revision does; `headers` with an empty value are left out. */
async function call(endpoint: McpEndpoint, method: string, options: ModernOptions = {}): Promise<Response> {
  const { id = 1, params = {}, meta = {}, capabilities = {}, headers = {}, signal } = options;
  const envelope = {
    [`${META}protocolVersion`]: REVISION,
    [`${META}clientInfo`]: { name: "raw", version: "1" },
    [`${META}clientCapabilities`]: capabilities,
    ...meta,
  };
  const body = JSON.stringify({ jsonrpc: "2.0", id, method, params: { ...params, _meta: envelope } });
  const name = params.name ?? params.uri;
  const all: Record<string, string> = {
    "mcp-protocol-version": REVISION,
    "mcp-method": method,
    ...(typeof name === "string" ? { "mcp-name": name } : {}),
    ...headers,
  };
  const sent = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ""));
  return await post(endpoint, body, sent, signal);
}

const echo = ({ method, params }: SeenMessage): string => JSON.stringify({ method, params });

describe("a request of revision 2026-07-28 to an older server", () => {
  test("needs no session: the endpoint initializes the server once and holds the session for it", async () => {
    await using pair = await openPair({ onRequest: echo });

    const first = await call(pair.endpoint, "tools/call", { params: { name: "x" }, capabilities: { roots: {} } });
    const second = await call(pair.endpoint, "tools/call", { params: { name: "y" } });

    expect(first.headers.get("mcp-session-id")).toBeNull();
    expect(await first.json()).toMatchObject({ id: 1, result: { resultType: "complete", params: { name: "x" } } });
    expect(await second.json()).toMatchObject({ result: { params: { name: "y" } } });
    expect(pair.server.listSeen("initialize").map(({ params }) => params)).toEqual([
      {
        protocolVersion: "2025-11-25",
        capabilities: { roots: {}, sampling: {}, elicitation: { form: {}, url: {} } },
        clientInfo: { name: "raw", version: "1" },
      },
    ]);
    expect(pair.server.listSeen("notifications/initialized")).toHaveLength(1);
    expect(pair.endpoint.counts).toEqual({ sessions: 0, streams: 0, pendingRequests: 0 });
  });

  test("reaches it without the envelope and otherwise byte for byte, and comes back with what the revision requires", async () => {
    await using pair = await openPair();
    const body = `{"jsonrpc":"2.0","id":"a","method":"tools/list","params":{"_meta":{"x": 1.0 ,"${META}protocolVersion":"${REVISION}","progressToken":"p","${META}clientCapabilities":{}},"cursor": "\\u00e9"}}`;
    const response = post(pair.endpoint, body, { "mcp-protocol-version": REVISION, "mcp-method": "tools/list" });
    const { id, raw } = await pair.server.receive("tools/list");
    pair.server.write(`{"jsonrpc":"2.0","id":${id},"result":{"tools": [ {"n":1.0} ]}}`);

    expect(raw).toBe(
      `{"jsonrpc":"2.0","id":${id},"method":"tools/list","params":{"_meta":{"x": 1.0,"progressToken":${id}},"cursor": "\\u00e9"}}`,
    );
    expect(await (await response).text()).toBe(
      `{"jsonrpc":"2.0","id":"a","result":{"resultType":"complete","ttlMs":0,"cacheScope":"private","_meta":{"${META}serverInfo":{"name":"fake","version":"1.0"}},"tools": [ {"n":1.0} ]}}`,
    );
  });

  test("server/discover is answered from what the server said of itself", async () => {
    await using pair = await openPair();

    const response = await call(pair.endpoint, "server/discover");

    expect(await response.json()).toEqual({
      jsonrpc: "2.0",
      id: 1,
      result: {
        supportedVersions: [REVISION],
        capabilities: { tools: {}, logging: {} },
        resultType: "complete",
        ttlMs: 0,
        cacheScope: "private",
        _meta: { [`${META}serverInfo`]: { name: "fake", version: "1.0" } },
      },
    });
    expect(pair.server.listSeen("server/discover")).toHaveLength(0);
  });

  test("shares the server with sessions of older clients", async () => {
    await using pair = await openPair({ onRequest: echo });
    const session = await openSession(pair.endpoint);

    const responses = await Promise.all([
      call(pair.endpoint, "tools/call", { id: 7, params: { name: "modern" } }),
      session.post('{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"older"}}'),
    ]);
    const results = await Promise.all(responses.map((response) => response.json()));

    expect(results).toMatchObject([
      { id: 7, result: { resultType: "complete", params: { name: "modern" } } },
      { id: 7, result: { params: { name: "older" } } },
    ]);
    expect(pair.server.listSeen("initialize")).toHaveLength(1);
  });

  test("is cancelled at the server when the client closes the response", async () => {
    await using pair = await openPair();
    const abort = new AbortController();
    const response = call(pair.endpoint, "tools/call", { signal: abort.signal }).catch(() => "closed");
    const message = await pair.server.receive("tools/call");

    abort.abort();
    await response;

    expect((await pair.server.receive("notifications/cancelled")).params.requestId).toBe(message.id);
    expect(pair.endpoint.counts.pendingRequests).toBe(0);
  });

  test("brings progress on its own stream, and log messages only when it asked for them", async () => {
    await using pair = await openPair();
    const silent = call(pair.endpoint, "tools/call", { meta: { progressToken: "p" } });
    const first = await pair.server.receive("tools/call");
    pair.server.notify("notifications/message", { data: "unwanted" });
    pair.server.notify("notifications/progress", { progressToken: first.id, progress: 1 });
    pair.server.answer(first, "{}");
    const events = new EventReader(await silent);

    expect(await events.nextMessage()).toMatchObject({ params: { progressToken: "p" } });
    expect(await events.nextMessage()).toMatchObject({ id: 1, result: { resultType: "complete" } });

    const curious = call(pair.endpoint, "tools/call", { meta: { [`${META}logLevel`]: "info" } });
    const second = await pair.server.receive("tools/call", 2);
    pair.server.notify("notifications/message", { data: "wanted" });
    pair.server.answer(second, "{}");

    expect(await new EventReader(await curious).nextMessage()).toMatchObject({ params: { data: "wanted" } });
  });

  test("gets the server's refusal to initialize as its own answer", async () => {
    await using pair = await openPair({ isSilent: true });
    const response = call(pair.endpoint, "tools/list", { id: 9 });
    const { id } = await pair.server.receive("initialize");

    pair.server.write(`{"jsonrpc":"2.0","id":${id},"error":{"code":-32603,"message":"broken"}}`);

    expect(await (await response).json()).toEqual({
      jsonrpc: "2.0",
      id: 9,
      error: { code: -32603, message: "broken" },
    });
  });
});

interface Asked {
  readonly inputRequests: Readonly<Record<string, unknown>>;
  readonly requestState: string;
}

describe("a question of an older server", () => {
  const capabilities = { elicitation: {} };

  test("becomes an input_required result, and the repeated request brings the final answer", async () => {
    await using pair = await openPair();
    const response = call(pair.endpoint, "tools/call", { params: { name: "x" }, capabilities });
    const message = await pair.server.receive("tools/call");
    pair.server.request("q", "elicitation/create", { message: "Name?" });
    const asked = (await (await response).json()) as {
      id: number;
      result: { resultType: string; inputRequests: Record<string, unknown>; requestState: string };
    };
    const [key = ""] = Object.keys(asked.result.inputRequests);

    const repeated = call(pair.endpoint, "tools/call", {
      id: 2,
      params: {
        name: "x",
        requestState: asked.result.requestState,
        inputResponses: { [key]: { action: "accept", content: { name: "Ada" } } },
      },
      capabilities,
    });
    const answer = await pair.server.receiveAnswer("q");
    pair.server.answer(message, '{"content":[]}');

    expect(asked).toMatchObject({ id: 1, result: { resultType: "input_required" } });
    expect(asked.result.inputRequests[key]).toEqual({ method: "elicitation/create", params: { message: "Name?" } });
    expect(answer.result).toEqual({ action: "accept", content: { name: "Ada" } });
    expect(await (await repeated).json()).toMatchObject({ id: 2, result: { resultType: "complete", content: [] } });
    expect(pair.server.listSeen("tools/call")).toHaveLength(1);
    expect(pair.endpoint.counts.pendingRequests).toBe(0);
  });

  test("that comes with others reaches the client in one round, and each round has a state of its own", async () => {
    await using pair = await openPair();
    const ask = { params: { name: "x" }, capabilities };
    const first = call(pair.endpoint, "tools/call", ask);
    const message = await pair.server.receive("tools/call");
    for (const id of ["a", "b", "c"]) pair.server.request(id, "elicitation/create", { message: id });
    const { result } = (await (await first).json()) as { result: Asked };
    const inputResponses = Object.fromEntries(
      Object.keys(result.inputRequests).map((key) => [key, { action: "decline" }]),
    );

    const forged = call(pair.endpoint, "tools/call", { ...ask, params: { requestState: `${result.requestState}0` } });
    expect(await (await forged).json()).toMatchObject({ error: { code: -32602 } });
    const second = call(pair.endpoint, "tools/call", {
      ...ask,
      params: { name: "x", requestState: result.requestState, inputResponses },
    });
    for (const id of ["a", "b", "c"])
      expect(await pair.server.receiveAnswer(id)).toMatchObject({ result: { action: "decline" } });
    pair.server.request("d", "elicitation/create", { message: "d" });
    const { result: again } = (await (await second).json()) as { result: Asked };
    pair.server.answer(message, "{}");

    expect(Object.values(result.inputRequests)).toHaveLength(3);
    expect(Object.values(again.inputRequests)).toEqual([{ method: "elicitation/create", params: { message: "d" } }]);
    expect(again.requestState).not.toBe(result.requestState);
  });

  test("that needs a capability which the client did not declare ends the call with what is missing", async () => {
    await using pair = await openPair();
    const response = call(pair.endpoint, "tools/call");
    const message = await pair.server.receive("tools/call");

    pair.server.request("q", "elicitation/create");

    expect((await response).status).toBe(400);
    expect(await (await response).json()).toMatchObject({
      id: 1,
      error: { code: -32021, data: { requiredCapabilities: { elicitation: {} } } },
    });
    expect((await pair.server.receiveAnswer("q")).error).toMatchObject({ code: -32012 });
    expect((await pair.server.receive("notifications/cancelled")).params.requestId).toBe(message.id);
  });

  test("is given up when the client does not come back, and the call with it", async () => {
    let time = 0;
    await using pair = await openPair({}, { limits: { serverRequestMs: 30, sweepMs: 5 }, now: () => time });
    const response = call(pair.endpoint, "tools/call", { capabilities });
    await pair.server.receive("tools/call");
    pair.server.request("q", "elicitation/create");
    const asked = (await (await response).json()) as { result: { requestState: string } };

    // Only once the client was asked: a question that ends before is never put to it.
    time = 30;
    await pair.server.receiveAnswer("q");
    await pair.server.receive("notifications/cancelled");
    const late = await call(pair.endpoint, "tools/call", { params: { requestState: asked.result.requestState } });

    expect(await late.json()).toMatchObject({ error: { code: -32602 } });
    expect(pair.endpoint.counts.pendingRequests).toBe(0);
  });
});

describe("subscriptions/listen at an older server", () => {
  test("acknowledges what the server can do and brings those changes with the subscription's id", async () => {
    const result = (): string => "{}";
    await using pair = await openPair({
      onRequest: result,
      capabilities: '{"tools":{"listChanged":true},"resources":{"subscribe":true}}',
    });
    const abort = new AbortController();
    const notifications = {
      toolsListChanged: true,
      promptsListChanged: true,
      resourceSubscriptions: ["file:///x"],
    };
    const response = await call(pair.endpoint, "subscriptions/listen", {
      id: 5,
      params: { notifications },
      signal: abort.signal,
    });
    await using events = new EventReader(response, abort);
    await pair.server.receive("resources/subscribe");

    pair.server.notify("notifications/prompts/list_changed");
    pair.server.notify("notifications/message", { data: "x" });
    pair.server.write('{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}');
    pair.server.notify("notifications/resources/updated", { uri: "file:///other" });
    pair.server.notify("notifications/resources/updated", { uri: "file:///x" });

    const mark = { [`${META}subscriptionId`]: 5 };
    expect(await events.nextMessage()).toEqual({
      jsonrpc: "2.0",
      method: "notifications/subscriptions/acknowledged",
      params: { notifications: { toolsListChanged: true, resourceSubscriptions: ["file:///x"] }, _meta: mark },
    });
    expect(await events.nextMessage()).toEqual({
      jsonrpc: "2.0",
      method: "notifications/tools/list_changed",
      params: { _meta: mark },
    });
    expect(await events.nextMessage()).toMatchObject({ params: { uri: "file:///x", _meta: mark } });
    await events[Symbol.asyncDispose]();
    await pair.server.receive("resources/unsubscribe");
    expect(pair.endpoint.counts).toMatchObject({ sessions: 0, streams: 0 });
  });
});

describe("bad input", () => {
  const named = { params: { name: "x" } };
  test.each([
    ["a missing MCP-Protocol-Version", named, { "mcp-protocol-version": "" }, 400, -32020],
    ["another MCP-Protocol-Version", named, { "mcp-protocol-version": "2025-11-25" }, 400, -32020],
    ["a missing Mcp-Method", named, { "mcp-method": "" }, 400, -32020],
    ["another Mcp-Method", named, { "mcp-method": "tools/list" }, 400, -32020],
    ["a missing Mcp-Name", named, { "mcp-name": "" }, 400, -32020],
    ["another Mcp-Name", named, { "mcp-name": "y" }, 400, -32020],
    ["no capabilities", { meta: { [`${META}clientCapabilities`]: 5 } }, {}, 400, -32602],
    [
      "an unknown revision",
      { meta: { [`${META}protocolVersion`]: "2099-01-01" } },
      { "mcp-protocol-version": "2099-01-01" },
      400,
      -32022,
    ],
  ])("with %s is refused", async (_, options, headers, status, code) => {
    await using pair = await openPair({ onRequest: echo });

    const response = await call(pair.endpoint, "tools/call", { ...options, headers });

    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ id: 1, error: { code } });
    expect(pair.server.seen).toHaveLength(0);
  });

  test.each(["ping", "logging/setLevel", "resources/subscribe", "initialize"])(
    "%s is not found, because the revision has it no more",
    async (method) => {
      await using pair = await openPair({ onRequest: echo });

      const response = await call(pair.endpoint, method);

      expect(response.status).toBe(404);
      expect(await response.json()).toMatchObject({ id: 1, error: { code: -32601 } });
    },
  );

  describe("in a header that repeats an argument", () => {
    const TOOLS =
      '{"tools":[{"name":"x","inputSchema":{"properties":{"a":{"properties":{"region":{"type":"string","x-mcp-header":"Region"},"n":{"type":"integer","x-mcp-header":"N"}}}}}}]}';
    const region = (value: string): Record<string, string> => ({ "mcp-param-region": value });

    test.each([
      ["the same text", region("eu"), { region: "eu" }, 200],
      ["its base64 form", region("=?base64?ZXU=?="), { region: "eu" }, 200],
      ["a number written differently", { "mcp-param-n": "7.0" }, { n: 7 }, 200],
      ["nothing where the argument is absent", {}, {}, 200],
      ["nothing where the argument is given", {}, { region: "eu" }, 400],
      ["another text", region("us"), { region: "eu" }, 400],
      ["broken base64", region("=?base64?ZXU?="), { region: "eu" }, 400],
    ])("takes %s or refuses it", async (_, headers, argument, status) => {
      await using pair = await openPair({ onRequest: ({ method }) => (method === "tools/list" ? TOOLS : "{}") });
      await call(pair.endpoint, "tools/list");

      const response = await call(pair.endpoint, "tools/call", {
        params: { name: "x", arguments: { a: argument } },
        headers,
      });

      expect(response.status).toBe(status);
      if (status === 400) expect(await response.json()).toMatchObject({ error: { code: -32020 } });
    });
  });

  test("of a method that the server does not know is a 404 with the server's own error", async () => {
    await using pair = await openPair();
    const response = call(pair.endpoint, "no/such");
    const { id } = await pair.server.receive("no/such");

    pair.server.write(`{"jsonrpc":"2.0","id":${id},"error":{"code":-32601,"message":"unknown"}}`);

    expect((await response).status).toBe(404);
    expect(await (await response).json()).toEqual({
      jsonrpc: "2.0",
      id: 1,
      error: { code: -32601, message: "unknown" },
    });
  });

  test("takes a name that is no header text in its base64 form", async () => {
    await using pair = await openPair({ onRequest: echo });
    const name = `=?base64?${Buffer.from("größe").toString("base64")}?=`;

    const response = await call(pair.endpoint, "tools/call", {
      params: { name: "größe" },
      headers: { "mcp-name": name },
    });

    expect(await response.json()).toMatchObject({ result: { params: { name: "größe" } } });
  });
});

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
