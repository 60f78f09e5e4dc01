/**
 * Server processes that come and go under living sessions, and clients that vanish.
 */

import { PassThrough } from "node:stream";
import { waitFor } from "@toolhive/testing/wait-for";
import { describe, expect, test } from "vitest";
import type { Limits } from "../src/options/limits.ts";
import { FakeServer } from "../src/testing/fake-server.ts";
import { openPair } from "../src/testing/open-pair.ts";
import { buildUrl, EventReader, initializeBody, openSession, post } from "../src/testing/raw-client.ts";
import { openMcpEndpoint } from "../src/transports/stdio-endpoint.ts";

const CALL = '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{}}';

describe("when the server goes away", () => {
  test("every request in flight is answered with an error that says so", async () => {
    await using pair = await openPair();
    const session = await openSession(pair.endpoint);
    const answers = [1, 2, 3].map((id) => session.post(`{"jsonrpc":"2.0","id":${id},"method":"tools/call"}`));
    await pair.server.receive("tools/call", 3);

    pair.endpoint.disconnect("exit code 137");

    for (const [index, answer] of answers.entries()) {
      expect(await (await answer).json()).toEqual({
        jsonrpc: "2.0",
        id: index + 1,
        error: { code: -32000, message: "The server went away: exit code 137" },
      });
    }
    expect(pair.endpoint.counts).toEqual({ sessions: 1, streams: 0, pendingRequests: 0 });
  });

  test("the proxy notices its closed output without an event", async () => {
    await using pair = await openPair();
    const session = await openSession(pair.endpoint);
    const answer = session.post(CALL);
    await pair.server.receive("tools/call");

    pair.server.exit();

    expect(await (await answer).json()).toMatchObject({ id: 7, error: { code: -32000 } });
    expect(pair.endpoint.isReady).toBe(false);
  });

  test("a request waits for the next process, which is initialized again with the same parameters first", async () => {
    await using pair = await openPair();
    const session = await openSession(pair.endpoint, { capabilities: { roots: {} } });
    pair.endpoint.disconnect("restart");
    const answer = session.post(CALL);
    await waitFor(() => pair.endpoint.counts.pendingRequests === 1, { what: "the request to wait" });

    const next = new FakeServer({ onRequest: ({ method }) => `"${method}"` });
    pair.endpoint.connect(next.connection);

    expect(await (await answer).json()).toEqual({ jsonrpc: "2.0", id: 7, result: "tools/call" });
    expect(next.seen.map(({ method }) => method)).toEqual(["initialize", "notifications/initialized", "tools/call"]);
    expect(next.seen[0]?.params).toEqual(pair.server.listSeen("initialize")[0]?.params);
  });

  test("a new process gets the subscriptions of the sessions that live on", async () => {
    await using pair = await openPair({ onRequest: () => "{}" });
    const session = await openSession(pair.endpoint);
    await session.post('{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"file:///x"}}');

    const next = new FakeServer({ onRequest: () => "{}" });
    pair.endpoint.connect(next.connection);

    expect((await next.receive("resources/subscribe")).params).toEqual({ uri: "file:///x" });
  });

  test("a client that comes meanwhile is initialized once the same process is connected again", async () => {
    await using pair = await openPair();
    await openSession(pair.endpoint);
    pair.endpoint.disconnect("the network failed");
    const answer = post(pair.endpoint, initializeBody());
    await waitFor(() => pair.endpoint.counts.pendingRequests === 1, { what: "the client to wait" });

    pair.endpoint.connect(pair.server.connection, { resume: true });

    expect(await (await answer).json()).toMatchObject({ id: 0, result: {} });
    expect(pair.server.listSeen("initialize")).toHaveLength(1);
  });

  test("a request that no process takes in time gets an error", async () => {
    await using pair = await openPair({}, { limits: { queueWaitMs: 20, sweepMs: 5 } });
    const session = await openSession(pair.endpoint);
    pair.endpoint.disconnect("gone");

    expect(await (await session.post(CALL)).json()).toMatchObject({ id: 7, error: { code: -32010 } });
    expect(pair.endpoint.counts.pendingRequests).toBe(0);
  });

  test("initialize waits for a process too, and is refused when none comes", async () => {
    await using endpoint = await openMcpEndpoint({
      name: "none",
      host: "127.0.0.1",
      port: 0,
      limits: { queueWaitMs: 20, sweepMs: 5 },
    });

    const response = await post(endpoint, initializeBody());

    expect(await response.json()).toMatchObject({ id: 0, error: { code: -32010 } });
    expect(endpoint.counts).toEqual({ sessions: 0, streams: 0, pendingRequests: 0 });
  });

  test("requests above the bound are refused instead of waiting", async () => {
    await using pair = await openPair({}, { limits: { maxSessionRequests: 1 } });
    const session = await openSession(pair.endpoint);
    const first = session.post('{"jsonrpc":"2.0","id":1,"method":"tools/call"}');
    const message = await pair.server.receive("tools/call");

    expect(await (await session.post(CALL)).json()).toMatchObject({ id: 7, error: { code: -32011 } });

    pair.server.answer(message, "{}");
    await first;
  });

  test("the client receives a cancellation of a server request that is void", async () => {
    await using pair = await openPair();
    const session = await openSession(pair.endpoint, { capabilities: { roots: {} } });
    await using events = await session.listen();
    pair.server.request(0, "roots/list");
    const { id } = (await events.nextMessage()) as { id: number };

    pair.endpoint.disconnect("restart");

    expect(await events.nextMessage()).toMatchObject({ method: "notifications/cancelled", params: { requestId: id } });
  });

  test("sessions end when the new process does not accept their parameters", async () => {
    await using pair = await openPair();
    const session = await openSession(pair.endpoint);

    const next = new FakeServer({ isSilent: true });
    pair.endpoint.connect(next.connection);
    const { id } = await next.receive("initialize");
    next.write(`{"jsonrpc":"2.0","id":${id},"error":{"code":-32602,"message":"no"}}`);
    await waitFor(() => pair.endpoint.counts.sessions === 0, { what: "the sessions to end" });

    expect((await session.post(CALL)).status).toBe(404);
  });
});

