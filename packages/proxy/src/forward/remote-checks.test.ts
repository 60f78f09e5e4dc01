/** When a server that runs elsewhere is ready, and what checks of it ask. A server on loopback plays it. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { listen } from "@toolhive/http";
import { describe, expect, test } from "vitest";
import { startMcpHttpServer } from "../testing/mcp-http-server.ts";
import { startHttpServer } from "../testing/raw-http-server.ts";
import { findProblem, formatUrl, INITIALIZED, openRemote, TOOLS } from "../testing/remote-endpoint.ts";

describe("a remote server is ready", () => {
  test.each(["streamable-http", "sse"] as const)(
    "once it has answered a handshake and a list over %s",
    async (transport) => {
      const methods: string[] = [];
      await using server = await startMcpHttpServer(transport, (method) => {
        methods.push(method);
        return method === "initialize" ? INITIALIZED : TOOLS;
      });
      await using endpoint = await openRemote(
        formatUrl(server, transport === "sse" ? "/sse" : "/mcp"),
        {},
        { transport },
      );

      expect(endpoint.isReady).toBe(false);
      await endpoint.probe(AbortSignal.timeout(20_000));

      expect(endpoint.isReady).toBe(true);
      expect(methods).toEqual(["tools/list"]);
    },
  );

  test("when it knows no initialize, as since 2026-07-28, and answers a list", async () => {
    await using server = await startHttpServer(async (request, response) => {
      let text = "";
      for await (const chunk of request.setEncoding("utf8")) text += chunk;
      const { id, method } = JSON.parse(text) as { id: number; method: string };
      const answer = method === "initialize" ? '"error":{"code":-32601,"message":"no"}' : `"result":${TOOLS}`;
      response.writeHead(method === "initialize" ? 400 : 200, { "content-type": "application/json" });
      response.end(`{"jsonrpc":"2.0","id":${id},${answer}}`);
    });
    await using endpoint = await openRemote(formatUrl(server));

    await endpoint.probe(AbortSignal.timeout(20_000));

    expect(endpoint.isReady).toBe(true);
  });
});

describe("a check of a remote server changes nothing for others who use it:", () => {
  /** Keeps sessions, as a test says; at the beginning it knows none. */
  async function startWithSessions(
    answerOther: (request: Received, response: ServerResponse) => boolean = () => false,
  ) {
    const sessions = new Set<string>();
    const received: Received[] = [];
    const server = await startHttpServer(async (request, response) => {
      let text = "";
      for await (const chunk of request.setEncoding("utf8")) text += chunk;
      const message = text === "" ? {} : (JSON.parse(text) as Received["message"]);
      const session = request.headers["mcp-session-id"] as string | undefined;
      const seen = { verb: request.method ?? "", session, message, headers: request.headers };
      received.push(seen);
      if (answerOther(seen, response)) return;
      const { id, method } = message;
      if (request.method !== "POST") return void response.writeHead(405).end();
      if (method === "initialize") {
        const name = `s${sessions.size}`;
        sessions.add(name);
        response.setHeader("mcp-session-id", name);
      } else if (session === undefined || !sessions.has(session)) return void response.writeHead(404).end();
      if (id === undefined || method === undefined) return void response.writeHead(202).end();
      const result = method === "initialize" ? INITIALIZED : TOOLS;
      response
        .writeHead(200, { "content-type": "Application/JSON" })
        .end(`{"jsonrpc":"2.0","id":${id},"result":${result}}`);
    });
    return { server, sessions, received };
  }

  interface Received {
    readonly verb: string;
    readonly session: string | undefined;
    readonly message: { readonly id?: number; readonly method?: string; readonly result?: unknown };
    readonly headers: IncomingMessage["headers"];
  }

  test("all checks ask in one session, which is not ended, and say who asks", async () => {
    const { server, sessions, received } = await startWithSessions();
    await using _server = server;
    const endpoint = await openRemote(formatUrl(server));

    for (let check = 0; check < 4; check++) await endpoint.probe(AbortSignal.timeout(20_000));
    await endpoint.close();

    expect(sessions.size).toBe(1);
    expect(received.map(({ verb, message }) => `${verb} ${message.method}`)).toEqual([
      "POST initialize",
      "POST notifications/initialized",
      ...Array<string>(4).fill("POST tools/list"),
    ]);
    expect(new Set(received.map(({ message }) => message.id)).size).toBe(6);
    expect(new Set(received.map(({ headers }) => headers["user-agent"]))).toEqual(new Set(["toolhive"]));
  });

  test("a server that ends an idle connection just when the next question arrives there is checked all the same", async () => {
    const used = new WeakSet<object>();
    const server = createServer(async (request, response) => {
      if (used.has(request.socket)) return void request.socket.destroy();
      used.add(request.socket);
      let body = "";
      for await (const chunk of request) body += chunk;
      const { id, method } = JSON.parse(body) as { id?: number; method: string };
      if (id === undefined) return void response.writeHead(202).end();
      const result = method === "initialize" ? INITIALIZED : TOOLS;
      response.writeHead(200, { "content-type": "application/json" });
      response.end(`{"jsonrpc":"2.0","id":${id},"result":${result}}`);
    });
    const port = await listen(server);
    await using endpoint = await openRemote(`http://127.0.0.1:${port}/mcp`);

    for (let check = 0; check < 3; check++) await endpoint.probe(AbortSignal.timeout(20_000));

    expect(endpoint.isReady).toBe(true);
    server.close();
    server.closeAllConnections();
  });

  test("checks at the same time share the session", async () => {
    const { server, sessions } = await startWithSessions();
    await using _server = server;
    await using endpoint = await openRemote(formatUrl(server));

    await Promise.all([1, 2, 3].map(() => endpoint.probe(AbortSignal.timeout(20_000))));

    expect(sessions.size).toBe(1);
  });

  test.each([
    ["404", 404, ""],
    [
      "400 and an error of the protocol",
      400,
      '{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"No valid session ID"}}',
    ],
    ["400 and nothing", 400, ""],
  ])("a server that was restarted and answers %s gets one more session", async (_what, status, body) => {
    let isForgotten = false;
    const { server, sessions, received } = await startWithSessions(({ session }, response) => {
      if (!isForgotten || session !== "s0") return false;
      response.writeHead(status, { "content-type": "application/json" }).end(body);
      return true;
    });
    await using _server = server;
    await using endpoint = await openRemote(formatUrl(server));
    await endpoint.probe(AbortSignal.timeout(20_000));
    isForgotten = true;

    await endpoint.probe(AbortSignal.timeout(20_000));
    await endpoint.probe(AbortSignal.timeout(20_000));

    expect(sessions.size).toBe(2);
    expect(received.filter(({ session }) => session === "s0")).toHaveLength(3);
  });

  test("a list that always fails opens another session only after three checks", async () => {
    const { server, sessions } = await startWithSessions(({ message }, response) => {
      if (message.method !== "tools/list") return false;
      response
        .writeHead(400, { "content-type": "application/json" })
        .end('{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"no"}}');
      return true;
    });
    await using _server = server;
    await using endpoint = await openRemote(formatUrl(server));

    const counts: number[] = [];
    for (let check = 0; check < 4; check++) {
      expect((await findProblem(endpoint)).message).toContain("answers a list with the error 1: no");
      counts.push(sessions.size);
    }

    expect(counts).toEqual([1, 1, 1, 2]);
  });

  test("a server that asks for a ping before it answers gets one", async () => {
    const { server, received } = await startWithSessions(({ message }, response) => {
      if (message.method === "tools/list") {
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.write('data: {"jsonrpc":"2.0","id":"p","method":"ping"}\n\n');
        list = { response, id: message.id };
        return true;
      }
      if (message.result !== undefined)
        list?.response.end(`data: {"jsonrpc":"2.0","id":${list.id},"result":${TOOLS}}\n\n`);
      return false;
    });
    let list: { readonly response: ServerResponse; readonly id: number | undefined } | undefined;
    await using _server = server;
    await using endpoint = await openRemote(formatUrl(server));

    await endpoint.probe(AbortSignal.timeout(20_000));

    expect(received.at(-1)).toMatchObject({ session: "s0", message: { id: "p", result: {} } });
  });

  test("a server with one session for its process is alive when somebody else has that session", async () => {
    await using server = await startHttpServer((_request, response) => {
      response.writeHead(400, { "content-type": "application/json" });
      response.end(
        '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request: Server already initialized"}}',
      );
    });
    await using endpoint = await openRemote(formatUrl(server));

    await endpoint.probe(AbortSignal.timeout(20_000));

    expect(endpoint.isReady).toBe(true);
  });
});

