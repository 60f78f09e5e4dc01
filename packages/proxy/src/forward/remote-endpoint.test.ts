/** The endpoint of a server that runs elsewhere, which a server on loopback plays. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { connect } from "node:net";
import type { GrantDescription, RemoteAuthorization, RemoteRefusal, RemoteServer } from "@toolhive/core";
import { ThvError } from "@toolhive/core/errors";
import { startHttpsServer, TEST_CA } from "@toolhive/core/testing";
import { listen } from "@toolhive/http";
import { afterEach, describe, expect, test } from "vitest";
import { startMcpHttpServer } from "../testing/mcp-http-server.ts";
import { type RawHttpServer, startHttpServer } from "../testing/raw-http-server.ts";
import { HttpEndpoint, type HttpEndpointOptions } from "./http-endpoint.ts";

const TOOLS = '{"tools":[{"name":"add","inputSchema":{"type":"object"}}]}';
const INITIALIZED =
  '{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}';
const CALL = {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: '{"jsonrpc":"2.0","id":7,"method":"ping"}',
};

/** Of nobody here: its key was not kept. */
const OTHER_CA = `-----BEGIN CERTIFICATE-----
MIIBizCCATGgAwIBAgIUeF1CUwAMNUywlPM6g3COxnuB8d8wCgYIKoZIzj0EAwIw
GjEYMBYGA1UEAwwPYW5vdGhlciBjb21wYW55MCAXDTI2MTEyNDE2MTU0NFoYDzIx
MjYxMDMxMTYxNTQ0WjAaMRgwFgYDVQQDDA9hbm90aGVyIGNvbXBhbnkwWTATBgcq
hkjOPQIBBggqhkjOPQMBBwNCAAQDLv11QMR2+CsrLNtPtmqMVM6RxIu9terXa580
DyRzBnQCEzfll7qAo5+/1B93W3wW87SvvgPWKmr4uUdeTY4so1MwUTAdBgNVHQ4E
FgQU8nz0Gx0lEVjCdIPAbPEB8hx73CAwHwYDVR0jBBgwFoAU8nz0Gx0lEVjCdIPA
bPEB8hx73CAwDwYDVR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNIADBFAiAnccDC
6399iDk3n2ZzwZgg9gMFY3ISWThCQBpnooLvswIhAIq+u3Gqx++oHIo0v5E+fGdg
d7f3lvZfRTNgZFozum+y
-----END CERTIFICATE-----`;

/** A person's grant, as a test decides it. */
class FakeAuthorization implements RemoteAuthorization {
  readonly refusals: RemoteRefusal[] = [];
  readonly accepted: string[] = [];
  token: string | undefined;
  /** The token that a refusal brings. */
  next: string | undefined;
  error: ThvError | undefined;

  constructor(token?: string) {
    this.token = token;
  }

  async authorize(): Promise<string | undefined> {
    if (this.error) throw this.error;
    return this.token && `Bearer ${this.token}`;
  }

  async onRefused(refusal: RemoteRefusal): Promise<boolean> {
    this.refusals.push(refusal);
    this.token = this.next;
    return this.next !== undefined;
  }

  onAccepted(usedAuthorization: string): void {
    this.accepted.push(usedAuthorization);
  }

  describe(): GrantDescription {
    return { state: "valid", kind: "bearer", scopes: [], isRenewable: false };
  }

  onChange(): () => void {
    return () => undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // Nothing is held.
  }
}

const OPTIONS = { name: "web", host: "127.0.0.1", port: 0, transport: "streamable-http", isRemote: true } as const;

async function openRemote(
  url: string,
  { authorization = new FakeAuthorization(), ...remote }: Partial<RemoteServer> = {},
  options: Partial<HttpEndpointOptions> = {},
): Promise<HttpEndpoint> {
  const endpoint = await HttpEndpoint.open({ ...OPTIONS, ...options });
  const address = new URL(url);
  const port = Number(address.port);
  endpoint.connect({ host: address.hostname, port, remote: { url: address, authorization, ...remote } });
  return endpoint;
}

