/** Serves the contract over HTTP: on a TCP port for everyone on this machine, on a private socket for the command line. */

import { once } from "node:events";
import { chmod } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { parse } from "node:querystring";
import { Readable } from "node:stream";
import { describeError, readSystemCode, ThvError, TokenRefused } from "@toolhive/core";
import { BodyFailure, boundConnections, closeGracefully, listen, PROMPT_TIMEOUTS } from "@toolhive/http";
import type { AppFiles } from "../app/app-files.ts";
import { type Handlers, OPERATIONS, SOCKET_OPERATIONS } from "../contract/contract.ts";
import { MAX_BODY_BYTES } from "../contract/parts/limits.ts";
import type { Operation } from "../contract/parts/operation.ts";
import { ROUTES } from "../contract/routes.ts";
import { DOCUMENT_PAGE_POLICY } from "../openapi/document-page.ts";
import { DecodeError, decodeBody } from "./decode-body.ts";
import { sendError, toWireError } from "./error-reply.ts";
import { Exchange } from "./exchange.ts";
import { findForeignBody, findForeignHeader } from "./foreign-request.ts";
import { explainRefusal, type HostGuard } from "./host-guard.ts";
import { Router } from "./router.ts";

/** Milliseconds for a request to arrive completely; answers may take longer. */
const REQUEST_TIMEOUT_MS = 30_000;
const HEADERS_TIMEOUT_MS = 10_000;
/** Milliseconds that an answer may lie unread. */
const SLOW_READER_MS = 30_000;
/** Connections to the port, which anyone on the machine may open. */
const MAX_PORT_CONNECTIONS = 1_024;
/** Connections to the private socket, which only this user can open; a command that waits for a workload keeps one. */
const MAX_SOCKET_CONNECTIONS = 256;
/** Milliseconds that requests in flight get when the server closes. */
const CLOSE_GRACE_MS = 2_000;
/** The desktop application describes itself in these headers of each request. */
const DESKTOP_HEADERS = "X-Client-Type, X-Client-Version, X-Client-Platform, X-Client-Release-Build";
/** Characters of a path in the log. */
const MAX_LOGGED_PATH = 300;

export interface ApiServerOptions {
  readonly handlers: Handlers;
  /** Called for errors that are bugs. */
  readonly onBug: (error: unknown, operation: string) => void;
  /** The document as a page, at `/api/doc`. Default: 404. */
  readonly documentPage?: string | undefined;
  /** The application, for browsers, on the port and on a socket in its place. Default: none. */
  readonly app?: AppFiles | undefined;
  /** Called for each answered request. */
  readonly onRequest?: (entry: AccessLogEntry) => void;
  /** Default: this machine's. */
  readonly platform?: NodeJS.Platform;
}

export interface AccessLogEntry {
  readonly id: string;
  readonly method: string;
  /** Without its query, which may contain text that was pasted by mistake. */
  readonly path: string;
  /** Address of the caller; absent on the private socket. */
  readonly from?: string | undefined;
  readonly status: number;
  readonly ms: number;
}

/** Who may call. */
export interface TokenCheck {
  /** @param authorization The header. @throws {TokenRefused} */
  verify(authorization: string | undefined): Promise<unknown>;
}

interface Caller {
  /** Whether the request arrived over the private socket. */
  readonly isPrivate?: boolean;
  /** Checks its token; where absent, no token is needed. */
  readonly tokens?: TokenCheck | undefined;
}

export class ApiServer {
  readonly #options: ApiServerOptions;
  readonly #router = new Router({ ...OPERATIONS, ...SOCKET_OPERATIONS } as unknown as Record<string, Operation>);
  readonly #servers: Server[] = [];
  #openRequests = 0;

  constructor(options: ApiServerOptions) {
    this.#options = options;
  }

  /** Requests whose answer has not ended; somebody waits for each. */
  get openRequests(): number {
    return this.#openRequests;
  }