describe("a server of 2026-07-28 is ready", () => {
  test.each([
    ["with only prompts, which it says", ["prompts/list"], true],
    ["with only resources, which it does not say", ["resources/list"], false],
    ["with nothing at all, which it says", [], true],
  ])("%s", async (_what, known, discovers) => {
    const methods: string[] = [];
    await using server = await startHttpServer(async (request, response) => {
      let text = "";
      for await (const chunk of request.setEncoding("utf8")) text += chunk;
      const { id, method } = JSON.parse(text) as { id: number; method: string };
      methods.push(method);
      const capabilities = Object.fromEntries(known.map((name) => [name.split("/")[0], {}]));
      const isKnown = known.includes(method) || (discovers && method === "server/discover");
      const answer = isKnown
        ? { result: method === "server/discover" ? { capabilities } : {} }
        : { error: { code: method === "initialize" ? -32022 : -32601, message: "no" } };
      response.writeHead(isKnown ? 200 : 400, { "content-type": "application/json" });
      response.end(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
    });
    await using endpoint = await openRemote(formatUrl(server));

    await endpoint.probe(AbortSignal.timeout(20_000));

    expect(endpoint.isReady).toBe(true);
    expect(methods.slice(0, 2)).toEqual(["initialize", "server/discover"]);
  });
});
