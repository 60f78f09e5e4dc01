/**
 * The HTTP listener that every endpoint has: bounds, Host and Origin checks, CORS for pages that may call it,
 * authentication, errors as JSON-RPC, and a graceful close.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { CallGate, Logger, McpEndpointOptions } from "@toolhive/core";
import { describeError, readSystemCode, ThvError } from "@toolhive/core/errors";
import { boundConnections, closeGracefully, formatUrlHost, listen, PROMPT_TIMEOUTS } from "@toolhive/http";
import { type Caller, UNAUTHENTICATED_CALLER } from "../messages/caller.ts";
import { RPC_ERRORS } from "../messages/json-rpc.ts";
import type { Limits } from "../options/limits.ts";
import type { Access } from "./access.ts";
import { isHostAllowed, isOriginAllowed } from "./host-guard.ts";
import { HttpRefusal, readHeader, sendEmpty, sendRefusal } from "./http-exchange.ts";

export interface ListenerOptions
  extends Pick<McpEndpointOptions, "name" | "host" | "port" | "allowedHosts" | "allowedOrigins"> {
  /** Checks every request before it is handled. Default: none. */
  readonly access: Access | undefined;
  /** Entered by every admitted request but those for `/health`. Default: none. */
  readonly gate?: CallGate | undefined;
  readonly limits: Limits;
  readonly log: Logger;
  /**
   * Answers a request whose Host and Origin are right and whose caller is known. A refusal may be thrown at once or later.
   *
   * @param path Without the query.
   */
  readonly handle: Handle;
}

export type Handle = (
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  caller: Caller,
) => Promise<void> | undefined;

export interface Listener {
  readonly port: number;
  /** Takes the place of the gate that it was opened with. */
  guard(gate: CallGate | undefined): void;
  /** From now on each answer ends its connection. */
  leave(): void;
  /**
   * Stops accepting, then closes what is open, and the observer of its access last.
   *
   * @param finish Called in between, to send the last answers.
   * @param release Called when every connection is closed.
   */
  close(finish: () => void, release?: () => void): Promise<void>;
}

/** Characters of a foreign Origin that are repeated. */
const MAX_SHOWN = 100;

/** Milliseconds for the last answers to be sent before connections are cut. */
const CLOSE_GRACE_MS = 500;

const PREFLIGHT_HEADERS = {
  "access-control-allow-methods": "GET, POST, DELETE, OPTIONS",
  "access-control-allow-headers":
    "content-type, accept, authorization, last-event-id, mcp-session-id, mcp-protocol-version, mcp-method, mcp-name",
  "access-control-max-age": "600",
};

/** @throws {ThvError} `PORT_IN_USE`, `INVALID_ARGUMENT` when the address is not one of this machine. */
export async function openListener(options: ListenerOptions): Promise<Listener> {
  const { limits, log, host, allowedHosts, allowedOrigins, access } = options;
  let { gate } = options;
  const handle: Handle = (request, response, path, caller) => {
    const wait = path === "/health" ? undefined : gate?.enter(response);
    const answer = () => options.handle(request, response, path, caller);
    return wait === undefined ? answer() : wait.then(answer);
  };
  let port = options.port;

  const route = (request: IncomingMessage, response: ServerResponse): Promise<void> | undefined => {
    const hostHeader = readHeader(request, "host");
    if (!isHostAllowed(hostHeader, { host, port, allowedHosts })) {
      throw new HttpRefusal(403, RPC_ERRORS.INVALID_REQUEST, "The Host header does not name this endpoint.");
    }
    const origin = readHeader(request, "origin");
    if (!isOriginAllowed(origin, hostHeader, allowedOrigins)) {
      const shown = JSON.stringify(origin?.slice(0, MAX_SHOWN));
      const reason = `The Origin ${shown} may not call this endpoint: it is not its own, and no --allowed-origin names it.`;
      throw new HttpRefusal(403, RPC_ERRORS.INVALID_REQUEST, reason);
    }
    if (origin !== undefined) allowOrigin(response, origin);
    if (request.method === "OPTIONS" && origin !== undefined) {
      sendEmpty(response, 204, PREFLIGHT_HEADERS);
      return undefined;
    }
    const path = readPath(request.url ?? "/");
    if (access === undefined) return handle(request, response, path, UNAUTHENTICATED_CALLER);
    return access
      .admit(request, response, path)
      .then((caller) => (caller === undefined ? undefined : handle(request, response, path, caller)));
  };
  const { receiveMs, headersMs, idleConnectionMs, maxConnections, slowReaderMs } = limits;
  const timeouts = { requestTimeout: receiveMs, headersTimeout: headersMs, keepAliveTimeout: idleConnectionMs };
  let isLeaving = false;
  const server = createServer({ ...timeouts, ...PROMPT_TIMEOUTS }, (request, response) => {
    if (isLeaving) response.shouldKeepAlive = false;
    try {
      route(request, response)?.catch((error: unknown) => refuse(error, request, response, log));
    } catch (error) {
      refuse(error, request, response, log);
    }
  });
  boundConnections(server, {
    max: maxConnections,
    slowReaderMs,
    onSlowReader: (unreadBytes) => log.info({ workload: options.name, unreadBytes }, "slow reader dropped"),
  });
  try {
    port = await listenOrExplain(server, options);
  } catch (error) {
    await access?.observer?.close?.();
    throw error;
  }
  log.info({ workload: options.name, port }, "proxy listening");

  return {
    get port() {
      return port;
    },
    guard: (next) => {
      gate = next;
    },
    leave: () => {
      isLeaving = true;
    },
    close: async (finish, release) => {
      await closeGracefully(server, CLOSE_GRACE_MS, finish);
      release?.();
      await access?.observer?.close?.();
    },
  };
}

/** Answers a request that was not handled. */
function refuse(error: unknown, request: IncomingMessage, response: ServerResponse, log: Logger): void {
  if (error instanceof HttpRefusal) {
    sendRefusal(request, response, error);
    return;
  }
  if (error instanceof ThvError) {
    // A gate throws it: the server does not run, and the error says why.
    const message = [error.message, error.hint].filter(Boolean).join(" ");
    const headers = { "retry-after": "5" };
    sendRefusal(request, response, new HttpRefusal(503, RPC_ERRORS.SERVER_UNAVAILABLE, message, { headers }));
    return;
  }
  log.warn({ error, url: request.url }, "request failed");
  sendRefusal(request, response, new HttpRefusal(500, RPC_ERRORS.INTERNAL, "The endpoint failed."));
}

function readPath(url: string): string {
  const query = url.indexOf("?");
  return query < 0 ? url : url.slice(0, query);
}

/** The origin was checked: the page may read the answers. */
function allowOrigin(response: ServerResponse, origin: string): void {
  response.setHeader("access-control-allow-origin", origin);
  response.setHeader("access-control-expose-headers", "mcp-session-id, mcp-protocol-version, www-authenticate");
  response.setHeader("vary", "origin");
}

async function listenOrExplain(
  server: Server,
  { host, port, name }: Pick<McpEndpointOptions, "host" | "port" | "name">,
): Promise<number> {
  try {
    return await listen(server, { host, port });
  } catch (cause) {
    if (readSystemCode(cause) !== "EADDRINUSE") {
      throw new ThvError(
        "INVALID_ARGUMENT",
        `Cannot listen on ${formatUrlHost(host)}:${port}: ${describeError(cause)}`,
        { cause },
      );
    }
    const hint = `Free port ${port}, or choose another one for "${name}".`;
    throw new ThvError("PORT_IN_USE", `Port ${port} on ${host} is already in use.`, { hint, cause });
  }
}
