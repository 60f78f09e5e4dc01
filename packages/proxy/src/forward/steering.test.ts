/** A server that tries to lead its clients elsewhere: nothing of its answers that could do so leaves the endpoint. */

import { once } from "node:events";
import { request as requestHttp } from "node:http";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { type RawHttpServer, startHttpServer } from "../testing/raw-http-server.ts";
import { HttpEndpoint, type HttpEndpointOptions } from "./http-endpoint.ts";

const OPTIONS = { name: "hostile", host: "127.0.0.1", port: 0, transport: "streamable-http" } as const;
const REPLY = '{"jsonrpc":"2.0","id":7,"result":{}}';
const BODY = '{"jsonrpc":"2.0","id":7,"method":"ping"}';
const CALL = { method: "POST", headers: { "content-type": "application/json" }, body: BODY };

async function open(port: number, options: Partial<HttpEndpointOptions> = {}): Promise<HttpEndpoint> {
  const endpoint = await HttpEndpoint.open({ ...OPTIONS, ...options });
  endpoint.connect({ host: "127.0.0.1", port });
  return endpoint;
}

/** Answers each request with the same bytes, whatever they are. */
async function startRawServer(answer: string): Promise<{ readonly port: number } & AsyncDisposable> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.once("data", () => socket.end(answer, "latin1"));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

/** Counts what reaches another program of this machine. */
async function startBystander(): Promise<RawHttpServer & { readonly requests: string[] }> {
  const requests: string[] = [];
  const server = await startHttpServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    response.end();
  });
  return Object.assign(server, { requests });
}

/** Sends a request and follows nothing. */
async function send(endpoint: HttpEndpoint, path: string, init: RequestInit = CALL): Promise<Response> {
  return await fetch(`http://127.0.0.1:${endpoint.port}${path}`, { redirect: "manual", ...init });
}

const STEERING_HEADERS = [
  ["location", "http://127.0.0.1:8080/api/v1beta/workloads/other"],
  ["content-location", "http://127.0.0.1:8080/"],
  ["refresh", "0; url=http://127.0.0.1:8080/"],
  ["alt-svc", 'h2="127.0.0.1:8080"; ma=86400; persist=1'],
  ["set-cookie", "session=1; Path=/"],
  ["link", '<http://127.0.0.1:8080/>; rel="preconnect"'],
  ["clear-site-data", '"*"'],
  ["service-worker-allowed", "/"],
  ["strict-transport-security", "max-age=1"],
  ["report-to", '{"group":"x","max_age":1,"endpoints":[{"url":"http://127.0.0.1:8080/"}]}'],
  ["reporting-endpoints", 'x="http://127.0.0.1:8080/"'],
  ["nel", '{"report_to":"x","max_age":1}'],
  ["access-control-allow-origin", "*"],
  ["access-control-allow-private-network", "true"],
  ["content-security-policy-report-only", "default-src 'self'; report-uri http://127.0.0.1:8080/"],
  ["sourcemap", "http://127.0.0.1:8080/"],
  ["x-accel-redirect", "/api/"],
  ["authentication-info", 'nextnonce="x"'],
  ["proxy-authenticate", "Basic realm=x"],
  ["www-authenticate-extra", "x"],
  ["content-disposition", "attachment; filename=run.sh"],
  ["origin-agent-cluster", "?0"],
  ["x-own", "1"],
] as const;

describe("headers of a local server's answer", () => {
  test.each([200, 201, 400, 401])("with status %i reach a client only if MCP needs them", async (status) => {
    await using server = await startHttpServer((_request, response) => {
      response.writeHead(status, {
        ...Object.fromEntries(STEERING_HEADERS),
        "content-type": "application/json",
        "mcp-session-id": "s",
        "retry-after": "1",
        "www-authenticate": 'Bearer scope="x"',
      });
      response.end(REPLY);
    });
    await using endpoint = await open(server.port);

    const answer = await send(endpoint, "/mcp");

    expect(answer.status).toBe(status);
    expect([...answer.headers.keys()].sort()).toEqual(
      [
        "connection",
        "content-length",
        "content-type",
        "date",
        "keep-alive",
        "mcp-session-id",
        "retry-after",
        "transfer-encoding",
        "www-authenticate",
      ].filter((name) => answer.headers.has(name)),
    );
    expect(answer.headers.get("mcp-session-id")).toBe("s");
    expect(await answer.text()).toBe(REPLY);
  });

  test("do not pass as a hint before the answer, or as a trailer after it", async () => {
    const early = `HTTP/1.1 103 Early Hints\r\nLink: <http://127.0.0.1:8080/>; rel=preload\r\n\r\n`;
    const head = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTrailer: Location\r\nTransfer-Encoding: chunked\r\n\r\n`;
    const body = `${REPLY.length.toString(16)}\r\n${REPLY}\r\n0\r\nLocation: http://127.0.0.1:8080/\r\n\r\n`;
    await using server = await startRawServer(early + head + body);
    await using endpoint = await open(server.port);

    const outgoing = requestHttp({
      port: endpoint.port,
      host: "127.0.0.1",
      path: "/mcp",
      method: "POST",
      agent: false,
    });
    const hints: unknown[] = [];
    outgoing.on("information", (information) => hints.push(information));
    outgoing.end(BODY);
    const [answer] = await once(outgoing, "response");
    let text = "";
    for await (const chunk of answer.setEncoding("utf8")) text += chunk;

    expect([answer.statusCode, text, hints, answer.trailers]).toEqual([200, REPLY, [], {}]);
  });
});

