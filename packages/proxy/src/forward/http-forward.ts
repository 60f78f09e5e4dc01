/**
 * Forwards one HTTP exchange to a server that speaks HTTP itself, byte for byte and without delay.
 */
import { type Agent, type ClientRequest, type IncomingMessage, request, type ServerResponse } from "node:http";
import { request as requestHttps } from "node:https";
import type { Socket } from "node:net";
import { pipeline, type Readable } from "node:stream";
import type { HttpConnection, Logger } from "@toolhive/core";
import { describeError } from "@toolhive/core/errors";
import { decodeAnswer, isEncoded } from "@toolhive/http/decode-answer";
import { deriveOrigin } from "../access/protected-resource.ts";
import { saysUtf8 } from "../http/answer-encoding.ts";
import { EndpointEventRewriter } from "../http/endpoint-event.ts";
import { EventFilter } from "../http/event-filter.ts";
import { createUnknownSession, HttpRefusal } from "../http/http-exchange.ts";
import { RPC_ERRORS } from "../messages/json-rpc.ts";
import { buildForwardedHeaders, isEventStream, isForClients, readHeaders } from "./forwarded-headers.ts";
import { type Refuse, type RelayOptions, refuseAnswer, relayJsonAnswer, reportSession } from "./json-answer.ts";
import type { RemoteRoute } from "./remote/agent.ts";
import type { RemoteExchange } from "./remote/exchange.ts";
import { isRedirect, Redirects } from "./remote/redirects.ts";
import type { Route } from "./replicas.ts";

export interface ForwardOptions {
  readonly target: HttpConnection;
  readonly agent: Agent;
  readonly maxBodyBytes: number;
  /** Whether event streams begin with an address that has to be rewritten. */
  readonly hasEndpointEvent: boolean;
  /** Called when the answer turns out to be an event stream. @param filter Present where its messages are read. */
  readonly onStream: (filter: EventFilter | undefined) => void;
  /** Milliseconds for a connection to the server. */
  readonly connectMs: number;
  /** Callbacks that end the exchange, with a reason, once the endpoint gives up on the server. */
  readonly onDisconnected: Set<(reason: string) => void>;
  /** Present where the endpoint distinguishes callers. */
  readonly sessionOwners?: SessionOwners | undefined;
  /** Whether the server receives the `Authorization` header. False when the token was issued for this endpoint. */
  readonly keepsAuthorization: boolean;
  /** Called with the address that an event stream names for posting. */
  readonly onAddress?: ((address: string) => void) | undefined;
  /** Reads along what passes unread. Default: nobody does. */
  readonly along?: ReadAlong | undefined;
  /** The body, when it was read already; sent instead of the request's stream. */
  readonly body?: Buffer | undefined;
  /** The name of the tool in the body, when it is not the client's own. */
  readonly called?: string | undefined;
  /** Changes each message of the answer, or leaves it out; an answer that cannot be parsed is not forwarded. */
  readonly change?: ((message: Buffer) => Buffer | undefined) | undefined;
  /** Whether an answer that no client takes for messages is forwarded as it is. Default: it is not, where messages are changed. */
  readonly passesUnread?: boolean | undefined;
  /** Bytes of one message of the answer, where messages are parsed. */
  readonly maxMessageBytes: number;
  /** Present for a remote server. */
  readonly remote?: RemoteExchange | undefined;
  /** Options of a connection with TLS. */
  readonly tls?: RemoteRoute["tls"] | undefined;
  /** Present where the server has replicas. */
  readonly route?: Route | undefined;
  /** Gives the client's id for the server's own. */
  readonly sealId?: ((own: string) => string) | undefined;
  /** Gives the client's address for posting for the server's own. */
  readonly sealPostAddress?: ((own: string) => string) | undefined;
  readonly log: Logger;
}

/** Sees one exchange, and changes nothing of it. */
export interface ReadAlong {
  /** The client receives the id of a session. */
  recordSession(id: string): void;
  /** Gets each chunk of a body that was not read before, and nothing at its end. */
  addToBody(chunk: Buffer | undefined): void;
  /** Gets each message of an answer that is read otherwise, and not changed. */
  recordAnswer(message: Buffer): void;
  /** An answer is about to be forwarded whose messages nobody reads. @param body As the client gets it. */
  readAnswer(answer: IncomingMessage, body: Readable, isStream: boolean): void;
}

/** Records which caller owns a session. */
export interface SessionOwners {
  /** Called with the server's answer. */
  recordSession(answer: Pick<IncomingMessage, "statusCode" | "headers">): void;
  /** Called with the address that an event stream names for posting. @returns Called when the stream has ended. */
  recordPostAddress(address: string): () => void;
}

/**
 * Listeners of one kind on one response, above which Node warns of a leak. `pipeline` alone adds seven that wait for its
 * close; the listener, the observers, the owner of its session and this file one each. All of them go with the response.
 */
const MAX_LISTENERS = 20;

