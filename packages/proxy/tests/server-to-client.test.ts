/**
 * What the server starts on its own: requests to clients, notifications to one, some or all sessions.
 */

import { connect } from "node:net";
import { waitFor } from "@toolhive/testing/wait-for";
import { describe, expect, test } from "vitest";
import { SILENT_LOG } from "../src/options/log.ts";
import { openPair } from "../src/testing/open-pair.ts";
import { CLIENT_HEADERS, EventReader, openSession } from "../src/testing/raw-client.ts";

const call = (id: number): string => `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{}}`;

describe("a request of the server", () => {
  test("reaches the session whose request is in flight, on that request's stream, and the answer goes back", async () => {
    await using pair = await openPair();
    const capabilities = { sampling: {} };
    const bystander = await openSession(pair.endpoint, { capabilities });
    await using _ = await bystander.listen();
    const session = await openSession(pair.endpoint, { capabilities });
    const response = session.post(call(1));
    await pair.server.receive("tools/call");

    pair.server.request("s-1", "sampling/createMessage", { maxTokens: 5 });
    const events = new EventReader(await response);
    const asked = (await events.nextMessage()) as { id: number; method: string; params: unknown };
    await session.post(`{"jsonrpc":"2.0","id":${asked.id},"result":{"role":"assistant"}}`);

    expect(asked).toMatchObject({ method: "sampling/createMessage", params: { maxTokens: 5 } });
    expect((await pair.server.receiveAnswer("s-1")).result).toEqual({ role: "assistant" });
  });

  test("cannot be answered by another session", async () => {
    await using pair = await openPair();
    const other = await openSession(pair.endpoint, { capabilities: { sampling: {} } });
    const session = await openSession(pair.endpoint, { capabilities: { sampling: {} } });
    const response = session.post(call(1));
    await pair.server.receive("tools/call");
    pair.server.request(5, "sampling/createMessage");
    const { id } = (await new EventReader(await response).nextMessage()) as { id: number };

    await other.post(`{"jsonrpc":"2.0","id":${id},"result":{"from":"other"}}`);
    await session.post(`{"jsonrpc":"2.0","id":${id},"result":{"from":"session"}}`);

    expect((await pair.server.receiveAnswer(5)).result).toEqual({ from: "session" });
    expect(pair.server.seen.filter((message) => message.id === 5)).toHaveLength(1);
  });

  test("is refused at once when the session in flight lacks the capability, though another has it", async () => {
    await using pair = await openPair();
    await openSession(pair.endpoint, { capabilities: { sampling: {} } });
    const session = await openSession(pair.endpoint);
    const response = session.post(call(1));
    const message = await pair.server.receive("tools/call");

    pair.server.request(5, "sampling/createMessage");

    expect((await pair.server.receiveAnswer(5)).error).toMatchObject({ code: -32012 });
    pair.server.answer(message, "{}");
    await response;
  });

  test("goes to a session that listens when nothing is in flight", async () => {
    await using pair = await openPair();
    const capabilities = { roots: {} };
    const listening = await openSession(pair.endpoint, { capabilities });
    await using events = await listening.listen();
    await openSession(pair.endpoint, { capabilities });

    pair.server.request(0, "roots/list");

    expect(await events.nextMessage()).toMatchObject({ method: "roots/list" });
  });

  test("waits for the stream of a session that has yet to open it", async () => {
    await using pair = await openPair();
    const session = await openSession(pair.endpoint, { capabilities: { roots: {} } });

    pair.server.request(0, "roots/list");
    await using events = await session.listen();
    const { id } = (await events.nextMessage()) as { id: number };
    await session.post(`{"jsonrpc":"2.0","id":${id},"result":{"roots":[]}}`);

    expect((await pair.server.receiveAnswer(0)).result).toEqual({ roots: [] });
  });

  test("is answered by the endpoint when it is a ping", async () => {
    await using pair = await openPair();

    pair.server.request("p", "ping");

    expect((await pair.server.receiveAnswer("p")).result).toEqual({});
  });

  test("is answered with an error when the client goes away", async () => {
    await using pair = await openPair();
    const session = await openSession(pair.endpoint, { capabilities: { roots: {} } });
    pair.server.request(0, "roots/list");

    await fetch(`http://127.0.0.1:${pair.endpoint.port}/mcp`, { method: "DELETE", headers: session.headers });

    expect((await pair.server.receiveAnswer(0)).error).toMatchObject({ code: -32012 });
  });

  test("is answered with an error when the client does not answer in time, and the client receives a cancellation", async () => {
    await using pair = await openPair({}, { limits: { serverRequestMs: 20, sweepMs: 5 } });
    const session = await openSession(pair.endpoint, { capabilities: { roots: {} } });
    await using events = await session.listen();

    pair.server.request(0, "roots/list");

    expect((await pair.server.receiveAnswer(0)).error).toMatchObject({ code: -32001 });
    const { id } = (await events.nextMessage()) as { id: number };
    expect(await events.nextMessage()).toMatchObject({
      method: "notifications/cancelled",
      params: { requestId: id },
    });
  });

  test("that the server cancels is cancelled at the client under the client's id", async () => {
    await using pair = await openPair();
    const session = await openSession(pair.endpoint, { capabilities: { elicitation: {} } });
    await using events = await session.listen();
    pair.server.request("mine", "elicitation/create");
    const { id } = (await events.nextMessage()) as { id: number };

    pair.server.notify("notifications/cancelled", { requestId: "mine", reason: "late" });

    expect(await events.nextMessage()).toMatchObject({ params: { requestId: id, reason: "late" } });
  });
});

