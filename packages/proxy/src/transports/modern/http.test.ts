/**
 * Protocol revision 2026-07-28: statements about the wire with a scripted older server, then the official client.
 */
import { describe, expect, test } from "vitest";
import { call, echo, META, REVISION } from "../../testing/modern-call.ts";
import { openPair } from "../../testing/open-pair.ts";
import { EventReader, openSession, post } from "../../testing/raw-client.ts";

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
