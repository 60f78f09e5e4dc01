import { waitFor } from "@toolhive/testing/wait-for";
import { describe, expect, test } from "vitest";
import { SILENT_LOG } from "../options/log.ts";
import { FakeServer, INITIALIZE_RESULT } from "../testing/fake-server.ts";
import { openPair } from "../testing/open-pair.ts";
import { buildUrl, EventReader, initializeBody, openSession, post } from "../testing/raw-client.ts";

const CALL = '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"x"}}';

describe("initialize", () => {
  test("answers with the server's own result and a session id", async () => {
    await using pair = await openPair();

    const response = await post(pair.endpoint, initializeBody("2025-06-18", {}, "first"));

    expect(response.status).toBe(200);
    expect(response.headers.get("mcp-session-id")).toMatch(/^[\x21-\x7e]{32,}$/);
    expect(await response.text()).toBe(`{"jsonrpc":"2.0","id":"first","result":${INITIALIZE_RESULT}}`);
  });

  test("is sent to the server once, and later sessions get the stored result in their own revision", async () => {
    await using pair = await openPair();
    await openSession(pair.endpoint);

    const response = await post(pair.endpoint, initializeBody("2025-03-26", {}, 12));

    expect(await response.text()).toBe(
      `{"jsonrpc":"2.0","id":12,"result":${INITIALIZE_RESULT.replace("2025-06-18", "2025-03-26")}}`,
    );
    expect(pair.server.listSeen("initialize")).toHaveLength(1);
    expect(pair.server.listSeen("notifications/initialized")).toHaveLength(1);
  });

  test("is sent once also when two clients ask at the same moment", async () => {
    await using pair = await openPair({ isSilent: true });
    const answers = [post(pair.endpoint, initializeBody()), post(pair.endpoint, initializeBody())];
    const request = await pair.server.receive("initialize");
    await waitFor(() => pair.endpoint.counts.sessions === 2, { what: "both sessions" });

    pair.server.answer(request, INITIALIZE_RESULT);
    const responses = await Promise.all(answers);

    expect(responses.map(({ status }) => status)).toEqual([200, 200]);
    expect(new Set(responses.map(({ headers }) => headers.get("mcp-session-id"))).size).toBe(2);
    expect(pair.server.listSeen("initialize")).toHaveLength(1);
  });

  test("leaves no session behind when the server refuses, and lets the next client try", async () => {
    await using pair = await openPair({ isSilent: true });
    const refused = post(pair.endpoint, initializeBody());
    const first = await pair.server.receive("initialize");
    pair.server.write(`{"jsonrpc":"2.0","id":${first.id},"error":{"code":-32602,"message":"no"}}`);
    expect(await (await refused).json()).toMatchObject({ id: 0, error: { code: -32602 } });
    expect(pair.endpoint.counts.sessions).toBe(0);

    const accepted = post(pair.endpoint, initializeBody());
    pair.server.answer(await pair.server.receive("initialize", 2), INITIALIZE_RESULT);

    expect((await accepted).headers.get("mcp-session-id")).not.toBeNull();
  });
});