describe("a redirect of a local server", () => {
  const METHODS = ["POST", "DELETE", "GET"];
  test.each([300, 301, 302, 303, 305, 306, 307, 308, 310, 399])(
    "with status %i never reaches a client",
    async (status) => {
      await using bystander = await startBystander();
      await using server = await startHttpServer((_request, response) => {
        response.writeHead(status, { location: `http://127.0.0.1:${bystander.port}/stop` }).end();
      });
      await using endpoint = await open(server.port);

      for (const method of METHODS) {
        const answer = await send(endpoint, "/mcp", method === "POST" ? CALL : { method });
        const { error } = (await answer.json()) as { error: { message: string } };

        expect([answer.status, answer.headers.get("location")]).toEqual([502, null]);
        expect(error.message).toContain(`the redirect ${status} to http://127.0.0.1:${bystander.port}/stop`);
        expect(error.message).toContain("answers at /mcp itself");
      }
      expect(bystander.requests).toEqual([]);
    },
  );

  test.each([
    ["another port", (port: number) => `http://127.0.0.1:${port}/x`],
    ["another name of this machine", (port: number) => `http://localhost:${port}/x`],
    ["no scheme", (port: number) => `//127.0.0.1:${port}/x`],
    ["backslashes", (port: number) => `\\\\127.0.0.1:${port}\\x`],
    ["a slash and a backslash", (port: number) => `/\\127.0.0.1:${port}/x`],
    ["this endpoint's name as a user", (port: number) => `http://127.0.0.1@127.0.0.1:${port}/x`],
    ["a tab in the scheme", (port: number) => `ht\ttp://127.0.0.1:${port}/x`],
    ["another scheme", () => "file:///etc/passwd"],
    ["a script", () => "javascript:alert(1)"],
    ["nothing", () => ""],
  ])("to %s is not followed", async (_where, locate) => {
    await using bystander = await startBystander();
    await using server = await startHttpServer((_request, response) => {
      response.writeHead(307, { location: locate(bystander.port) }).end();
    });
    await using endpoint = await open(server.port);

    expect((await send(endpoint, "/mcp")).status).toBe(502);
    expect(bystander.requests).toEqual([]);
  });

  test.each([
    ["by its path", () => "/mcp/"],
    ["by a path that is relative", () => "mcp/"],
    ["under the endpoint's own name", (own: string) => `${own}/mcp/`],
    ["under its own address", (_own: string, port: number) => `http://127.0.0.1:${port}/mcp/`],
  ])("within the server, %s, is followed with the same method and body", async (_how, locate) => {
    const seen: string[] = [];
    let own = "";
    await using server = await startHttpServer((request, response) => {
      let body = "";
      request.on("data", (chunk) => (body += chunk));
      request.on("end", () => {
        if (request.url === "/") return response.end();
        seen.push(`${request.method} ${request.url} ${request.headers["content-length"]} ${body}`);
        if (request.url === "/mcp") return response.writeHead(307, { location: locate(own, server.port) }).end();
        return response.writeHead(200, { "content-type": "application/json" }).end(REPLY);
      });
    });
    await using endpoint = await open(server.port);
    own = `http://127.0.0.1:${endpoint.port}`;

    const answer = await send(endpoint, "/mcp");

    expect([answer.status, await answer.text()]).toEqual([200, REPLY]);
    expect(seen).toEqual([`POST /mcp ${BODY.length} ${BODY}`, `POST /mcp/ ${BODY.length} ${BODY}`]);
  });

  test("that comes before the server has read the body is followed with the whole of it", async () => {
    const received: number[] = [];
    await using server = await startHttpServer((request, response) => {
      if (request.url !== "/mcp/") return response.writeHead(307, { location: "/mcp/" }).end();
      let bytes = 0;
      request.on("data", (chunk: Buffer) => (bytes += chunk.length));
      request.on("end", () => {
        if (request.method === "POST") received.push(bytes);
        response.writeHead(200, { "content-type": "application/json" }).end(REPLY);
      });
      return undefined;
    });
    await using endpoint = await open(server.port);
    const body = JSON.stringify({ jsonrpc: "2.0", id: 7, method: "ping", params: { x: "x".repeat(600_000) } });

    expect((await send(endpoint, "/mcp", { ...CALL, body })).status).toBe(200);
    expect(received).toEqual([body.length]);
  });

  test("with a body of more than a mebibyte is refused", async () => {
    await using server = await startHttpServer((request, response) => {
      request.resume().on("end", () => response.writeHead(307, { location: "/mcp/" }).end());
    });
    await using endpoint = await open(server.port);
    const body = JSON.stringify({ jsonrpc: "2.0", id: 7, method: "ping", params: { x: "x".repeat(2_000_000) } });

    const answer = await send(endpoint, "/mcp", { ...CALL, body });

    expect([answer.status, await answer.text()]).toEqual([502, expect.stringContaining("more than 1048576 bytes")]);
  });

  test("in a circle is followed three times", async () => {
    const seen: string[] = [];
    await using server = await startHttpServer((request, response) => {
      if (request.url !== "/") seen.push(request.url ?? "");
      response.writeHead(308, { location: request.url === "/mcp" ? "/mcp/" : "/mcp" }).end();
    });
    await using endpoint = await open(server.port);

    const answer = await send(endpoint, "/mcp");

    expect([answer.status, await answer.text()]).toEqual([502, expect.stringContaining("after 3 others")]);
    expect(seen).toEqual(["/mcp", "/mcp/", "/mcp", "/mcp/"]);
  });
});