const formatMcpUrl = ({ port }: HttpEndpoint) => `http://127.0.0.1:${port}/mcp`;
const formatUrl = ({ port }: RawHttpServer, path = "/mcp") => `http://127.0.0.1:${port}${path}`;

/** Answers MCP at every path. */
async function answerMcp(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) text += chunk;
  if (request.method !== "POST") return void response.writeHead(405).end();
  const { id, method } = JSON.parse(text) as { id?: number; method: string };
  if (id === undefined) return void response.writeHead(202).end();
  const result = method === "initialize" ? INITIALIZED : method === "tools/list" ? TOOLS : "{}";
  response
    .writeHead(200, { "content-type": "application/json" })
    .end(`{"jsonrpc":"2.0","id":${id},"result":${result}}`);
}

async function findProblem(endpoint: HttpEndpoint, signal = AbortSignal.timeout(20_000)): Promise<ThvError> {
  const error = await endpoint.probe(signal).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ThvError);
  return error as ThvError;
}

describe("what goes to a remote server, and what comes back", () => {
  test("no credentials of a caller go out, and none of the server's come back", async () => {
    const seen: IncomingMessage[] = [];
    await using server = await startHttpServer((request, response) => {
      seen.push(request);
      const secrets = {
        "set-cookie": "MARK-cookie",
        "www-authenticate": 'Bearer realm="MARK-realm"',
        "x-server": "MARK-server",
      };
      for (const [name, value] of Object.entries(secrets)) response.setHeader(name, value);
      response.setHeader("mcp-session-id", "session-1");
      void answerMcp(request, response);
    });
    await using endpoint = await openRemote(formatUrl(server, "/own/path?key=k"), {
      authorization: new FakeAuthorization("REMOTE-token"),
      headers: { "x-api-key": "REMOTE-key" },
    });

    const response = await fetch(formatMcpUrl(endpoint), {
      ...CALL,
      headers: {
        ...CALL.headers,
        authorization: "Bearer CALLER-token",
        cookie: "CALLER-cookie",
        "x-api-key": "CALLER-key",
        "x-toolhive-caller": "CALLER-name",
        "x-forwarded-for": "CALLER-address",
        "mcp-protocol-version": "2025-06-18",
      },
    });

    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ jsonrpc: "2.0", id: 7, result: {} });
    const answer = JSON.stringify([...response.headers]);
    expect(answer).not.toMatch(/MARK|REMOTE/);
    expect(response.headers.get("mcp-session-id")).toBe("session-1");
    const [request] = seen;
    expect(JSON.stringify(request?.headers)).not.toContain("CALLER");
    expect(request?.url).toBe("/own/path?key=k");
    expect(request?.headers).toMatchObject({
      authorization: "Bearer REMOTE-token",
      "x-api-key": "REMOTE-key",
      "mcp-protocol-version": "2025-06-18",
      host: `127.0.0.1:${server.port}`,
    });
  });

  test("only the MCP address is offered", async () => {
    let requests = 0;
    await using server = await startHttpServer((_request, response) => {
      requests += 1;
      response.end();
    });
    await using endpoint = await openRemote(formatUrl(server));

    const response = await fetch(`http://127.0.0.1:${endpoint.port}/admin`, CALL);

    expect(response.status).toBe(404);
    expect(requests).toBe(0);
  });

  test("a refused token is tried once more with another one, with the same body", async () => {
    const tokens: unknown[] = [];
    await using server = await startHttpServer((request, response) => {
      tokens.push(request.headers.authorization);
      if (request.headers.authorization === "Bearer new") void answerMcp(request, response);
      else response.writeHead(401, { "www-authenticate": 'Bearer error="invalid_token"' }).end("MARK");
    });
    const authorization = new FakeAuthorization("old");
    authorization.next = "new";
    await using endpoint = await openRemote(formatUrl(server), { authorization });

    const response = await fetch(formatMcpUrl(endpoint), CALL);

    expect(await response.json()).toEqual({ jsonrpc: "2.0", id: 7, result: {} });
    expect(tokens).toEqual(["Bearer old", "Bearer new"]);
    expect(authorization.accepted).toEqual(["Bearer new"]);
    expect(authorization.refusals).toEqual([
      { status: 401, wwwAuthenticate: 'Bearer error="invalid_token"', usedAuthorization: "Bearer old" },
    ]);
  });

  test.each([
    ["the server refuses the token", undefined],
    [
      "the grant is dead",
      new ThvError("UNAUTHENTICATED", "The grant has ended.", { hint: "Sign in: thv auth login web" }),
    ],
  ])("when %s, the client gets an error that names the next command", async (_when, error) => {
    await using server = await startHttpServer((_request, response) => {
      response.writeHead(401, { "www-authenticate": "Bearer MARK" }).end("MARK");
    });
    const authorization = new FakeAuthorization("REMOTE-token");
    authorization.error = error;
    const outcomes: unknown[] = [];
    const onOutcome = (problem: ThvError | undefined) => void outcomes.push(problem?.code);
    await using endpoint = await openRemote(formatUrl(server), { authorization, onOutcome });

    const response = await fetch(formatMcpUrl(endpoint), CALL);
    const text = await response.text();

    // With 401 a client would try to sign in at this machine.
    expect(response.status).toBe(200);
    expect(JSON.parse(text)).toMatchObject({
      id: 7,
      error: { message: expect.stringContaining("thv auth login web"), data: { code: "UNAUTHENTICATED" } },
    });
    expect(text + JSON.stringify([...response.headers])).not.toMatch(/MARK|REMOTE/);
    expect(outcomes).toEqual(["UNAUTHENTICATED"]);
  });

  test("a redirect within the server is followed, and one to elsewhere is not", async () => {
    let strayed = 0;
    await using other = await startHttpServer((_request, response) => {
      strayed += 1;
      response.end();
    });
    await using server = await startHttpServer((request, response) => {
      if (request.url === "/mcp/") void answerMcp(request, response);
      else response.writeHead(308, { location: request.url === "/mcp" ? "/mcp/" : formatUrl(other) }).end();
    });
    await using within = await openRemote(formatUrl(server));
    await using outside = await openRemote(formatUrl(server, "/away"));

    expect(await (await fetch(formatMcpUrl(within), CALL)).json()).toMatchObject({ id: 7, result: {} });
    const refused = await fetch(formatMcpUrl(outside), CALL);

    expect(refused.status).toBe(502);
    expect(refused.headers.get("location")).toBeNull();
    expect(await refused.json()).toMatchObject({
      id: 7,
      error: { message: expect.stringContaining(formatUrl(other)) },
    });
    expect(strayed).toBe(0);
  });

  test("policies bind callers of a remote server as of any other", async () => {
    const methods: string[] = [];
    await using server = await startMcpHttpServer("streamable-http", (method) => {
      methods.push(method);
      return "{}";
    });
    const policies = ['permit(principal, action, resource == Tool::"add");'];
    const access = { authz_config: { version: "1.0", type: "cedarv1", cedar: { policies } } } as const;
    await using endpoint = await openRemote(formatUrl(server), {}, { access });
    const call = async (name: string) =>
      (
        await fetch(formatMcpUrl(endpoint), {
          ...CALL,
          body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: {} } }),
        })
      ).status;

    expect([await call("add"), await call("remove")]).toEqual([200, 403]);
    expect(methods).toEqual(["tools/call"]);
    expect(endpoint.recentCalls?.map(({ target, outcome }) => [target, outcome])).toEqual([
      ["remove", "denied"],
      ["add", "success"],
    ]);
  });

  test("over HTTP with SSE clients post only to the address that the server gave them", async () => {
    await using server = await startMcpHttpServer("sse", () => "{}");
    await using endpoint = await openRemote(formatUrl(server, "/sse"), {}, { transport: "sse" });
    const base = `http://127.0.0.1:${endpoint.port}`;
    const leave = new AbortController();
    const stream = await fetch(`${base}/sse`, { signal: leave.signal });
    const reader = stream.body?.getReader();
    const first = new TextDecoder().decode((await reader?.read())?.value);
    const [, address = ""] = /data: (\S+)/.exec(first) ?? [];

    const allowed = await fetch(new URL(address, base), CALL);
    const other = await fetch(`${base}/messages?sessionId=other`, CALL);

    expect([allowed.status, other.status]).toEqual([202, 404]);
    leave.abort();
    await reader?.cancel().catch(() => undefined);
  });
});

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