/** Settles when the exchange is over. @throws {HttpRefusal} 413, 502 when there is no token for the server. */
export async function forward(
  incoming: IncomingMessage,
  response: ServerResponse,
  options: ForwardOptions,
): Promise<void> {
  const { maxBodyBytes } = options;
  if (Number(incoming.headers["content-length"] ?? 0) > maxBodyBytes) {
    throw new HttpRefusal(413, RPC_ERRORS.INVALID_REQUEST, `The body is larger than ${maxBodyBytes} bytes.`);
  }
  response.setMaxListeners(MAX_LISTENERS);
  const { remote } = options;
  if (remote === undefined) {
    const { target, body, route } = options;
    const server = formatAuthority(target);
    const redirects = new Redirects(incoming, { server, path: route?.url ?? incoming.url ?? "/", body });
    let isAgain = await exchange(incoming, response, { ...options, redirects });
    while (isAgain) isAgain = await exchange(incoming, response, { ...options, body: redirects.body, redirects });
    return;
  }
  do {
    await remote.authorize().catch((error: unknown) => {
      throw remote.refuse(error);
    });
    if (response.destroyed) return;
  } while (await exchange(incoming, response, options));
}

function formatAuthority({ host, port }: HttpConnection): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}

interface ExchangeOptions extends ForwardOptions {
  /** Present for a server of this machine. */
  readonly redirects?: Redirects;
}

/** @returns Whether the request has to be sent once more. */
function exchange(incoming: IncomingMessage, response: ServerResponse, options: ExchangeOptions): Promise<boolean> {
  const { remote, redirects } = options;
  return new Promise<boolean>((resolve, reject) => {
    const refuse: Refuse = (reason) => {
      if (response.headersSent) response.destroy();
      else reject(new HttpRefusal(502, RPC_ERRORS.SERVER_UNAVAILABLE, reason));
    };
    const outgoing = openRequest(incoming, options);
    const disconnect = (reason: string): void => {
      outgoing.destroy(new Error(reason));
    };
    options.onDisconnected.add(disconnect);
    const onClose = (): void => {
      options.onDisconnected.delete(disconnect);
      outgoing.destroy();
      resolve(false);
    };
    response.on("close", onClose);
    const settleAgain = (answer: IncomingMessage): void => {
      options.onDisconnected.delete(disconnect);
      response.off("close", onClose);
      // The connection serves the next attempt; an endless answer would not let it.
      answer.destroy();
      resolve(true);
    };
    outgoing.on("socket", (socket) => endUnlessConnected(outgoing, socket, options.connectMs));
    outgoing.on("response", (answer) => {
      if (remote !== undefined) {
        remote.judge(answer).then(
          (isAgain) => {
            if (isAgain) settleAgain(answer);
            else if (!response.destroyed) relayOrRefuse(answer, incoming, response, outgoing, { ...options, refuse });
          },
          (error: unknown) => {
            // We close the connection on purpose, so its error carries no information.
            ignoreErrors(outgoing);
            answer.destroy();
            reject(remote.refuse(error));
          },
        );
        return;
      }
      if (redirects === undefined || !isRedirect(answer)) {
        relayOrRefuse(answer, incoming, response, outgoing, { ...options, refuse });
        return;
      }
      // Nothing more is read from this connection.
      incoming.unpipe(outgoing);
      ignoreErrors(outgoing);
      answer.on("error", () => undefined);
      redirects.follow(answer).then(
        () => settleAgain(answer),
        (error: unknown) => {
          answer.destroy();
          refuse(describeError(error));
        },
      );
    });
    outgoing.on("upgrade", (_answer, socket) => {
      socket.destroy();
      refuse("The server wants to switch to another protocol than HTTP, which MCP does not need.");
    });
    outgoing.on("error", (error) => {
      options.log.warn({ error: describeError(error), path: incoming.url }, "server could not be reached");
      // The process that held the session has ended, and the session with it.
      if (hasSession(options.route) && isRefused(error) && !response.headersSent) reject(createUnknownSession());
      else if (remote !== undefined && !response.headersSent && !response.destroyed) reject(remote.refuse(error));
      else refuse(`The server behind this endpoint did not answer: ${describeError(error)}.`);
    });
    sendBody(incoming, outgoing, options);
  });
}

function openRequest(incoming: IncomingMessage, options: ExchangeOptions): ClientRequest {
  const { target, remote, redirects } = options;
  const send = target.remote?.url.protocol === "https:" ? requestHttps : request;
  return send({
    host: target.host,
    port: target.port,
    ...(target.lookup && { lookup: target.lookup }),
    method: incoming.method,
    path: remote?.path ?? redirects?.path,
    headers: buildForwardedHeaders(incoming, options),
    agent: options.agent,
    ...options.tls,
  });
}

function sendBody(
  incoming: IncomingMessage,
  outgoing: ClientRequest,
  { body, maxBodyBytes, along }: ExchangeOptions,
): void {
  if (body !== undefined) {
    outgoing.end(body);
    return;
  }
  let bytes = 0;
  if (along !== undefined) incoming.once("end", () => along.addToBody(undefined));
  incoming.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    along?.addToBody(chunk);
    if (bytes > maxBodyBytes) outgoing.destroy(new Error(`the body is larger than ${maxBodyBytes} bytes`));
  });
  incoming.pipe(outgoing);
}