describe("an answer that is hardly one", () => {
  test.each([
    ["switches protocols", "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n"],
    ["has the status 099", "HTTP/1.1 099 X\r\nContent-Length: 0\r\n\r\n"],
    ["has the status 000", "HTTP/1.1 000 X\r\nContent-Length: 0\r\n\r\n"],
    ["has a control character in a header", "HTTP/1.1 200 OK\r\nMcp-Session-Id: a\x01b\r\nContent-Length: 0\r\n\r\n"],
    ["has a bare line feed in a header", "HTTP/1.1 200 OK\r\nMcp-Session-Id: a\nLocation: /x\r\n\r\n"],
    ["is of HTTP/2", "HTTP/2 307 X\r\nLocation: http://127.0.0.1:8080/\r\n\r\n"],
    ["ends in its head", "HTTP/1.1 307 X\r\nLocation: http://127.0.0.1:8080/\r\n"],
  ])("and %s becomes an error, or an answer without a way out", async (_what, bytes) => {
    await using server = await startRawServer(bytes);
    await using endpoint = await open(server.port);

    const answer = await send(endpoint, "/mcp");

    expect([200, 502]).toContain(answer.status);
    expect(answer.headers.get("location")).toBeNull();
    expect((await send(endpoint, "/health", {})).status).toBe(200);
  });
});

describe("what is not of MCP", () => {
  test.each([
    "text/html",
    "text/html; charset=utf-8",
    "application/xhtml+xml",
    "image/svg+xml",
    "text/xml",
    "text/plain",
    "text/javascript",
    "application/json, text/html",
    "text/html, application/json",
    "application/json; a, text/html",
    "application/jsonx",
    "text/event-stream-html",
    "",
  ])("of the type %j is inert in a browser", async (type) => {
    await using server = await startHttpServer((_request, response) => {
      const headers = { "content-security-policy": "default-src *", "x-content-type-options": "off" };
      response.writeHead(200, { ...headers, ...(type && { "content-type": type }) }).end("<script>steal()</script>");
    });
    await using endpoint = await open(server.port);

    const answer = await send(endpoint, "/help", {});

    expect(answer.headers.get("content-security-policy")).toMatch(/^sandbox;/);
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
  });

  test("names the address for posting in no other stream of events either", async () => {
    await using server = await startHttpServer((_request, response) => {
      response.writeHead(200, { "content-type": "Text/Event-Stream; charset=utf-8" });
      response.end("event: endpoint\ndata: http://127.0.0.1:8080/api\n\ndata: {}\n\n");
    });
    await using endpoint = await open(server.port);

    const text = await (await send(endpoint, "/mcp", { headers: { accept: "text/event-stream" } })).text();

    expect(text).toBe(`event: endpoint\ndata: http://127.0.0.1:${endpoint.port}/api\n\ndata: {}\n\n`);
  });

  test("and is compressed although no request permits it, is read as a stream of events", async () => {
    await using server = await startHttpServer((request, response) => {
      response.writeHead(200, { "content-type": "text/event-stream", "content-encoding": "gzip" });
      response.end(gzipSync(`event: endpoint\ndata: http://127.0.0.1:8080/${request.headers["accept-encoding"]}\n\n`));
    });
    await using endpoint = await open(server.port);

    const response = await send(endpoint, "/mcp", { headers: { accept: "text/event-stream" } });

    expect(response.headers.get("content-encoding")).toBeNull();
    expect(await response.text()).toBe(`event: endpoint\ndata: http://127.0.0.1:${endpoint.port}/undefined\n\n`);
  });

  test("and is no stream of events in spite of its coding, breaks off", async () => {
    await using server = await startHttpServer((_request, response) => {
      response.writeHead(200, { "content-type": "text/event-stream", "content-encoding": "gzip" }).end("data: {}\n\n");
    });
    await using endpoint = await open(server.port);

    const response = await send(endpoint, "/mcp", { headers: { accept: "text/event-stream" } });

    await expect(response.text()).rejects.toThrow();
  });
});