describe("a client gets as it was sent", () => {
  const html = { "content-type": "text/html" };
  test.each<[string, string, number, Record<string, string>, string]>([
    ["a GET that is answered with 405 and nothing", "GET", 405, { allow: "POST" }, ""],
    ["a GET that is answered with 405 and a text", "GET", 405, { "content-type": "text/plain" }, "no"],
    ["a GET that is answered with 404 and a page", "GET", 404, html, "<html>"],
    ["a GET that is answered with 501", "GET", 501, {}, ""],
    ["a DELETE that is answered with 200 and a page", "DELETE", 200, html, "<html>"],
    ["a DELETE that is answered with 405", "DELETE", 405, {}, ""],
    ["a DELETE that is answered with 501 and a text", "DELETE", 501, { "content-type": "text/plain" }, "no"],
    [
      "a POST that is answered with 503 and a time",
      "POST",
      503,
      { "retry-after": "7", "content-type": "text/plain" },
      "later",
    ],
    ["a POST that is answered with 429 and a time", "POST", 429, { "retry-after": "7" }, ""],
    ["a POST that is answered with 404 and a page", "POST", 404, html, "<html>"],
    ["a POST that is answered with 500 and a page", "POST", 500, html, "<html>"],
  ])("%s", async (_what, method, status, headers, body) => {
    await using server = await startHttpServer((request, response) => {
      request.resume().once("end", () => response.writeHead(status, headers).end(body));
    });
    const outcomes: unknown[] = [];
    await using endpoint = await openRemote(formatUrl(server), {
      onOutcome: (problem) => void outcomes.push(problem?.code),
    });

    const response = await fetch(
      formatMcpUrl(endpoint),
      method === "POST" ? CALL : { method, headers: { accept: "text/event-stream" } },
    );

    expect([response.status, await response.text()]).toEqual([status, body]);
    expect(Object.fromEntries([...response.headers].filter(([name]) => name in headers))).toEqual(headers);
    expect(outcomes).toHaveLength(method === "POST" ? 1 : 0);
  });
});

