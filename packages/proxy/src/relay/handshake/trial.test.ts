/** A process that is tried before a client has come: nothing reaches it before `initialize`, and the first client is served. */
import { waitFor } from "@toolhive/testing/wait-for";
import { describe, expect, test } from "vitest";
import { FakeServer, INITIALIZE_RESULT, type SeenMessage } from "../../testing/fake-server.ts";
import { openPair } from "../../testing/open-pair.ts";
import { initializeBody, openSession, post } from "../../testing/raw-client.ts";

const SOON = 10_000;
const list = (session: Awaited<ReturnType<typeof openSession>>) =>
  session.post('{"jsonrpc":"2.0","id":1,"method":"tools/list"}');
const methods = (server: FakeServer) => server.seen.map(({ method }) => method);

/** Answers each `initialize` by its number, from 1. */
function createServer(answer: (count: number, message: SeenMessage) => string | { code: number } | undefined) {
  let count = 0;
  const server: FakeServer = new FakeServer({
    isSilent: true,
    onRequest: (message) => {
      if (message.method !== "initialize") return "{}";
      count += 1;
      const answered = answer(count, message);
      if (typeof answered !== "object") return answered;
      server.write(JSON.stringify({ jsonrpc: "2.0", id: message.id, error: { ...answered, message: "no" } }));
      return undefined;
    },
  });
  return server;
}

async function openWith(server: FakeServer, limits = {}) {
  const pair = await openPair({}, { limits });
  pair.endpoint.connect(server.connection);
  return pair;
}

