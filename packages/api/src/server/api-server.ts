/** Serves the contract over HTTP: on a TCP port for everyone on this machine, on a private socket for the command line. */

import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { chmod } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { messageOf, systemCodeOf, ThvError, TokenRefused, type TokenVerifier } from "@toolhive/core";
import { boundConnections, PROMPT_TIMEOUTS } from "@toolhive/core/bound-connections";
import { listen } from "@toolhive/core/listen";
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { type Handlers, OPERATION_IDS, OPERATIONS, SOCKET_OPERATIONS } from "../contract/contract.ts";
import { MAX_BODY_BYTES } from "../contract/limits.ts";
import type { Operation } from "../contract/operation.ts";
import { type OperationId, routeOf } from "../contract/routes.ts";
import { DOCUMENT_PAGE_POLICY } from "../openapi/document-page.ts";
import { DecodeError, decodeBody } from "./decode-body.ts";
import { sendError, wireErrorOf } from "./error-reply.ts";
import { type HostGuard, refusalOf } from "./host-guard.ts";

/** Characters of a path segment: the longest name of a secret, each of its bytes percent-encoded. */
const MAX_PARAM_LENGTH = 3 * 1024;
/** Milliseconds for a request to arrive completely; answers may take longer. */
const REQUEST_TIMEOUT_MS = 30_000;
const HEADERS_TIMEOUT_MS = 10_000;
/** Milliseconds that an answer may lie unread. */
const SLOW_READER_MS = 30_000;
/** Connections to the port, which anyone on the machine may open. */
const MAX_PORT_CONNECTIONS = 1_024;
/** Connections to the private socket, which only this user can open; a command that waits for a workload keeps one. */
const MAX_SOCKET_CONNECTIONS = 256;
/** What the desktop application says of itself with each request. */
const DESKTOP_HEADERS = "X-Client-Type, X-Client-Version, X-Client-Platform, X-Client-Release-Build";
/** Characters of a path in the log. */
const MAX_LOGGED_PATH = 300;

export interface ApiServerOptions {
  readonly handlers: Handlers;
  /** Called for errors that are bugs. */
  readonly onBug: (error: unknown, operation: string) => void;
  /** The document as a page, at `/api/doc`. Default: nothing is there. */
  readonly documentPage?: string | undefined;
  /** Called for each answered request. */
  readonly onRequest?: (entry: AccessLogEntry) => void;
}

export interface AccessLogEntry {
  readonly id: string;
  readonly method: string;
  /** Without its query, which may hold what was pasted by mistake. */
  readonly path: string;
  /** Address of the caller; absent on the private socket. */
  readonly from?: string | undefined;
  readonly status: number;
  readonly ms: number;
}

/** Requests that need a token, each with who checks it. Those on the private socket are not among them. */
type GuardedRequests = WeakMap<IncomingMessage, TokenVerifier>;

/** Requests that came over the private socket. */
type PrivateRequests = WeakSet<IncomingMessage>;

const JSON_WITH_CHARSET = /^application\/(?:problem\+)?json;/;

export class ApiServer {
  readonly #app: FastifyInstance;
  readonly #servers: Server[] = [];
  readonly #guarded: GuardedRequests;
  readonly #private: PrivateRequests;
  #openRequests = 0;

  private constructor(app: FastifyInstance, guarded: GuardedRequests, fromSocket: PrivateRequests) {
    this.#app = app;
    this.#guarded = guarded;
    this.#private = fromSocket;
  }

  /** Requests whose answer has not ended; somebody waits for each. */
  get openRequests(): number {
    return this.#openRequests;
  }