  /** Listens on the private socket, which serves everything; the caller has made sure that no other process listens there. */
  async listenOnSocket(path: string): Promise<void> {
    const handle = (request: IncomingMessage, response: ServerResponse) => {
      void this.#answer(new Exchange(request, response), { isPrivate: true });
    };
    await this.#listen(handle, { path, max: MAX_SOCKET_CONNECTIONS });
    await this.#closeToOthers(path);
  }

  /**
   * @param tokens Checks the bearer token of each request but those for `/health`. Default: none is needed.
   * @returns The port.
   * @throws {ThvError} `PORT_IN_USE`.
   */
  async listenOnPort(host: string, port: number, guard: HostGuard, tokens?: TokenCheck): Promise<number> {
    const server = await this.#listen(
      (request, response) => {
        const refusal = explainRefusal(request, guard);
        if (refusal) refuse(response, refusal);
        else if (request.method === "OPTIONS" && request.headers.origin) preflight(request, response);
        else {
          allowOrigin(request, response);
          void this.#answer(new Exchange(request, response), { tokens });
        }
      },
      { host, port },
    );
    const address = server.address();
    return typeof address === "object" && address ? address.port : port;
  }

  /**
   * Listens on a socket or a named pipe in place of a port. Web pages cannot reach one, so that neither Host nor Origin matters;
   * the caller has made sure that no other process listens there.
   *
   * @param tokens As for a port.
   * @throws {ThvError} `INVALID_ARGUMENT` when nothing can listen there.
   */
  async listenOnPath(path: string, tokens?: TokenCheck): Promise<void> {
    const handle = (request: IncomingMessage, response: ServerResponse) => {
      void this.#answer(new Exchange(request, response), { tokens });
    };
    try {
      await this.#listen(handle, { path, max: MAX_PORT_CONNECTIONS });
    } catch (error) {
      throw new ThvError("INVALID_ARGUMENT", `Nothing can listen on ${path}: ${describeError(error)}`, {
        cause: error,
      });
    }
    await this.#closeToOthers(path);
  }

  /** A named pipe of Windows has no mode, and its default access list lets only this user and administrators write. */
  async #closeToOthers(path: string): Promise<void> {
    const { platform = process.platform } = this.#options;
    if (platform !== "win32") await chmod(path, 0o600);
  }

  /** Stops accepting, lets requests in flight end within 2 s, closes. */
  async close(): Promise<void> {
    await Promise.all(this.#servers.map((server) => closeGracefully(server, CLOSE_GRACE_MS)));
  }

  async #answer(exchange: Exchange, { isPrivate = false, tokens }: Caller): Promise<void> {
    const { request, response, path } = exchange;
    response.once("finish", () => {
      this.#options.onRequest?.({
        id: exchange.id,
        method: request.method ?? "",
        path: printable(path),
        ...(request.socket.remoteAddress !== undefined && { from: request.socket.remoteAddress }),
        status: response.statusCode,
        ms: Math.round(exchange.elapsedMs * 10) / 10,
      });
    });
    // The files are the same for everybody, and the page that asks somebody to sign in is one of them.
    if (!isPrivate && this.#serveApp(exchange)) return;
    try {
      if (tokens && !needsNoToken(request)) await tokens.verify(request.headers.authorization);
    } catch (error) {
      refuseToken(exchange, error, this.#options);
      return;
    }
    try {
      await this.#dispatch(exchange, isPrivate);
    } catch (error) {
      this.#sendBadRequest(exchange, error);
    }
  }

  /** @returns Whether the request was for the application. */
  #serveApp(exchange: Exchange): boolean {
    try {
      return this.#options.app?.serve(exchange) === true;
    } catch (error) {
      if (!(error instanceof ThvError)) this.#options.onBug(error, "app");
      const wire = toWireError(error, "app", { errors: {}, decodeError: "" });
      sendError(exchange, { ...wire, ...(wire.hint !== undefined && { lines: [wire.hint] }) });
      return true;
    }
  }

  /** @throws {URIError} for a path that is not percent-encoded; what reading the body fails with. */
  async #dispatch(exchange: Exchange, isPrivate: boolean): Promise<void> {
    const { request, response, path } = exchange;
    const { documentPage, handlers, onBug } = this.#options;
    const found = this.#router.find(request.method ?? "", path);
    if (!found || (found.route.operation.audience === "socket" && !isPrivate)) {
      if (documentPage !== undefined && request.method === "GET" && path === "/api/doc") {
        response.setHeader("Content-Security-Policy", DOCUMENT_PAGE_POLICY);
        response.setHeader("X-Content-Type-Options", "nosniff");
        exchange.send(200, "text/html; charset=utf-8", documentPage);
      } else this.#sendUnknownRoute(exchange);
      return;
    }
    const { id, operation } = found.route;
    // A body that is ignored is read nevertheless, within the same bound: the next request follows it.
    const text = request.method === "GET" ? "" : await exchange.readBody();
    const foreign = findForeignHeader(request.headers) ?? findForeignBody(request.headers, text);
    if (foreign) {
      sendError(exchange, { ...foreign, code: "INVALID_ARGUMENT", lines: [foreign.detail, foreign.hint] });
      return;
    }
    try {
      const body = operation.body ? decodeBody(text, operation.body, operation) : undefined;
      const handle = handlers[id] as (
        input: unknown,
        context: { signal: AbortSignal; isPrivate: boolean; authorization: string | undefined },
      ) => Promise<unknown>;
      const answer = await handle(
        { params: found.params, query: parse(exchange.search), body },
        { signal: exchange.signal, isPrivate, authorization: exchange.authorization },
      );
      await sendAnswer(exchange, operation, answer);
    } catch (error) {
      if (exchange.signal.aborted) return;
      if (!(error instanceof ThvError || error instanceof DecodeError)) onBug(error, id);
      sendError(exchange, toWireError(error, id, operation));
    }
  }

  #sendUnknownRoute(exchange: Exchange): void {
    const { request, response, path } = exchange;
    const methods = this.#router.listMethods(path);
    if (methods.length > 0) {
      response.setHeader("Allow", methods.join(", "));
      exchange.send(405, undefined);
      return;
    }
    const detail = `Nothing is at ${(request.url ?? "").slice(0, 200)}.`;
    const hint = "The operations are listed at /api/openapi.json.";
    sendError(exchange, { status: 404, text: "404 page not found", detail, code: "INVALID_ARGUMENT", hint });
  }

  #sendBadRequest(exchange: Exchange, error: unknown): void {
    const isTooLarge = error instanceof BodyFailure && error.problem === "too-large";
    const isExpected = error instanceof BodyFailure || error instanceof URIError;
    if (!isExpected) this.#options.onBug(error, exchange.path);
    const text = isTooLarge ? `Request body is too large (at most ${MAX_BODY_BYTES} bytes)` : "Bad request";
    // The rest of the body may follow, and would be taken for the next request.
    if (isTooLarge && !exchange.response.headersSent) exchange.response.setHeader("Connection", "close");
    const detail = isTooLarge ? "Request body is too large" : describeError(error);
    sendError(exchange, { status: isTooLarge ? 413 : 400, text, detail, code: "INVALID_ARGUMENT" });
  }

  async #listen(
    handle: (request: IncomingMessage, response: ServerResponse) => void,
    where: { path: string; max: number } | { host: string; port: number },
  ): Promise<Server> {
    const timeouts = { requestTimeout: REQUEST_TIMEOUT_MS, headersTimeout: HEADERS_TIMEOUT_MS, ...PROMPT_TIMEOUTS };
    const server = createServer(timeouts, (request, response) => {
      this.#openRequests += 1;
      response.once("close", () => {
        this.#openRequests -= 1;
      });
      handle(request, response);
    });
    const max = "port" in where ? MAX_PORT_CONNECTIONS : where.max;
    // The command line has to get through when everybody else has used up the rest.
    const isShared = max !== MAX_SOCKET_CONNECTIONS;
    boundConnections(server, { max, slowReaderMs: SLOW_READER_MS, isShared });
    if ("port" in where) {
      await listen(server, where).catch((error: unknown) => {
        throw portError(error, where.host, where.port);
      });
    } else {
      server.listen({ path: where.path });
      await once(server, "listening");
    }
    this.#servers.push(server);
    return server;
  }
}