describe("the address for messages of HTTP with SSE reaches the client", () => {
  test.each([
    ["after a comment", "/sse", ": hello\n\nevent: endpoint\ndata: /post?sid=1\n\n", "/post?sid=1"],
    ["after a pause to wait", "/sse", "retry: 3000\n\nevent: endpoint\ndata: /post\n\n", "/post"],
    ["in the event of a comment", "/sse", "event: endpoint\n: ok\nretry: 1\ndata: /post\n\n", "/post"],
    ["before its name", "/sse", "data: /post\nevent: endpoint\n\n", "/post"],
    ["absolute", "/sse", ": hello\r\n\r\nevent: endpoint\r\ndata: ORIGIN/post\r\n\r\n", "/post"],
    ["relative below a path", "/api/v1/sse", "event: endpoint\ndata: messages?sid=1\n\n", "/api/v1/messages?sid=1"],
    ["as a query only", "/api/v1/sse", "event: endpoint\ndata: ?sid=1\n\n", "/api/v1/sse?sid=1"],
  ])("%s", async (_what, path, opening, expected) => {
    const posted: (string | undefined)[] = [];
    await using server = await startHttpServer((request, response) => {
      if (request.method === "POST") {
        posted.push(request.url);
        return void response.writeHead(202).end();
      }
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(opening.replace("ORIGIN", formatUrl(server, "")));
    });
    await using endpoint = await openRemote(formatUrl(server, path), {}, { transport: "sse" });
    const base = `http://127.0.0.1:${endpoint.port}/sse`;
    const leave = new AbortController();
    const stream = await fetch(base, { signal: leave.signal });
    const reader = new SseText(stream);

    const address = await reader.readAddress();
    const answer = await fetch(new URL(address, base), CALL);

    expect(new URL(address, base).origin).toBe(new URL(base).origin);
    expect([answer.status, posted]).toEqual([202, [expected]]);
    leave.abort();
  });
});