  static async create(options: ApiServerOptions): Promise<ApiServer> {
    const app = fastify({
      bodyLimit: MAX_BODY_BYTES,
      exposeHeadRoutes: false,
      logger: false,
      genReqId: () => randomUUID(),
      routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
      frameworkErrors: (error, request, reply) => {
        void sendError(request, reply, {
          status: 400,
          text: "Bad request",
          detail: messageOf(error),
          code: "INVALID_ARGUMENT",
        });
      },
    });
    app.removeAllContentTypeParsers();
    const guarded: GuardedRequests = new WeakMap();
    const fromSocket: PrivateRequests = new WeakSet();
    app.addHook("onRequest", async (request, reply) => {
      // The log has it, too: so a caller can say which request it was.
      reply.header("X-Request-Id", request.id);
      const tokens = guarded.get(request.raw);
      if (!tokens) return;
      try {
        await tokens.verify(request.headers.authorization);
      } catch (error) {
        await refuseToken(request, reply, error, options);
        return reply;
      }
    });
    // Content types are not looked at (api-behaviour 1.4), not even those that are none.
    app.addHook("onRequest", async (request) => {
      request.headers["content-type"] = "application/json";
    });
    app.addContentTypeParser("*", { parseAs: "string" }, (_request, body, done) => done(null, body));
    for (const id of OPERATION_IDS) addRoute(app, id, OPERATIONS[id] as Operation, options);
    for (const [id, operation] of Object.entries(SOCKET_OPERATIONS)) {
      addRoute(app, id as OperationId, operation as Operation, { ...options, fromSocket });
    }
    const { documentPage } = options;
    if (documentPage !== undefined) {
      app.get("/api/doc", async (_request, reply) => {
        reply.header("Content-Security-Policy", DOCUMENT_PAGE_POLICY).header("X-Content-Type-Options", "nosniff");
        return await reply.type("text/html; charset=utf-8").send(documentPage);
      });
    }
    app.setNotFoundHandler(async (request, reply) => {
      await answerUnknownRoute(request, reply);
    });
    app.setErrorHandler(async (error, request, reply) => {
      const tooLarge = systemCodeOf(error) === "FST_ERR_CTP_BODY_TOO_LARGE";
      const hasLeft = systemCodeOf(error) === "ECONNRESET";
      if (!tooLarge && !hasLeft) options.onBug(error, request.url);
      const text = tooLarge ? `Request body is too large (at most ${MAX_BODY_BYTES} bytes)` : "Bad request";
      const status = tooLarge ? 413 : 400;
      await sendError(request, reply, { status, text, detail: messageOf(error), code: "INVALID_ARGUMENT" });
    });
    // JSON has no parameter of that name (RFC 8259, 11), and some clients compare the header as a whole.
    app.addHook("onSend", async (_request, reply) => {
      const type = reply.getHeader("content-type");
      if (typeof type === "string" && JSON_WITH_CHARSET.test(type)) reply.header("content-type", type.split(";", 1)[0]);
    });
    app.addHook("onResponse", async (request, reply) => {
      options.onRequest?.({
        id: request.id,
        method: request.method,
        path: printable(request.url.split("?", 1)[0] ?? ""),
        ...(request.socket.remoteAddress !== undefined && { from: request.socket.remoteAddress }),
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
      });
    });
    await app.ready();
    return new ApiServer(app, guarded, fromSocket);
  }

  /** Listens on the private socket, which serves everything; the caller has made sure that nobody else listens there. */
  async listenOnSocket(path: string): Promise<void> {
    const handle = (request: IncomingMessage, response: ServerResponse) => {
      this.#private.add(request);
      this.#app.routing(request, response);
    };
    await this.#listen(handle, { path, max: MAX_SOCKET_CONNECTIONS });
    await chmod(path, 0o600);
  }

  /**
   * @param tokens Checks the bearer token of each request but those for `/health`. Default: nobody needs one.
   * @returns The port.
   * @throws {ThvError} `PORT_IN_USE`.
   */
  async listenOnPort(host: string, port: number, guard: HostGuard, tokens?: TokenVerifier): Promise<number> {
    const server = await this.#listen(
      (request, response) => {
        const refusal = refusalOf(request, guard);
        if (refusal) refuse(response, refusal);
        else if (request.method === "OPTIONS" && request.headers.origin) preflight(request, response);
        else {
          allowOrigin(request, response);
          if (tokens && !isHealthCheck(request)) this.#guarded.set(request, tokens);
          this.#app.routing(request, response);
        }
      },
      { host, port },
    );
    const address = server.address();
    return typeof address === "object" && address ? address.port : port;
  }

  /**
   * Listens on a socket or a named pipe in place of a port. Web pages cannot reach one, so that neither Host nor Origin
   * matters; the caller has made sure that nobody else listens there.
   *
   * @param tokens As for a port.
   * @throws {ThvError} `INVALID_ARGUMENT` when nothing can listen there.
   */
  async listenOnPath(path: string, tokens?: TokenVerifier): Promise<void> {
    const handle = (request: IncomingMessage, response: ServerResponse) => {
      if (tokens && !isHealthCheck(request)) this.#guarded.set(request, tokens);
      this.#app.routing(request, response);
    };
    try {
      await this.#listen(handle, { path, max: MAX_PORT_CONNECTIONS });
    } catch (error) {
      throw new ThvError("INVALID_ARGUMENT", `Nothing can listen on ${path}: ${messageOf(error)}`, { cause: error });
    }
    if (process.platform !== "win32") await chmod(path, 0o600);
  }

  /** Stops accepting, lets requests in flight end (2 s at most), closes. */
  async close(): Promise<void> {
    await Promise.all(
      this.#servers.map(
        (server) =>
          new Promise<void>((resolve) => {
            server.close(() => resolve());
            server.closeIdleConnections();
            setTimeout(() => server.closeAllConnections(), 2_000).unref();
          }),
      ),
    );
    await this.#app.close();
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

interface RouteOptions extends ApiServerOptions {
  /** Requests that may call it, where not all may. */
  readonly fromSocket?: PrivateRequests;
}

