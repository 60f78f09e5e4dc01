/** The endpoint of a server that runs elsewhere, which a server on loopback plays. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { connect } from "node:net";
import { ThvError } from "@toolhive/core/errors";
import { startHttpsServer, TEST_CA } from "@toolhive/core/testing";
import { listen } from "@toolhive/http";
import { afterEach, describe, expect, test } from "vitest";
import { startMcpHttpServer } from "../testing/mcp-http-server.ts";
import { startHttpServer } from "../testing/raw-http-server.ts";
import {
  CALL,
  FakeAuthorization,
  findProblem,
  formatMcpUrl,
  formatUrl,
  INITIALIZED,
  openRemote,
  TOOLS,
} from "../testing/remote-endpoint.ts";

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
