/**
 * `serve-fixture session|modern stdio|sse|streamable-http [PORT]`: starts a fixture server, on stdio or on HTTP, at `/sse`
 * or `/mcp`. It listens on loopback, or on `MCP_HOST`, which makes a server in a container reachable.
 */
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { SSEServerTransport } from "@modelcontextprotocol/sdk/server/sse.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import {
  createMcpHandler,
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  originValidationResponse,
} from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { createModernFixture } from "./modern-fixture.mjs";
import { createSessionFixture } from "./session-fixture.mjs";

const [revision = "session", transport = "stdio", port = "0"] = process.argv.slice(2);

const host = process.env.MCP_HOST ?? "127.0.0.1";

if (transport === "sse") serveSse();
else if (transport === "streamable-http") serveHttp(revision === "modern" ? modernHandler() : sessionHandler());
else if (revision === "modern") serveStdio(() => createModernFixture(), { legacy: "reject" });
else await createSessionFixture().connect(new StdioServerTransport());

function modernHandler() {
  // Older clients are refused, so that what is tested is this revision on both sides of the endpoint.
  const handler = createMcpHandler(() => createModernFixture(handler.notify), { legacy: "reject" });
  return handler.fetch;
}

/** One server for each session, as the SDK's examples have it. */
function sessionHandler() {
  /** @type {Map<string, WebStandardStreamableHTTPServerTransport>} */
  const sessions = new Map();
  return async (/** @type {Request} */ request) => {
    const id = request.headers.get("mcp-session-id");
    const known = sessions.get(id ?? "");
    if (id !== null && known === undefined) return new Response("The session is over.", { status: 404 });
    if (known !== undefined) return await known.handleRequest(request);
    const opened = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (created) => void sessions.set(created, opened),
      onsessionclosed: (closed) => void sessions.delete(closed),
    });
    await createSessionFixture().connect(opened);
    return await opened.handleRequest(request);
  };
}

/** @param {(request: Request) => Promise<Response>} handle */
function serveHttp(handle) {
  const server = createServer(async (incoming, outgoing) => {
    const gone = new AbortController();
    outgoing.on("close", () => gone.abort());
    const { method = "GET", url = "/", headers } = incoming;
    const request = new Request(new URL(url, `http://${headers.host ?? "localhost"}`), {
      method,
      headers: Object.entries(headers).flatMap(([name, value]) => [value ?? []].flat().map((one) => [name, one])),
      signal: gone.signal,
      ...(method === "POST" && { body: Readable.toWeb(incoming), duplex: "half" }),
    });
    const response =
      hostHeaderValidationResponse(request, localhostAllowedHostnames()) ??
      originValidationResponse(request, localhostAllowedOrigins()) ??
      (await handle(request));
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    outgoing.flushHeaders();
    if (response.body === null) outgoing.end();
    // A client that leaves a stream ends it; that is no failure of the fixture.
    else await pipeline(Readable.fromWeb(response.body), outgoing).catch(() => gone.abort());
  });
  server.listen(Number(port), host);
}

/** HTTP with SSE, for revisions with sessions: one server for each stream. */
function serveSse() {
  /** @type {Map<string, SSEServerTransport>} */
  const streams = new Map();
  const server = createServer(async (incoming, outgoing) => {
    const { pathname, searchParams } = new URL(incoming.url ?? "/", "http://localhost");
    if (incoming.method === "GET" && pathname === "/sse") {
      const opened = new SSEServerTransport("/messages", outgoing);
      streams.set(opened.sessionId, opened);
      opened.onclose = () => streams.delete(opened.sessionId);
      await createSessionFixture().connect(opened);
      return;
    }
    const known = streams.get(searchParams.get("sessionId") ?? "");
    if (incoming.method === "POST" && known !== undefined) await known.handlePostMessage(incoming, outgoing);
    else outgoing.writeHead(404).end();
  });
  server.listen(Number(port), host);
}