async function* writeLines(items: AsyncIterable<unknown>): AsyncGenerator<string> {
  for await (const item of items) yield `${JSON.stringify(item)}\n`;
}

async function sendAnswer(exchange: Exchange, { success }: Operation, answer: unknown): Promise<void> {
  const { status, contentType } = success;
  switch (contentType) {
    case "application/json":
      exchange.send(status, contentType, `${JSON.stringify(answer)}\n`);
      return;
    case "application/x-ndjson":
      await exchange.stream(status, contentType, writeLines(answer as AsyncIterable<unknown>));
      return;
    case "text/plain":
      if (answer instanceof Readable) await exchange.stream(status, contentType, answer);
      else exchange.send(status, contentType, String(answer));
      return;
    default:
      // The reference presets this header on every path below /api/, also on empty answers.
      exchange.send(status, exchange.path.startsWith("/api/") ? "application/json" : undefined);
  }
}

/** Programs that monitor the server have no token, and the answer only says that it works; a browser that signs in gets one. */
function needsNoToken({ url = "", method }: IncomingMessage): boolean {
  return /^\/health\/?(?:\?|$)/.test(url) || (method === "POST" && url === ROUTES.createAppSession.path);
}

function refuseToken(exchange: Exchange, error: unknown, { onBug }: ApiServerOptions): void {
  if (error instanceof TokenRefused) exchange.response.setHeader("WWW-Authenticate", error.challenge);
  if (error instanceof ThvError) {
    const { status, message, code, hint } = error;
    sendError(exchange, { status, text: message, detail: message, code, hint });
    return;
  }
  onBug(error, "authentication");
  const text = "Internal server error";
  sendError(exchange, { status: 500, text, detail: "An unexpected error was logged.", code: "INTERNAL" });
}