describe("when the supervisor was restarted", () => {
  test("old session ids are unknown, and a new initialize reaches the server that was initialized before", async () => {
    await using old = await openPair({ onRequest: () => "{}" });
    const lost = await openSession(old.endpoint);
    await using endpoint = await openMcpEndpoint({ name: "fake", host: "127.0.0.1", port: 0 });
    await old.endpoint.close();
    endpoint.connect(old.server.connection, { resume: true });

    const refused = await post(endpoint, CALL, lost.headers);
    const session = await openSession(endpoint);

    expect(refused.status).toBe(404);
    expect(await (await session.post(CALL)).json()).toMatchObject({ id: 7, result: {} });
    expect(old.server.listSeen("initialize")).toHaveLength(2);
  });

  test("an answer to the old supervisor's request is not taken for one of ours", async () => {
    await using old = await openPair();
    const session = await openSession(old.endpoint);
    session.post(CALL).catch(() => undefined);
    const stale = await old.server.receive("tools/call");
    await using endpoint = await openMcpEndpoint({ name: "fake", host: "127.0.0.1", port: 0 });
    await old.endpoint.close();
    endpoint.connect(old.server.connection, { resume: true });
    const fresh = await openSession(endpoint);
    const answer = fresh.post(CALL);
    const own = await old.server.receive("tools/call", 2);

    old.server.answer(stale, '"stale"');
    old.server.answer(own, '"own"');

    expect(await (await answer).json()).toMatchObject({ result: "own" });
  });

  test("a reattached process keeps the sessions without another initialize", async () => {
    await using pair = await openPair({ onRequest: () => "{}" });
    const session = await openSession(pair.endpoint);
    pair.endpoint.disconnect("attachment lost");

    pair.endpoint.connect(pair.server.connection, { resume: true });

    expect(await (await session.post(CALL)).json()).toMatchObject({ id: 7, result: {} });
    expect(pair.server.listSeen("initialize")).toHaveLength(1);
  });
});

describe("probe", () => {
  test("measures a round trip whose answer no client sees", async () => {
    await using pair = await openPair();
    const session = await openSession(pair.endpoint);
    await using events = await session.listen();
    await pair.endpoint.probe(AbortSignal.timeout(5000));
    await pair.server.receive("ping");

    const latencyMs = await pair.endpoint.probe(AbortSignal.timeout(5000));
    pair.server.notify("notifications/tools/list_changed");

    expect(latencyMs).toBeGreaterThanOrEqual(0);
    expect(await events.nextMessage()).toMatchObject({ method: "notifications/tools/list_changed" });
    expect(pair.endpoint.isReady).toBe(true);
  });

  test("fails when no server is connected, and when it does not answer", async () => {
    await using pair = await openPair();
    pair.endpoint.disconnect("gone");
    await expect(pair.endpoint.probe(AbortSignal.timeout(5000))).rejects.toMatchObject({ code: "SERVER_NOT_READY" });

    const deaf = { stdin: pair.server.connection.stdin, stdout: new FakeServer().connection.stdout };
    pair.endpoint.connect(deaf);
    await expect(pair.endpoint.probe(AbortSignal.timeout(20))).rejects.toThrow(/timeout/i);
  });
});