describe("requests", () => {
  test("of two sessions with the same id are answered to whoever asked, in any order", async () => {
    await using pair = await openPair();
    const [a, b] = [await openSession(pair.endpoint), await openSession(pair.endpoint)];
    const answerA = a.post('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"who":"a"}}');
    await pair.server.receive("tools/call", 1);
    const answerB = b.post('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"who":"b"}}');
    await pair.server.receive("tools/call", 2);

    for (const message of pair.server.listSeen("tools/call").reverse()) {
      pair.server.answer(message, JSON.stringify(message.params));
    }

    expect(await (await answerA).json()).toEqual({ jsonrpc: "2.0", id: 1, result: { who: "a" } });
    expect(await (await answerB).json()).toEqual({ jsonrpc: "2.0", id: 1, result: { who: "b" } });
  });

  test("come back byte for byte except for the id", async () => {
    await using pair = await openPair();
    const session = await openSession(pair.endpoint);
    const response = session.post('{"jsonrpc":"2.0","id":"ü\\u0041","method":"tools/call"}');
    const { id } = await pair.server.receive("tools/call");

    const odd = '{ "a" : 1.0, "b":12345678901234567890, "c":"\u00a0\u200d\\u00e9\t", "d":[ 1e2 ,{"id":5}] }';
    pair.server.write(` {"result": ${odd}, "id" :${id}, "jsonrpc":"2.0", "extra":1}`);

    expect(await (await response).text()).toBe(` {"result": ${odd}, "id" :"ü\\u0041", "jsonrpc":"2.0", "extra":1}`);
  });

  test("written over several lines reach the server on one", async () => {
    await using pair = await openPair({ onRequest: () => "{}" });
    const session = await openSession(pair.endpoint);

    const response = await session.post('{\r\n  "jsonrpc": "2.0",\n  "id": 3,\n  "method": "tools/list"\n}\n');

    expect(await response.json()).toMatchObject({ id: 3, result: {} });
    expect((await pair.server.receive("tools/list")).raw).toMatch(/^\{ {4}"jsonrpc": "2.0", {3}"id": \d+,/);
  });

  test("with an id that is still in flight are refused", async () => {
    await using pair = await openPair();
    const session = await openSession(pair.endpoint);
    const first = session.post(CALL);
    const message = await pair.server.receive("tools/call");

    const second = await session.post(CALL);

    expect(await second.json()).toMatchObject({ id: 7, error: { code: -32600 } });
    pair.server.answer(message, "{}");
    expect(await (await first).json()).toMatchObject({ id: 7, result: {} });
  });

  test("are answered in the presence of lines that are no messages", async () => {
    const warnings: unknown[] = [];
    const stray: string[] = [];
    const log = { ...SILENT_LOG, warn: (fields: unknown) => warnings.push(fields) };
    await using pair = await openPair({}, { log });
    const { stdin, stdout } = pair.server.connection;
    pair.endpoint.connect({ stdin, stdout, onStrayLine: (text) => stray.push(text) });
    const session = await openSession(pair.endpoint);
    const response = session.post(CALL);
    const message = await pair.server.receive("tools/call");

    pair.server.write("starting up");
    pair.server.write("{ not json");
    pair.server.write(`{"jsonrpc":"2.0","id":${message.id},"id":1,"result":{}}`);
    pair.server.answer(message, '{"ok":true}');

    expect(await (await response).json()).toMatchObject({ result: { ok: true } });
    expect(stray).toHaveLength(3);
    // Once, and without what may be a piece of what a tool returned.
    expect(warnings).toEqual([{}]);
  });

  test.each([
    ["a short id first", "7", false],
    ["a short id last", "7", true],
    ["a long id first", '"8f14e45f-ceea-467f-a8d9-1c0c0de5a3f2"', false],
    ["a long id last", '"8f14e45f-ceea-467f-a8d9-1c0c0de5a3f2"', true],
  ])("with large arguments and answers keep every byte, with %s", async (_, id, hasIdLast) => {
    await using pair = await openPair();
    const session = await openSession(pair.endpoint);
    const large = JSON.stringify("größe ".repeat(40_000));
    const write = (ownId: unknown) =>
      hasIdLast
        ? `{"result":${large},"jsonrpc":"2.0","id":${ownId}}`
        : `{"jsonrpc":"2.0","id":${ownId},"result":${large}}`;
    const response = session.post(
      `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"x","arguments":${large}}}`,
    );
    const message = await pair.server.receive("tools/call");

    pair.server.write(write(message.id));

    expect((await (await response).text()) === write(id)).toBe(true);
    expect(JSON.stringify(message.params.arguments) === large).toBe(true);
  });

  test.each([
    ["first", false],
    ["last", true],
  ])("fail with a clear error when the answer is too large to hold and its id comes %s", async (_, hasIdLast) => {
    await using pair = await openPair({}, { limits: { maxLineBytes: 10_000 } });
    const session = await openSession(pair.endpoint);
    const response = session.post(CALL);
    const message = await pair.server.receive("tools/call");

    const result = JSON.stringify("x".repeat(20_000));
    pair.server.write(
      hasIdLast
        ? `{"result":${result},"jsonrpc":"2.0","id":${message.id}}`
        : `{"jsonrpc":"2.0","id":${message.id},"result":${result}}`,
    );

    expect(await (await response).json()).toMatchObject({
      id: 7,
      error: { message: "The server's answer is too large, or cannot be read." },
    });
  });

  test("that the server answers in a batch each find their way", async () => {
    await using pair = await openPair();
    const session = await openSession(pair.endpoint);
    const answers = [1, 2].map((id) => session.post(`{"jsonrpc":"2.0","id":${id},"method":"tools/call"}`));
    await pair.server.receive("tools/call", 2);

    const parts = pair.server.listSeen("tools/call").map(({ id }) => `{"jsonrpc":"2.0","id":${id},"result":{}}`);
    pair.server.write(`[${parts.join(" , ")}]`);

    for (const [index, answer] of answers.entries())
      expect(await (await answer).json()).toMatchObject({ id: index + 1 });
  });
});

describe("a response", () => {
  test("becomes an event stream when progress belongs to it, with tokens mapped both ways", async () => {
    await using pair = await openPair();
    const session = await openSession(pair.endpoint);
    const response = session.post(
      '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"_meta":{"progressToken":"p"},"name":"x"}}',
    );
    const message = await pair.server.receive("tools/call");
    const token = (message.params._meta as { progressToken: unknown }).progressToken;
    expect(token).toBe(message.id);

    pair.server.notify("notifications/progress", { progressToken: token as number, progress: 1 });
    pair.server.answer(message, "{}");
    const events = new EventReader(await response);

    expect(events.response.headers.get("content-type")).toBe("text/event-stream");
    expect(await events.nextMessage()).toMatchObject({ params: { progressToken: "p", progress: 1 } });
    expect(await events.nextMessage()).toEqual({ jsonrpc: "2.0", id: 7, result: {} });
    expect(await events.next()).toBeUndefined();
  });

  test("stays JSON for a client that takes only JSON", async () => {
    await using pair = await openPair();
    const session = await openSession(pair.endpoint);
    const response = post(pair.endpoint, CALL, { ...session.headers, accept: "application/json" });
    const message = await pair.server.receive("tools/call");

    pair.server.notify("notifications/message", { level: "info", data: "x" });
    pair.server.answer(message, "{}");

    expect(await (await response).json()).toEqual({ jsonrpc: "2.0", id: 7, result: {} });
  });

  test("becomes an event stream when the server takes long", async () => {
    await using pair = await openPair({}, { limits: { streamAfterMs: 20, sweepMs: 5 } });
    const session = await openSession(pair.endpoint);

    const response = await session.post(CALL);

    expect(response.headers.get("content-type")).toBe("text/event-stream");
    pair.server.answer(await pair.server.receive("tools/call"), "{}");
    expect(await new EventReader(response).nextMessage()).toMatchObject({ id: 7 });
  });

  test("that was cut off is resumed with Last-Event-ID", async () => {
    await using pair = await openPair();
    const session = await openSession(pair.endpoint);
    const abort = new AbortController();
    const cut = session.post(CALL, abort.signal);
    const message = await pair.server.receive("tools/call");
    pair.server.notify("notifications/message", { data: "one" });
    const first = await new EventReader(await cut).next();
    abort.abort();
    await waitFor(() => pair.endpoint.counts.streams === 0, { what: "the connection to be gone" });

    pair.server.notify("notifications/message", { data: "two" });
    pair.server.answer(message, "{}");
    await using resumed = await session.listen({ "last-event-id": first?.id ?? "" });

    expect(await resumed.nextMessage()).toMatchObject({ params: { data: "two" } });
    expect(await resumed.nextMessage()).toMatchObject({ id: 7, result: {} });
    expect(await resumed.next()).toBeUndefined();
  });

  test("ends without an answer when the client cancels, and the server gets the cancellation under its own id", async () => {
    await using pair = await openPair();
    const session = await openSession(pair.endpoint);
    const response = session.post(CALL);
    const message = await pair.server.receive("tools/call");

    await session.post('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7,"reason":"r"}}');

    expect((await pair.server.receive("notifications/cancelled")).params).toEqual({
      requestId: message.id,
      reason: "r",
    });
    expect((await response).status).toBe(202);
    expect(pair.endpoint.counts.pendingRequests).toBe(0);
  });

  test("comes with a JSON-RPC error when the server does not answer in time", async () => {
    await using pair = await openPair({}, { limits: { requestMs: 20, sweepMs: 5 } });
    const session = await openSession(pair.endpoint);

    const response = await session.post(CALL);

    expect(await response.json()).toMatchObject({ id: 7, error: { code: -32001 } });
    await pair.server.receive("notifications/cancelled");
  });
});

describe("the session's own stream", () => {
  test("brings what belongs to no request, also what came before it was opened", async () => {
    await using pair = await openPair();
    const session = await openSession(pair.endpoint);
    pair.server.notify("notifications/tools/list_changed");
    await using events = await session.listen();
    pair.server.notify("notifications/message", { data: "later" });

    expect(await events.nextMessage()).toMatchObject({ method: "notifications/tools/list_changed" });
    expect(await events.nextMessage()).toMatchObject({ method: "notifications/message" });
  });

  test("continues after Last-Event-ID without a gap or a repetition", async () => {
    await using pair = await openPair();
    const session = await openSession(pair.endpoint);
    const cut = await session.listen();
    for (const data of ["one", "two", "three"]) pair.server.notify("notifications/message", { data });
    const first = await cut.next();
    await cut[Symbol.asyncDispose]();
    pair.server.notify("notifications/message", { data: "four" });

    await using events = await session.listen({ "last-event-id": first?.id ?? "" });
    const data = [];
    for (let n = 0; n < 3; n++) data.push(((await events.nextMessage()) as { params: { data: string } }).params.data);

    expect(data).toEqual(["two", "three", "four"]);
  });

  test("is taken over by the client's next connection", async () => {
    await using pair = await openPair();
    const session = await openSession(pair.endpoint);
    await using first = await session.listen();
    await using second = await session.listen();

    pair.server.notify("notifications/tools/list_changed");

    expect(await first.next()).toBeUndefined();
    expect(await second.nextMessage()).toMatchObject({ method: "notifications/tools/list_changed" });
    expect(pair.endpoint.counts.streams).toBe(1);
  });
});

describe("DELETE", () => {
  test("ends the session: its requests are cancelled and its id is unknown from then on", async () => {
    await using pair = await openPair();
    const session = await openSession(pair.endpoint);
    const inFlight = session.post(CALL);
    const message = await pair.server.receive("tools/call");

    const response = await fetch(buildUrl(pair.endpoint), { method: "DELETE", headers: session.headers });

    expect(response.status).toBe(204);
    expect(await (await inFlight).json()).toMatchObject({ id: 7, error: { code: -32000 } });
    expect((await pair.server.receive("notifications/cancelled")).params.requestId).toBe(message.id);
    expect((await session.post(CALL)).status).toBe(404);
    expect(pair.endpoint.counts).toEqual({ sessions: 0, streams: 0, pendingRequests: 0 });
  });
});

describe("opening", () => {
  test("fails with PORT_IN_USE and names the port when it is taken", async () => {
    await using pair = await openPair();
    const { port } = pair.endpoint;

    await expect(openPair({}, { port })).rejects.toMatchObject({
      code: "PORT_IN_USE",
      message: expect.stringContaining(String(port)),
    });
  });
});

describe("the server's answers to nobody", () => {
  test("are dropped", async () => {
    const server = new FakeServer({ onRequest: () => "{}" });
    await using pair = await openPair();
    pair.endpoint.connect(server.connection);
    const session = await openSession(pair.endpoint);

    server.write('{"jsonrpc":"2.0","id":1,"result":{"not":"yours"}}');
    const response = await session.post(CALL);

    expect(await response.json()).toEqual({ jsonrpc: "2.0", id: 7, result: {} });
  });
});