function relayOrRefuse(
  answer: IncomingMessage,
  incoming: IncomingMessage,
  response: ServerResponse,
  outgoing: ClientRequest,
  options: RelayOptions,
): void {
  try {
    relayAnswer(answer, incoming, response, options);
  } catch (error) {
    // Node reads statuses and headers that it does not write.
    outgoing.destroy();
    options.refuse(`The server's answer cannot be handed on: ${describeError(error)}.`);
  }
}

function hasSession(route: Route | undefined): boolean {
  return route?.sessionId !== undefined || route?.url !== undefined;
}

function isRefused(error: Error): boolean {
  return "code" in error && error.code === "ECONNREFUSED";
}

/** Takes the listeners for errors away, too. */
function ignoreErrors(outgoing: ClientRequest): void {
  outgoing.removeAllListeners("error").on("error", () => undefined);
}

/** Packets to a removed container are never answered, and the system would retry for two minutes. */
function endUnlessConnected(outgoing: ClientRequest, socket: Socket, connectMs: number): void {
  if (!socket.connecting) return;
  const late = (): void => {
    outgoing.destroy(new Error(`no connection within ${connectMs} ms`));
  };
  const timer = setTimeout(late, connectMs);
  const clear = (): void => clearTimeout(timer);
  socket.once("connect", clear).once("close", clear);
}

function relayAnswer(
  answer: IncomingMessage,
  incoming: IncomingMessage,
  response: ServerResponse,
  options: RelayOptions,
): void {
  const { hasEndpointEvent, onStream, sessionOwners, maxMessageBytes, log, refuse, remote } = options;
  const change = options.passesUnread && !isForClients(answer) ? undefined : options.change;
  sessionOwners?.recordSession(answer);
  const headers = readHeaders(answer, options);
  reportSession(headers, options);
  const isStream = isEventStream(answer);
  const onEnd = (error: Error | null | undefined): void => {
    // The client or the server closed the connection; either way the response has ended.
    if (error) log.debug({ error: error.message, path: incoming.url }, "exchange ended early");
  };
  if (change !== undefined && !saysUtf8(answer)) {
    refuseAnswer(answer, refuse);
    return;
  }
  if (!isStream && (change !== undefined || remote?.mayHandOver(answer))) {
    const keep = (message: Buffer): Buffer => {
      options.along?.recordAnswer(message);
      return message;
    };
    void relayJsonAnswer(answer, incoming, response, { ...options, change: change ?? keep });
    return;
  }
  if (!isStream) {
    response.writeHead(answer.statusCode ?? 502, headers);
    options.along?.readAnswer(answer, answer, false);
    pipeAnswer(answer, response, onEnd);
    return;
  }
  const body = isEncoded(answer) ? decodeAnswer(answer) : answer;
  delete headers["content-encoding"];
  const filter = change && new EventFilter(change, maxMessageBytes);
  onStream(filter);
  const readAlong = (): void => {
    if (filter === undefined) options.along?.readAnswer(answer, body, true);
  };
  delete headers["content-length"];
  response.writeHead(answer.statusCode ?? 502, headers);
  response.flushHeaders();
  if (incoming.method === "POST") {
    readAlong();
    // No client learns from an answer where to post.
    if (filter !== undefined || body !== answer) pipeline([body, ...(filter ? [filter] : []), response], onEnd);
    else pipeAnswer(answer, response, onEnd);
    return;
  }
  const onAddress = (address: string): void => {
    if (!hasEndpointEvent) return;
    options.onAddress?.(address);
    const forget = sessionOwners?.recordPostAddress(address);
    if (forget !== undefined) response.once("close", forget);
  };
  // Over streamable HTTP, too: a client that was refused there may continue over HTTP with SSE.
  const rewriter = new EndpointEventRewriter({
    base: new URL(readTarget(incoming), deriveOrigin(incoming)),
    serverUrl: remote?.address,
    seal: options.sealPostAddress,
    onAddress,
  });
  if (hasEndpointEvent) readAlong();
  pipeline([body, rewriter, ...(filter ? [filter] : []), response], onEnd);
}

/** Path and query of the request. */
function readTarget({ url = "/" }: IncomingMessage): string {
  return url.startsWith("/") && !url.startsWith("//") ? url : "/";
}

/** What `pipeline` does, which makes an error with its stack at the end of each exchange, also of those that went well. */
function pipeAnswer(answer: IncomingMessage, response: ServerResponse, onEnd: (error: Error) => void): void {
  const endEarly = (error: Error): void => {
    onEnd(error);
    response.destroy();
  };
  answer.on("error", endEarly);
  answer.on("close", () => {
    if (!answer.complete) endEarly(new Error("the server closed the connection"));
  });
  response.on("error", onEnd);
  answer.pipe(response);
}