describe("a notification of the server", () => {
  test("about its lists reaches every session", async () => {
    await using pair = await openPair();
    const sessions = [await openSession(pair.endpoint), await openSession(pair.endpoint)];

    pair.server.notify("notifications/prompts/list_changed");

    for (const session of sessions) {
      await using events = await session.listen();
      expect(await events.nextMessage()).toMatchObject({ method: "notifications/prompts/list_changed" });
    }
  });

  test("about a resource reaches its subscribers only, and the server keeps one subscription for all", async () => {
    await using pair = await openPair({ onRequest: () => "{}" });
    const [a, b, c] = [
      await openSession(pair.endpoint),
      await openSession(pair.endpoint),
      await openSession(pair.endpoint),
    ];
    const body = (id: number, verb: string): string =>
      `{"jsonrpc":"2.0","id":${id},"method":"resources/${verb}","params":{"uri":"file:///x"}}`;
    await a.post(body(1, "subscribe"));
    await b.post(body(1, "subscribe"));
    await a.post(body(2, "unsubscribe"));
    expect(pair.server.listSeen("resources/unsubscribe")).toHaveLength(0);

    pair.server.notify("notifications/resources/updated", { uri: "file:///xy" });
    pair.server.notify("notifications/resources/updated", { uri: "file:///x/part" });
    pair.server.notify("notifications/tools/list_changed");
    const first = await Promise.all(
      [a, b, c].map(async (session) => {
        await using events = await session.listen();
        return ((await events.nextMessage()) as { method: string }).method;
      }),
    );

    expect(first).toEqual([
      "notifications/tools/list_changed",
      "notifications/resources/updated",
      "notifications/tools/list_changed",
    ]);
    await b.post(body(2, "unsubscribe"));
    expect(pair.server.listSeen("resources/unsubscribe")).toHaveLength(1);
  });

  test("of its log goes to the only session with work in flight", async () => {
    await using pair = await openPair();
    const bystander = await openSession(pair.endpoint);
    const session = await openSession(pair.endpoint);
    const response = session.post(call(1));
    const message = await pair.server.receive("tools/call");

    pair.server.notify("notifications/message", { data: "private" });
    pair.server.answer(message, "{}");
    pair.server.notify("notifications/message", { data: "for all" });
    const events = new EventReader(await response);
    await using others = await bystander.listen();

    expect(await events.nextMessage()).toMatchObject({ params: { data: "private" } });
    expect(await others.nextMessage()).toMatchObject({ params: { data: "for all" } });
  });

  test("of progress without a request for it is dropped", async () => {
    await using pair = await openPair();
    const session = await openSession(pair.endpoint);
    await using events = await session.listen();

    pair.server.notify("notifications/progress", { progressToken: 1, progress: 1 });
    pair.server.notify("notifications/tools/list_changed");

    expect(await events.nextMessage()).toMatchObject({ method: "notifications/tools/list_changed" });
  });

  test("of progress still finds a task after its request was answered", async () => {
    await using pair = await openPair();
    const session = await openSession(pair.endpoint);
    await using events = await session.listen();
    const response = session.post(
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"task":{},"_meta":{"progressToken":3}}}',
    );
    const message = await pair.server.receive("tools/call");
    pair.server.answer(message, '{"task":{}}');
    await response;

    pair.server.notify("notifications/progress", { progressToken: message.id, progress: 1 });

    expect(await events.nextMessage()).toMatchObject({ params: { progressToken: 3 } });
  });
});