/** Reads a stream as a client does, until it has the address for messages. */
class SseText {
  readonly #stream: Response;

  constructor(stream: Response) {
    this.#stream = stream;
  }

  async readAddress(): Promise<string> {
    const reader = this.#stream.body?.getReader();
    let text = "";
    for (let chunk = await reader?.read(); chunk?.value !== undefined; chunk = await reader?.read()) {
      text += Buffer.from(chunk.value).toString("utf8");
      const address = /^event: endpoint\ndata: (.*)$/m.exec(text.replaceAll("\r", ""))?.[1];
      if (address) return address;
    }
    throw new Error("the stream has ended");
  }
}

type Play = (request: IncomingMessage, response: ServerResponse) => void;

describe("what is wrong with a remote server is told apart:", () => {
  test.each<[string, Play, string, RegExp]>([
    [
      "a web page",
      (_q, r) => void r.writeHead(200, { "content-type": "text/html" }).end("<html>"),
      "SERVER_NOT_READY",
      /web page/,
    ],
    [
      "a wrong path",
      (_q, r) => void r.writeHead(404).end(),
      "SERVER_NOT_READY",
      /not the address of an MCP server.*404/,
    ],
    ["a failure", (_q, r) => void r.writeHead(503).end(), "SERVER_NOT_READY", /fails with status 503/],
    [
      "a redirect",
      (_q, r) => void r.writeHead(302, { location: "https://other.example/login?t=MARK" }).end(),
      "SERVER_NOT_READY",
      /leads elsewhere, to https:\/\/other\.example\/login,/,
    ],
    [
      "no JSON-RPC",
      (_q, r) => void r.writeHead(200, { "content-type": "application/json" }).end("[]"),
      "SERVER_NOT_READY",
      /something else than JSON-RPC/,
    ],
    ["a sign-in", (_q, r) => void r.writeHead(401).end(), "UNAUTHENTICATED", /asks for a sign-in/],
    [
      "a scope",
      (_q, r) => void r.writeHead(403, { "www-authenticate": 'Bearer error="insufficient_scope"' }).end(),
      "UNAUTHENTICATED",
      /more scopes/,
    ],
    ["a forbidden call", (_q, r) => void r.writeHead(403).end(), "SERVER_NOT_READY", /refuses POST with status 403/],
    ["a broken connection", (q) => void q.socket.destroy(), "SERVER_NOT_READY", /broke the connection off/],
  ])("%s", async (_what, play, code, text) => {
    await using server = await startHttpServer(play);
    await using endpoint = await openRemote(formatUrl(server));

    const problem = await findProblem(endpoint);

    expect(problem).toMatchObject({ code, message: expect.stringMatching(text), hint: expect.any(String) });
    expect(problem.message).not.toContain("MARK");
    expect(endpoint.isReady).toBe(false);
  });

  test("a sign-in that is asked for only at the first list", async () => {
    await using server = await startMcpHttpServer("streamable-http", (method) =>
      method === "initialize" ? INITIALIZED : "{}",
    );
    await using gate = await startHttpServer((request, response) => {
      let text = "";
      request.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      request.on("end", () => {
        if (text.includes("tools/list")) return void response.writeHead(401).end();
        void fetch(formatUrl(server), { method: "POST", body: text }).then(async (answer) => {
          response.writeHead(answer.status, { "content-type": "application/json" }).end(await answer.text());
        });
      });
    });
    await using endpoint = await openRemote(formatUrl(gate));

    expect(await findProblem(endpoint)).toMatchObject({ code: "UNAUTHENTICATED", hint: "Sign in: thv auth login web" });
  });

  test("nobody who listens, a host that nobody knows, no TLS, and no answer in time", async () => {
    const gone = await startHttpServer((_request, response) => void response.end());
    await gone[Symbol.asyncDispose]();
    await using silent = await startHttpServer(() => undefined);
    await using down = await openRemote(formatUrl(gone));
    await using unknown = await openRemote("http://nowhere.invalid:80/mcp");
    await using plain = await openRemote(formatUrl(silent).replace("http:", "https:"));
    await using slow = await openRemote(formatUrl(silent));

    expect((await findProblem(down)).message).toMatch(/does not run: nothing answers/);
    expect((await findProblem(unknown)).message).toMatch(/host nowhere\.invalid is not known/);
    expect((await findProblem(slow, AbortSignal.timeout(50))).message).toMatch(/did not answer in time/);
    expect((await findProblem(plain)).message).toMatch(/does not speak TLS|broke the connection off/);
  });
});