/** A path is the caller's text: in a log it must neither end the line nor fill the disk. */
function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}]+/gu, " ").slice(0, MAX_LOGGED_PATH);
}

function refuse(response: ServerResponse, reason: string): void {
  response.writeHead(403, { "Content-Type": "text/plain; charset=utf-8", "X-Content-Type-Options": "nosniff" });
  response.end(`${reason}\n`);
}

function allowOrigin(request: IncomingMessage, response: ServerResponse): void {
  const { origin } = request.headers;
  response.setHeader("Vary", "Origin");
  if (!origin) return;
  response.setHeader("Access-Control-Allow-Origin", origin);
  response.setHeader("Access-Control-Expose-Headers", "WWW-Authenticate");
}

function preflight(request: IncomingMessage, response: ServerResponse): void {
  allowOrigin(request, response);
  response.writeHead(204, {
    "Access-Control-Allow-Methods": "GET, POST, PUT, DELETE",
    "Access-Control-Allow-Headers": `Content-Type, Accept, Authorization, ${DESKTOP_HEADERS}`,
    "Access-Control-Max-Age": "600",
    ...(request.headers["access-control-request-private-network"] && {
      "Access-Control-Allow-Private-Network": "true",
    }),
  });
  response.end();
}

function portError(error: unknown, host: string, port: number): unknown {
  switch (readSystemCode(error)) {
    case "EADDRINUSE":
      return new ThvError("PORT_IN_USE", `Port ${port} on ${host} is in use.`, { cause: error });
    case "EACCES":
      return new ThvError("PORT_IN_USE", `Port ${port} on ${host} requires more privileges than this user has.`, {
        hint: "Choose a port above 1023 with --port.",
        cause: error,
      });
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return new ThvError("INVALID_ARGUMENT", `"${host}" is not an address of this machine.`, {
        hint: "Use --host 127.0.0.1.",
        cause: error,
      });
    default:
      return error;
  }
}