describe("a slow reader", () => {
  test("is dropped when more waits for it than may be kept, and memory stays bounded", async () => {
    const limits = { maxStreamBytes: 200_000, slowReaderMs: 60_000, sweepMs: 5 };
    await using pair = await openPair({}, { limits });
    const session = await openSession(pair.endpoint);
    await using _ = await session.listen();
    await waitFor(() => pair.endpoint.counts.streams === 1, { what: "the stream" });

    // Nobody reads the response body, so kernel buffers fill first; then the endpoint's own bound is reached.
    const data = "x".repeat(100_000);
    for (let n = 0; n < 400 && pair.endpoint.counts.streams > 0; n++) {
      pair.server.notify("notifications/message", { data });
      await new Promise(setImmediate);
    }

    await waitFor(() => pair.endpoint.counts.streams === 0, { what: "the reader to be dropped" });
    expect(pair.endpoint.counts.sessions).toBe(1);
  });

  test("is dropped when it takes nothing for too long", async () => {
    const limits = { maxStreamBytes: 100_000_000, slowReaderMs: 50, sweepMs: 5 };
    await using pair = await openPair({}, { limits });
    const session = await openSession(pair.endpoint);
    await using _ = await session.listen();
    await waitFor(() => pair.endpoint.counts.streams === 1, { what: "the stream" });

    for (let n = 0; n < 100; n++) pair.server.notify("notifications/message", { data: "x".repeat(100_000) });

    await waitFor(() => pair.endpoint.counts.streams === 0, { what: "the reader to be dropped" });
  });

  test("is dropped when it leaves a plain answer unread", async () => {
    const told: string[] = [];
    const log = { ...SILENT_LOG, info: (_: unknown, message: string) => told.push(message) };
    const answer = JSON.stringify("x".repeat(20_000_000));
    await using pair = await openPair({ onRequest: () => answer }, { log, limits: { slowReaderMs: 50 } });
    const session = await openSession(pair.endpoint);
    const socket = connect(pair.endpoint.port, "127.0.0.1");
    const headers = { ...CLIENT_HEADERS, ...session.headers, host: `127.0.0.1:${pair.endpoint.port}` };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const body = call(1);

    socket.write(`POST /mcp HTTP/1.1\r\n${lines.join("")}content-length: ${body.length}\r\n\r\n${body}`);
    await pair.server.receive("tools/call");
    await waitFor(() => told.includes("slow reader dropped"), { what: "the reader to be dropped" });
    let received = 0;
    socket.on("data", (chunk) => {
      received += chunk.length;
    });
    // A reset shows that the endpoint cut the connection; a close follows in any case.
    const closed = new Promise((resolve) => socket.once("error", () => undefined).once("close", resolve));
    await closed;

    expect(received).toBeLessThan(20_000_000);
  });
});
