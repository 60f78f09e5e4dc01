/**
 * Every way on which a client can send a request to an endpoint, under one interface: what is forbidden has to be
 * forbidden on all of them.
 */
import { isRecord } from "@toolhive/http/values";
import { META } from "../messages/meta-keys.ts";
import type { ServerKind } from "./open-guarded.ts";
import { buildUrl, CLIENT_HEADERS, EventReader, initializeBody, type Listening, post } from "./raw-client.ts";

/** How a client talks: with sessions over streamable HTTP, over HTTP with SSE, or with revision 2026-07-28. */
export const CLIENT_ROUTES = ["session", "sse", "modern"] as const;
export type ClientRoute = (typeof CLIENT_ROUTES)[number];

/** Servers and the ways to them. */
export const ROUTES: readonly (readonly [ServerKind, ClientRoute])[] = [
  ["stdio", "session"],
  ["stdio", "sse"],
  ["stdio", "modern"],
  ["streamable-http", "session"],
  ["streamable-http", "modern"],
  ["sse", "sse"],
];

export interface Answer {
  /** Of the HTTP response to the POST. */
  readonly status: number;
  readonly message: Readonly<Record<string, unknown>>;
}

export interface RouteClient extends AsyncDisposable {
  request(method: string, params?: Readonly<Record<string, unknown>>): Promise<Answer>;
  /** Sends a text as it is. */
  send(text: string): Promise<Response>;
}

type Headers = Readonly<Record<string, string>>;

export async function openClient(endpoint: Listening, way: ClientRoute, headers: Headers): Promise<RouteClient> {
  if (way === "sse") return await openSseClient(endpoint, headers);
  return way === "modern" ? openModernClient(endpoint, headers) : await openSessionClient(endpoint, headers);
}

async function openSessionClient(endpoint: Listening, headers: Headers): Promise<RouteClient> {
  const opened = await post(endpoint, initializeBody(), { ...headers });
  const own = { ...headers, "mcp-session-id": opened.headers.get("mcp-session-id") ?? "none" };
  await opened.text();
  const send = (text: string) => post(endpoint, text, own);
  let id = 0;
  return {
    send,
    request: async (method, params = {}) => {
      id += 1;
      return await readAnswer(await send(JSON.stringify({ jsonrpc: "2.0", id, method, params })));
    },
    [Symbol.asyncDispose]: async () => undefined,
  };
}

function openModernClient(endpoint: Listening, headers: Headers): RouteClient {
  const send = (text: string) => post(endpoint, text, { ...headers });
  let id = 0;
  return {
    send,
    request: async (method, params = {}) => {
      id += 1;
      const name = params.name ?? params.uri;
      const _meta = { [META.revision]: "2026-07-28", [META.capabilities]: {} };
      const body = JSON.stringify({ jsonrpc: "2.0", id, method, params: { ...params, _meta } });
      const own = {
        ...headers,
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": method,
        ...(typeof name === "string" && { "mcp-name": `=?base64?${Buffer.from(name).toString("base64")}?=` }),
      };
      return await readAnswer(await post(endpoint, body, own));
    },
    [Symbol.asyncDispose]: async () => undefined,
  };
}

async function openSseClient(endpoint: Listening, headers: Headers): Promise<RouteClient> {
  const abort = new AbortController();
  const stream = await fetch(buildUrl(endpoint, "/sse"), { headers, signal: abort.signal });
  const events = new EventReader(stream, abort);
  const address = new URL((await events.next())?.data ?? "", buildUrl(endpoint, "/sse"));
  const send = (body: string) => fetch(address, { method: "POST", body, headers: { ...CLIENT_HEADERS, ...headers } });
  await send(initializeBody());
  await events.nextMessage();
  let id = 0;
  return {
    send,
    request: async (method, params = {}) => {
      id += 1;
      const response = await send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
      const { status } = response;
      // What is accepted is answered on the stream, what is refused at once.
      return {
        status,
        message: status === 202 ? await readNextMessage(events, id) : expectRecord(await response.json()),
      };
    },
    [Symbol.asyncDispose]: () => events[Symbol.asyncDispose](),
  };
}

/** Answers to what was sent as it is, and was not waited for, may come first; so may news, which the caller asks about. */
async function readNextMessage(events: EventReader, id: number): Promise<Answer["message"]> {
  for (;;) {
    const message = expectRecord(await events.nextMessage());
    if (message.id === id || "method" in message) return message;
  }
}

async function readAnswer(response: Response): Promise<Answer> {
  const { status } = response;
  if (response.headers.get("content-type")?.startsWith("text/event-stream")) {
    return { status, message: expectRecord(await new EventReader(response).nextMessage()) };
  }
  return { status, message: expectRecord(await response.json()) };
}

function expectRecord(value: unknown): Readonly<Record<string, unknown>> {
  if (!isRecord(value)) throw new Error(`not a message: ${JSON.stringify(value)}`);
  return value;
}