function addRoute(app: FastifyInstance, id: OperationId, operation: Operation, options: RouteOptions): void {
  const { method, path } = routeOf(id);
  const handle = options.handlers[id] as (input: unknown, context: { signal: AbortSignal }) => Promise<unknown>;
  const url = path.replace(/\{(\w+)\}/g, ":$1");
  // Collection roots answer with and without a trailing slash, items do not (api-behaviour 1.3).
  const urls = path.includes("{") ? [url] : [url, `${url}/`];
  for (const each of urls) {
    app.route({
      method,
      url: each,
      handler: async (request, reply) => {
        if (options.fromSocket?.has(request.raw) === false) {
          await answerUnknownRoute(request, reply);
          return reply;
        }
        const gone = new AbortController();
        reply.raw.once("close", () => gone.abort());
        try {
          const input = {
            params: request.params,
            query: request.query,
            body: operation.body ? decodeBody(String(request.body ?? ""), operation.body, operation) : undefined,
          };
          await sendAnswer(reply, operation, await handle(input, { signal: gone.signal }));
        } catch (error) {
          if (gone.signal.aborted) return reply.hijack();
          if (!(error instanceof ThvError || error instanceof DecodeError)) options.onBug(error, id);
          await sendError(request, reply, wireErrorOf(error, id, operation));
        }
        return reply;
      },
    });
  }
}

async function sendAnswer(reply: FastifyReply, { success }: Operation, answer: unknown): Promise<void> {
  reply.code(success.status);
  switch (success.contentType) {
    case "application/json":
      await reply.type("application/json").send(`${JSON.stringify(answer)}\n`);
      return;
    case "application/x-ndjson":
      reply.raw.writeHead(success.status, { "Content-Type": success.contentType }).flushHeaders();
      // One line is read ahead: how a workload was is of no use to a reader that is slow.
      await reply.send(Readable.from(writeLines(answer as AsyncIterable<unknown>), { highWaterMark: 1 }));
      return;
    case "text/plain":
      // A stream may have nothing to say for a long time: whoever waits for it shall know that it has begun.
      if (answer instanceof Readable) {
        reply.raw.writeHead(success.status, { "Content-Type": "text/plain" }).flushHeaders();
      }
      await reply.type("text/plain").send(answer);
      return;
    default:
      // The reference presets this header on every path below /api/, also on empty answers.
      if (reply.request.url.startsWith("/api/")) reply.type("application/json");
      await reply.send();
  }
}

async function* writeLines(items: AsyncIterable<unknown>): AsyncGenerator<string> {
  for await (const item of items) yield `${JSON.stringify(item)}\n`;
}

async function answerUnknownRoute(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const path = request.url.split("?")[0] ?? "";
  const methods = OPERATION_IDS.map(routeOf)
    .filter((route) => patternOf(route.path).test(path))
    .map((route) => route.method);
  if (methods.length > 0) {
    await reply.code(405).header("Allow", methods.join(", ")).send();
    return;
  }
  const text = "404 page not found";
  await sendError(request, reply, {
    status: 404,
    text,
    detail: `Nothing is at ${request.url.slice(0, 200)}.`,
    code: "INVALID_ARGUMENT",
    hint: "The operations are listed at /api/openapi.json.",
  });
}

/** Whoever watches the server has no token; the answer says nothing but that it works. */
function isHealthCheck({ url = "" }: IncomingMessage): boolean {
  return /^\/health\/?(?:\?|$)/.test(url);
}

async function refuseToken(
  request: FastifyRequest,
  reply: FastifyReply,
  error: unknown,
  { onBug }: ApiServerOptions,
): Promise<void> {
  if (error instanceof TokenRefused) reply.header("WWW-Authenticate", error.challenge);
  if (error instanceof ThvError) {
    const { status, message, code, hint } = error;
    await sendError(request, reply, { status, text: message, detail: message, code, hint });
    return;
  }
  onBug(error, "authentication");
  const text = "Internal server error";
  await sendError(request, reply, { status: 500, text, detail: "An unexpected error was logged.", code: "INTERNAL" });
}

/** A path is the caller's text: in a log it must neither end the line nor fill the disk. */
function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}]+/gu, " ").slice(0, MAX_LOGGED_PATH);
}

/** Collection roots answer with and without a trailing slash, items do not. */
function patternOf(template: string): RegExp {
  const isItem = template.includes("{");
  return new RegExp(`^${template.replace(/\{\w+\}/g, "[^/]+")}${isItem ? "" : "/?"}$`);
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
  switch (systemCodeOf(error)) {
    case "EADDRINUSE":
      return new ThvError("PORT_IN_USE", `Port ${port} on ${host} is in use.`, { cause: error });
    case "EACCES":
      return new ThvError("PORT_IN_USE", `Port ${port} on ${host} may not be used by this user.`, {
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