describe("a company's proxy", () => {
  const before = { ...process.env };
  afterEach(() => {
    process.env = { ...before };
  });

  test("is used unless NO_PROXY names the server", async () => {
    const tunnels: (string | undefined)[] = [];
    const proxy = createServer();
    proxy.on("connect", (request, socket) => {
      tunnels.push(request.url);
      const [host = "", port = ""] = (request.url ?? "").split(":");
      const tunnel = connect(Number(port), host, () => {
        socket.write("HTTP/1.1 200 OK\r\n\r\n");
        tunnel.pipe(socket).pipe(tunnel);
      });
      socket.on("error", () => tunnel.destroy());
      tunnel.on("error", () => socket.destroy());
    });
    process.env.http_proxy = `http://127.0.0.1:${await listen(proxy)}`;
    await using server = await startHttpServer((request, response) => void answerMcp(request, response));

    await using through = await openRemote(formatUrl(server));
    await through.probe(AbortSignal.timeout(20_000));
    expect(tunnels[0]).toBe(`127.0.0.1:${server.port}`);
    const used = tunnels.length;
    process.env.no_proxy = "127.0.0.1";
    await using past = await openRemote(formatUrl(server));
    await past.probe(AbortSignal.timeout(20_000));

    expect(tunnels).toHaveLength(used);
    await through.close();
    proxy.closeAllConnections();
    proxy.close();
    await once(proxy, "close");
  });
});

describe("a remote server with a certificate of a company", () => {
  test("answers who trusts the company, on connections that are kept", async () => {
    const ports = new Set<number | undefined>();
    await using server = await startHttpsServer((request, response) => {
      ports.add(request.socket.remotePort);
      void answerMcp(request, response);
    });
    await using endpoint = await openRemote(`${server.origin}/mcp`, { ca: TEST_CA });

    for (let call = 0; call < 5; call++) {
      const response = await fetch(formatMcpUrl(endpoint), CALL);
      expect(await response.json()).toMatchObject({ id: 7, result: {} });
    }
    expect(ports.size).toBe(1);
  });

  test.each([
    ["without the company's certificate", { ca: undefined }, "self-signed certificate"],
    ["with the certificate of another one", { ca: OTHER_CA }, "self-signed certificate"],
  ])("is not asked anything %s, which the error says with what to do", async (_what, remote, reason) => {
    await using server = await startHttpsServer((request, response) => void answerMcp(request, response));
    await using endpoint = await openRemote(`${server.origin}/mcp`, {
      ...remote,
      authorization: new FakeAuthorization("REMOTE-token"),
    });

    const { code, message, hint } = await findProblem(endpoint);

    expect(code).toBe("SERVER_NOT_READY");
    expect(message).toContain(reason);
    expect(hint).toContain("thv config set-ca-cert");
    expect(server.requests).toEqual([]);
  });
});