describe("a new process that is tried before a client has come", () => {
  test("receives `initialize` first, then what ends the handshake, then a ping", async () => {
    await using pair = await openPair();

    await pair.endpoint.probe(AbortSignal.timeout(SOON));
    await pair.server.receive("ping");

    expect(methods(pair.server)).toEqual(["initialize", "notifications/initialized", "ping"]);
    expect(pair.server.seen[0]?.params).toMatchObject({ capabilities: {}, clientInfo: { name: "thv" } });
  });

  test("is initialized once more with what the first client declares, and not by the second", async () => {
    await using pair = await openPair({ onRequest: () => "{}" });
    await pair.endpoint.probe(AbortSignal.timeout(SOON));

    const session = await openSession(pair.endpoint, { capabilities: { roots: {} } });
    await openSession(pair.endpoint);
    await list(session);

    const asked = pair.server.listSeen("initialize");
    expect(asked.map(({ params }) => params.capabilities)).toEqual([{}, { roots: {} }]);
    const seen = methods(pair.server).filter((method) => method !== "ping");
    expect(seen).toEqual([...Array(2).fill(["initialize", "notifications/initialized"]).flat(), "tools/list"]);
  });

  test("is not asked by anybody else while a client's `initialize` is on its way", async () => {
    await using pair = await openPair();
    const server = new FakeServer({ isSilent: true });
    pair.endpoint.connect(server.connection);
    const answer = post(pair.endpoint, initializeBody());
    const asked = await server.receive("initialize");

    const probed = pair.endpoint.probe(AbortSignal.timeout(SOON));
    server.answer(asked, INITIALIZE_RESULT);

    await probed;
    expect((await answer).status).toBe(200);
    expect(server.listSeen("initialize")).toHaveLength(1);
  });

  test("lets a client wait that comes meanwhile", async () => {
    await using pair = await openPair();
    const server = createServer((count) => (count === 1 ? undefined : INITIALIZE_RESULT));
    pair.endpoint.connect(server.connection);
    const probed = pair.endpoint.probe(AbortSignal.timeout(SOON));
    const asked = await server.receive("initialize");

    const answer = post(pair.endpoint, initializeBody());
    await waitFor(() => pair.endpoint.counts.pendingRequests === 2, { what: "the client to wait" });
    server.answer(asked, INITIALIZE_RESULT);

    await probed;
    expect(await (await answer).json()).toMatchObject({ id: 0, result: { serverInfo: { name: "fake" } } });
  });

  test.each([
    ["refuses a second `initialize`", (count: number) => (count === 1 ? INITIALIZE_RESULT : { code: -32600 })],
    ["does not answer a second `initialize`", (count: number) => (count === 1 ? INITIALIZE_RESULT : undefined)],
  ])("and %s serves the first client with its first answer", async (_what, answer) => {
    const server = createServer(answer);
    await using pair = await openWith(server, { secondInitializeMs: 20, sweepMs: 5 });
    await pair.endpoint.probe(AbortSignal.timeout(SOON));

    const session = await openSession(pair.endpoint);

    expect((await list(session)).status).toBe(200);
  });

  test("and refuses a client's parameters has its error sent to that client", async () => {
    const server = createServer((count) => (count === 1 ? INITIALIZE_RESULT : { code: -32602 }));
    await using pair = await openWith(server);
    await pair.endpoint.probe(AbortSignal.timeout(SOON));

    const answer = await post(pair.endpoint, initializeBody());

    expect(await answer.json()).toMatchObject({ id: 0, error: { code: -32602 } });
  });

  test("and ends at a second `initialize` is started again, and the client's is then the first", async () => {
    const server: FakeServer = createServer((count) => {
      if (count > 1) server.exit();
      return count === 1 ? INITIALIZE_RESULT : undefined;
    });
    await using pair = await openWith(server);
    await pair.endpoint.probe(AbortSignal.timeout(SOON));

    const opening = openSession(pair.endpoint);
    await waitFor(() => !pair.endpoint.isReady, { what: "the end of the process" });
    const next = new FakeServer({ onRequest: () => "{}" });
    pair.endpoint.connect(next.connection);
    await pair.endpoint.probe(AbortSignal.timeout(SOON));

    expect((await list(await opening)).status).toBe(200);
    expect(next.listSeen("initialize")).toHaveLength(1);
  });

  test("and answers `initialize` with an error answers, and receives no ping", async () => {
    const server = createServer(() => ({ code: -32000 }));
    await using pair = await openWith(server);

    await pair.endpoint.probe(AbortSignal.timeout(SOON));
    await pair.endpoint.probe(AbortSignal.timeout(SOON));

    expect(methods(server)).toEqual(["initialize"]);
  });

  test("and never answers a ping counts as well", async () => {
    await using pair = await openPair({ ignoresPings: true });

    for (const _ of [1, 2, 3]) await pair.endpoint.probe(AbortSignal.timeout(SOON));

    expect(methods(pair.server)).toEqual(["initialize", "notifications/initialized", "ping"]);
  });

  test("and goes away before it answers is not ready", async () => {
    await using pair = await openPair();
    const server = new FakeServer({ isSilent: true });
    pair.endpoint.connect(server.connection);
    const probed = pair.endpoint.probe(AbortSignal.timeout(SOON));
    await server.receive("initialize");

    server.exit();

    await expect(probed).rejects.toMatchObject({ code: "SERVER_NOT_READY" });
  });

  test("and answers late has answered: there is no second `initialize`, and none is cancelled", async () => {
    await using pair = await openPair({}, { limits: { initializeMs: 10, sweepMs: 5 } });
    const server = new FakeServer({ isSilent: true });
    pair.endpoint.connect(server.connection);
    await expect(pair.endpoint.probe(AbortSignal.timeout(40))).rejects.toThrow(/timeout/i);

    server.answer(await server.receive("initialize"), INITIALIZE_RESULT);

    await pair.endpoint.probe(AbortSignal.timeout(SOON));
    expect(server.listSeen("initialize")).toHaveLength(1);
    expect(server.listSeen("notifications/cancelled")).toEqual([]);
  });
});

describe("a process that an earlier supervisor has left", () => {
  test("is sent a ping, whose answer is awaited", async () => {
    await using pair = await openPair();
    const server = new FakeServer();
    pair.endpoint.connect(server.connection, { resume: true });

    await pair.endpoint.probe(AbortSignal.timeout(SOON));

    expect(methods(server)).toEqual(["ping"]);
  });
});
