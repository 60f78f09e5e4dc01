/**
 * Opens the MCP endpoint of one workload: the HTTP listener, its routes, and the sweep that applies every deadline.
 */
import { randomInt } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import {
  type McpEndpoint,
  type McpEndpointCounts,
  type McpEndpointOptions,
  systemCodeOf,
  ThvError,
} from "@toolhive/core";
import { Health } from "./health.ts";
import { HttpRefusal, headerOf, sendEmpty, sendJson, sendRefusal } from "./http-exchange.ts";
import { isHostAllowed, isOriginAllowed } from "./http-guard.ts";
import { RPC_ERRORS } from "./json-rpc.ts";
import { DEFAULT_LIMITS, type Limits } from "./limits.ts";
import { type ProxyLog, SILENT_LOG } from "./log.ts";
import { Mux } from "./mux.ts";
import { SseTransport } from "./sse-transport.ts";
import { StreamableHttp } from "./streamable-http.ts";

export interface EndpointOptions extends McpEndpointOptions {
  readonly log?: ProxyLog;
  /** Replaces single bounds. */
  readonly limits?: Partial<Limits>;
}

/** First ids are below this, so that they and many after them fit the 32-bit integers some servers use. */
const FIRST_ID_RANGE = 2 ** 30;

/** @throws {ThvError} `PORT_IN_USE`, `INVALID_ARGUMENT` when the address is not one of this machine. */
export async function openMcpEndpoint(options: EndpointOptions): Promise<McpEndpoint> {
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const log = options.log ?? SILENT_LOG;
  const now = (): number => performance.now();
  const mux = new Mux({ limits, log, now, firstRequestId: randomInt(1, FIRST_ID_RANGE) });
  const sse = new SseTransport({ mux, limits });
  const streamable = new StreamableHttp({ mux, limits, now });
  const counts = (): McpEndpointCounts => ({
    sessions: mux.sessions.size,
    streams: mux.sessions.attached.size,
    pendingRequests: mux.pendingCount,
  });
  const health = new Health({ mux, limits, transport: "stdio", counts, now, date: () => new Date() });
  let port = options.port;

  const route = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const host = headerOf(request, "host");
    if (!isHostAllowed(host, { host: options.host, port })) {
      throw new HttpRefusal(403, RPC_ERRORS.INVALID_REQUEST, "The Host header does not name this endpoint.");
    }
    const origin = headerOf(request, "origin");
    if (!isOriginAllowed(origin, host)) {
      throw new HttpRefusal(
        403,
        RPC_ERRORS.INVALID_REQUEST,
        "The Origin header names a page that may not call this endpoint.",
      );
    }
    if (origin !== undefined) allowOrigin(response, origin);
    if (request.method === "OPTIONS" && origin !== undefined) {
      sendEmpty(response, 204, PREFLIGHT_HEADERS);
      return;
    }
    const path = (request.url ?? "/").split("?", 1)[0];
    if (path === "/mcp") await streamable.handle(request, response);
    else if (path === "/sse") sse.open(request, response);
    else if (path === "/messages") await sse.post(request, response);
    else if (path === "/health") await answerHealth(request, response, health);
    else
      throw new HttpRefusal(404, RPC_ERRORS.INVALID_REQUEST, "Nothing is here. The MCP endpoints are /mcp and /sse.");
  };

  const server = createServer(
    { requestTimeout: limits.receiveMs, headersTimeout: limits.headersMs, keepAliveTimeout: 60_000 },
    (request, response) => {
      route(request, response).catch((error: unknown) => {
        if (error instanceof HttpRefusal) {
          sendRefusal(request, response, error);
          return;
        }
        log.warn({ error, url: request.url }, "request failed");
        sendRefusal(request, response, new HttpRefusal(500, RPC_ERRORS.INTERNAL, "The endpoint failed."));
      });
    },
  );
  server.maxConnections = limits.maxConnections;
  port = await listen(server, options);
  const sweeper = setInterval(() => {
    mux.sweep();
    streamable.sweep(now());
  }, limits.sweepMs);
  log.info({ workload: options.name, port }, "proxy listening");

  const close = async (): Promise<void> => {
    clearInterval(sweeper);
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    mux.close();
    server.closeIdleConnections();
    const forced = setTimeout(() => server.closeAllConnections(), CLOSE_GRACE_MS);
    await closed;
    clearTimeout(forced);
  };

  return {
    get port() {
      return port;
    },
    get counts() {
      return counts();
    },
    get isReady() {
      return mux.hasServerSpoken;
    },
    connect: (connection, connectOptions) => mux.connect(connection, connectOptions),
    disconnect: (reason) => mux.disconnect(reason),
    probe: (signal) => mux.probe(signal),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Milliseconds that last answers have to leave before connections are cut. */
const CLOSE_GRACE_MS = 500;

const PREFLIGHT_HEADERS = {
  "access-control-allow-methods": "GET, POST, DELETE, OPTIONS",
  "access-control-allow-headers":
    "content-type, accept, authorization, last-event-id, mcp-session-id, mcp-protocol-version, mcp-method, mcp-name",
  "access-control-max-age": "600",
};

/** The origin was checked; a page of this machine (an inspector, say) may read the answers. */
function allowOrigin(response: ServerResponse, origin: string): void {
  response.setHeader("access-control-allow-origin", origin);
  response.setHeader("access-control-expose-headers", "mcp-session-id, mcp-protocol-version");
  response.setHeader("vary", "origin");
}

async function answerHealth(request: IncomingMessage, response: ServerResponse, health: Health): Promise<void> {
  if (request.method !== "GET" && request.method !== "HEAD") {
    throw new HttpRefusal(405, RPC_ERRORS.INVALID_REQUEST, "Use GET.", { allow: "GET, HEAD" });
  }
  sendJson(response, 200, Buffer.from(JSON.stringify(await health.read())), { "cache-control": "no-store" });
}

function listen(server: Server, { host, port, name }: McpEndpointOptions): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", (cause) => {
      const code = systemCodeOf(cause);
      if (code === "EADDRINUSE") {
        const hint = `Free port ${port}, or choose another one for "${name}".`;
        reject(new ThvError("PORT_IN_USE", `Port ${port} on ${host} is already in use.`, { hint, cause }));
      } else {
        reject(new ThvError("INVALID_ARGUMENT", `Cannot listen on ${host}:${port}: ${cause.message}`, { cause }));
      }
    });
    server.listen({ host, port }, () => resolve(addressOf(server).port));
  });
}

function addressOf(server: Server): AddressInfo {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the listener has no TCP address");
  return address;
}