describe("GET /health", () => {
  test("reports the server's latency and the counts", async () => {
    const version = { version: "v1", commit: "c", build_date: "d", go_version: "node", platform: "p" };
    await using pair = await openPair({}, { version });
    await openSession(pair.endpoint);

    const response = await fetch(buildUrl(pair.endpoint, "/health"));
    const body = (await response.json()) as { timestamp: string };

    expect(response.status).toBe(200);
    expect(body).toMatchObject({
      status: "healthy",
      transport: "stdio",
      version,
      mcp: { available: true, response_time_ms: expect.any(Number) },
      counts: { sessions: 1, streams: 0, pendingRequests: 0 },
    });
    expect(new Date(body.timestamp).toISOString()).toBe(body.timestamp);
  });

  test("is degraded without a server", async () => {
    await using pair = await openPair();
    pair.endpoint.disconnect("gone");

    const response = await fetch(buildUrl(pair.endpoint, "/health"));

    expect(await response.json()).toMatchObject({ status: "degraded", mcp: { available: false } });
  });

  test("allows only reading", async () => {
    await using pair = await openPair();

    expect((await fetch(buildUrl(pair.endpoint, "/health"), { method: "POST" })).status).toBe(405);
  });
});

describe("clients that vanish", () => {
  // What a thousand of them leave in memory is measured in vanishing-clients.test.ts.
  test("leave nothing: 200 sessions, some with streams and requests, are gone when their time is over", async () => {
    // Long enough that no session goes while others are still being opened would make the test slow; it need not be.
    const limits = { sessionIdleMs: 300, requestMs: 300, sweepMs: 20, maxSessions: 300 };
    await using pair = await openPair({}, { limits });
    for (let batch = 0; batch < 4; batch++) {
      await Promise.all(
        Array.from({ length: 50 }, async (_, index) => {
          const session = await openSession(pair.endpoint);
          if (index % 10 === 0) await (await session.listen())[Symbol.asyncDispose]();
          if (index % 10 === 1) {
            const abort = new AbortController();
            const vanished = session.post(CALL, abort.signal).catch(() => "vanished");
            await waitFor(() => pair.server.listSeen("tools/call").length > 0, { what: "a request to arrive" });
            abort.abort();
            await vanished;
          }
        }),
      );
    }

    await waitFor(() => Object.values(pair.endpoint.counts).every((count) => count === 0), {
      what: "all counts to return to zero",
      deadlineMs: 12_000,
    });
    expect(pair.endpoint.counts).toEqual({ sessions: 0, streams: 0, pendingRequests: 0 });
  });

  test("give way to new ones when the table is full", async () => {
    await using pair = await openPair({}, { limits: { maxSessions: 2 } });
    const oldest = await openSession(pair.endpoint);
    const second = await openSession(pair.endpoint);
    await using _ = await second.listen();

    await openSession(pair.endpoint);

    expect((await oldest.post(CALL)).status).toBe(404);
    expect(pair.endpoint.counts.sessions).toBe(2);
  });

  test("are refused with 503 when every session is in use", async () => {
    await using pair = await openPair({}, { limits: { maxSessions: 1 } });
    const session = await openSession(pair.endpoint);
    await using _ = await session.listen();

    const response = await post(pair.endpoint, initializeBody());

    expect(response.status).toBe(503);
    expect(response.headers.get("retry-after")).toBe("5");
  });
});

describe("closing", () => {
  test("answers what is in flight and ends the streams", async () => {
    const pair = await openPair();
    const session = await openSession(pair.endpoint);
    const events = await session.listen();
    const answer = session.post(CALL);
    await pair.server.receive("tools/call");

    await pair.endpoint.close();

    expect(await (await answer).json()).toMatchObject({ id: 7, error: { code: -32000 } });
    expect(await events.next()).toBeUndefined();
    expect(pair.endpoint.counts).toEqual({ sessions: 0, streams: 0, pendingRequests: 0 });
  });

  test("ends a stream that a slow tool call holds open", async () => {
    const pair = await openPair({}, { limits: { streamAfterMs: 5, sweepMs: 5 } });
    const session = await openSession(pair.endpoint);
    const events = new EventReader(await session.post(CALL));

    await pair.endpoint.close();

    expect(await events.nextMessage()).toMatchObject({ id: 7, error: { code: -32000 } });
    expect(await events.next()).toBeUndefined();
  });
});

describe("a server that reads slowly", () => {
  test("gets every request in the end, while little of them waits in memory", async () => {
    const limits = { maxBodyBudgetBytes: 200_000, maxStdinBytes: 400_000 } satisfies Partial<Limits>;
    await using pair = await openPair({}, { limits });
    const session = await openSession(pair.endpoint);
    const server = new FakeServer({ onRequest: () => "{}" });
    const { stdin, stdout } = server.connection;
    const slow = new PassThrough();
    pair.endpoint.connect({ stdin: slow, stdout });
    slow.pipe(stdin);
    await session.post('{"jsonrpc":"2.0","id":"first","method":"tools/call"}');
    slow.unpipe(stdin);
    const params = JSON.stringify({ data: "x".repeat(100_000) });

    const answers = Array.from({ length: 20 }, (_, id) =>
      session.post(`{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":${params}}`),
    );
    await waitFor(() => slow.writableLength >= 100_000, { what: "a backlog" });
    expect(slow.writableLength).toBeLessThan(limits.maxStdinBytes);
    slow.pipe(stdin);

    for (const [id, answer] of answers.entries()) expect(await (await answer).json()).toMatchObject({ id, result: {} });
  });
});
