/**
 * Small pieces of HTTP that the transports share: bounded bodies, JSON answers, errors as JSON-RPC.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { type BodyFailure, collectBody } from "@toolhive/http";
import { createErrorReply, RPC_ERRORS } from "../messages/json-rpc.ts";
import type { BodyBudget } from "./body-budget.ts";

/** Names the session that a message belongs to, over streamable HTTP. */
export const SESSION_HEADER = "mcp-session-id";

export interface RefusalOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** The `data` of the JSON-RPC error. */
  readonly data?: Readonly<Record<string, unknown>> | undefined;
  /** Raw JSON of the request's id; `null` when it is unknown. */
  readonly id?: Buffer | undefined;
}

/** Thrown to answer a request with an error before the server receives it. The listener sends it. */
export class HttpRefusal extends Error {
  override readonly name = "HttpRefusal";
  readonly status: number;
  readonly code: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly data: Readonly<Record<string, unknown>> | undefined;
  readonly id: Buffer | undefined;

  /** @param code JSON-RPC error code for the body. */
  constructor(status: number, code: number, message: string, { headers = {}, data, id }: RefusalOptions = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.headers = headers;
    this.data = data;
    this.id = id;
  }

  withId(id: Buffer | undefined): HttpRefusal {
    return new HttpRefusal(this.status, this.code, this.message, { headers: this.headers, data: this.data, id });
  }
}

/** A client that receives it initializes again (streamable HTTP, session management). */
export function createUnknownSession(): HttpRefusal {
  return new HttpRefusal(404, RPC_ERRORS.SESSION_UNKNOWN, "The session is unknown or has ended. Initialize again.");
}

/** Above it, making a text of a body costs more than a second buffer in the write. */
const ONE_WRITE_BYTES = 4 * 1024;

export function sendJson(
  response: ServerResponse,
  status: number,
  body: Buffer,
  headers: Readonly<Record<string, string>> = {},
): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, { "content-type": "application/json", "content-length": body.length, ...headers });
  endWith(response, body);
}

/** Sends the body of an answer whose header is written. */
export function endWith(response: ServerResponse, body: Buffer): void {
  // As a text, a small body leaves together with its header in one write; latin1 keeps every byte as it is.
  if (body.length < ONE_WRITE_BYTES) response.end(body.toString("latin1"), "latin1");
  else response.end(body);
}

export function sendEmpty(
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>> = {},
): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, { "content-length": 0, ...headers });
  response.end();
}

export function sendText(
  response: ServerResponse,
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, {
    "content-type": "text/plain; charset=utf-8",
    "content-length": Buffer.byteLength(text),
    ...headers,
  });
  response.end(text);
}

export function sendRefusal(request: IncomingMessage, response: ServerResponse, refusal: HttpRefusal): void {
  // An unread body would be taken for the next request on the connection.
  const headers = request.complete ? refusal.headers : { ...refusal.headers, connection: "close" };
  // Those who ask for a token get the text that existing clients know (api-behaviour 10.2).
  if (refusal.status === 401) sendText(response, 401, refusal.message, headers);
  sendJson(
    response,
    refusal.status,
    createErrorReply(refusal.id, refusal.code, refusal.message, refusal.data),
    headers,
  );
  if (!request.complete) request.resume();
}

/** Counted for a body in chunks of unknown total length. */
const UNANNOUNCED_BYTES = 1024 * 1024;

/** Reads a body when there is room for it, and hands it on. @throws {HttpRefusal} 413, 400. */
export function receiveBody(
  request: IncomingMessage,
  { bodyBudget, maxBytes }: { bodyBudget: BodyBudget; maxBytes: number },
  use: (body: Buffer) => Promise<void> | undefined,
): Promise<void> {
  const bytes = Math.min(Number(request.headers["content-length"] ?? UNANNOUNCED_BYTES), maxBytes);
  // One promise for all of it: this is on the way of every call.
  const read = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const settle = (take: () => Promise<void> | undefined): void => {
        try {
          resolve(take());
        } catch (error) {
          reject(error);
        } finally {
          bodyBudget.release(bytes);
        }
      };
      collectBody(request, maxBytes, {
        onBody: (body) => settle(() => use(body)),
        onFailure: (failure) =>
          settle(() => {
            throw createRefusal(failure);
          }),
      });
    });
  const room = bodyBudget.acquire(bytes, (abandon) => request.on("close", abandon));
  return room === undefined ? read() : room.then(read);
}

/** As an answer: 413 for a body that is too large, 400 for one that ended early. */
function createRefusal({ problem, message }: BodyFailure): HttpRefusal {
  return new HttpRefusal(problem === "too-large" ? 413 : 400, -32600, message);
}

/** One value of a header that may have been sent several times. */
export function readHeader(request: Pick<IncomingMessage, "headers">, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** The type of a body without its parameters, in lower case: media types have no case (RFC 9110, section 8.3.1). */
export function readMediaType(message: Pick<IncomingMessage, "headers">): string {
  return readHeader(message, "content-type")?.split(";", 1)[0]?.trim().toLowerCase() ?? "";
}
