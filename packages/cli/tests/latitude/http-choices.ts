/** How servers over HTTP make the choices of the table, by the id of the row. */
import type { ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import { json, type Script, status, stream } from "@toolhive/mcp-client/testing";
import {
  createModernPeer,
  createSsePeer,
  createStreamablePeer,
  ECHO,
  type HttpChoice,
  listOnTwoPages,
  type PeerMessage,
  type SseChoice,
} from "./http-peer.ts";

const html = (code: number) => (response: ServerResponse) =>
  void response.writeHead(code, { "content-type": "text/html" }).end("<html>");
const text = (code: number) => (response: ServerResponse) =>
  void response.writeHead(code, { "content-type": "text/plain" }).end("no");
const just = (code: number) => (response: ServerResponse) => status(response, code);
const onGet = (answer: (response: ServerResponse) => void): HttpChoice => ({
  onGet: (_, response) => answer(response),
});

/** Answers with a stream of this form. */
function streamed(format: (message: string) => string): HttpChoice {
  return {
    answer: (response, message) => {
      stream(response, format(message));
      response.end();
    },
  };
}

/** Ends streams of these requests before their answer, which the next stream brings. */
function polled(isPolled: (message: PeerMessage) => boolean): HttpChoice {
  const late = new Map<string, string>();
  return {
    answer: (response, message, asked) => {
      if (!isPolled(asked)) return json(response, message);
      late.set(`e${asked.id}`, message);
      stream(response, `id: e${asked.id}\nretry: 100\ndata:\n\n`);
      response.end();
    },
    onGet: ({ headers }, response) => {
      const answer = late.get(String(headers["last-event-id"]));
      if (answer === undefined) return status(response, 405);
      stream(response, `data: ${answer}\n\n`);
      response.end();
    },
  };
}

/** Asks for a ping on the stream of a list, and sends the list when it has its answer. */
function pinging(): HttpChoice {
  let held: { readonly response: ServerResponse; readonly message: string } | undefined;
  return {
    answer: (response, message, { method }) => {
      if (!method?.endsWith("/list")) return json(response, message);
      held = { response, message };
      stream(response, 'data: {"jsonrpc":"2.0","id":"p","method":"ping"}\n\n');
    },
    accept: (response, { id }) => {
      status(response, 202);
      if (id === "p") held?.response.end(`data: ${held.message}\n\n`);
    },
  };
}

/** Stops for every client at the first DELETE, as two releases of an SDK do. */
function stopping(): HttpChoice {
  let isOver = false;
  return {
    before: (request, response) => {
      isOver ||= request.method === "DELETE";
      if (isOver) status(response, 500);
      return isOver;
    },
  };
}

function redirecting(code: number): HttpChoice {
  return {
    before: ({ path }, response) => {
      if (path === "/mcp/") return false;
      response.writeHead(code, { location: "/mcp/" }).end();
      return true;
    },
  };
}

function coded(type: "application/json" | "text/event-stream"): HttpChoice {
  return {
    answer: (response, message) => {
      const body = type === "application/json" ? message : `data: ${message}\n\n`;
      response.writeHead(200, { "content-type": type, "content-encoding": "gzip" }).end(gzipSync(body));
    },
  };
}

function refusingCalls(code: number): HttpChoice {
  return {
    answer: (response, message, { method }) => {
      if (method !== "tools/call") return json(response, message);
      response.writeHead(code, { "content-type": "text/plain", "retry-after": "7" }).end("later");
    },
  };
}

function ofVersion(revision: string): HttpChoice {
  return {
    revision,
    before: ({ headers, body }, response) => {
      const named = headers["mcp-protocol-version"];
      const isOther = named !== undefined && named !== revision && !body.includes('"initialize"');
      if (isOther) status(response, 400);
      return isOther;
    },
  };
}

/** Writes an answer of HTTP/1.0, whose end is that of the connection. */
function answerOldHttp(response: ServerResponse, message: string): void {
  const session = response.getHeader("mcp-session-id");
  const header = session === undefined ? "" : `Mcp-Session-Id: ${String(session)}\r\n`;
  response.socket?.end(`HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n${header}\r\n${message}`);
}

const STREAMABLE: Readonly<Record<string, () => HttpChoice>> = {
  "get-stream": () => onGet((response) => stream(response)),
  "get-405": () => ({}),
  "get-405-text": () => onGet(text(405)),
  "get-405-page": () => onGet(html(405)),
  "get-404-page": () => onGet(html(404)),
  "get-501": () => onGet(just(501)),
  "delete-200": () => ({ onDelete: just(200) }),
  "delete-202": () => ({ onDelete: just(202) }),
  "delete-204": () => ({ onDelete: just(204) }),
  "delete-404-page": () => ({ onDelete: html(404) }),
  "delete-405": () => ({}),
  "delete-405-json": () => ({
    onDelete: (response) => void response.writeHead(405, { "content-type": "application/json" }).end("{}"),
  }),
  "delete-501-text": () => ({ onDelete: text(501) }),
  "delete-200-page": () => ({ onDelete: html(200) }),
  "session-none": () => ({ nameSession: () => undefined }),
  "session-kept": () => ({}),
  "session-odd-id": () => ({ nameSession: (count) => `!"#$%&'()*+-./:;<=>?@[\\]^_\`{|}~${count}` }),
  "session-long-id": () => ({ nameSession: (count) => `${"x".repeat(6_000)}${count}` }),
  "session-one": () => ({ maxSessions: 1 }),
  "session-ended-by-delete": stopping,
  "session-400": () => ({ unknownStatus: 400 }),
  "answer-json": () => ({}),
  "answer-text-ids": () => ({
    answer: (response, message, { id }) => json(response, message.replace(`"id":${id}`, `"id":"${id}"`)),
  }),
  "answer-stream": () => streamed((message) => `data: ${message}\n\n`),
  "answer-stream-notification": () =>
    streamed(
      (message) =>
        `data: {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}\n\ndata: ${message}\n\n`,
    ),
  "answer-stream-ping": pinging,
  "answer-stream-open": () => ({ answer: (response, message) => stream(response, `data: ${message}\n\n`) }),
  "answer-priming": () => streamed((message) => `id: 1\ndata:\n\nid: 2\ndata: ${message}\n\n`),
  "answer-polled": () => polled(({ method }) => method === "tools/call"),
  "answer-polled-all": () => polled(() => true),
  "answer-comments": () => streamed((message) => `: one\n\n: two\ndata: ${message}\n: three\n\n`),
  "answer-bom": () => streamed((message) => `\ufeffdata: ${message}\n\n`),
  "answer-crlf": () => streamed((message) => `event: message\r\ndata: ${message}\r\n\r\n`),
  "answer-data-lines": () => streamed((message) => `data: ${message.replace(",", ",\ndata: ")}\n\n`),
  "answer-event-name": () => streamed((message) => `event: message\ndata: ${message}\n\n`),
  "accepted-200": () => ({ accept: just(200) }),
  "accepted-204": () => ({ accept: just(204) }),
  "accepted-202-json": () => ({
    accept: (response) => void response.writeHead(202, { "content-type": "application/json" }).end("{}"),
  }),
  "call-503": () => refusingCalls(503),
  "call-429": () => refusingCalls(429),
  "coding-gzip-json": () => coded("application/json"),
  "coding-gzip-stream": () => coded("text/event-stream"),
  "type-case-json": () => ({
    answer: (response, message) => void response.writeHead(200, { "content-type": "Application/JSON" }).end(message),
  }),
  "type-case-stream": () => ({
    answer: (response, message) =>
      void response.writeHead(200, { "content-type": "Text/Event-Stream" }).end(`data: ${message}\n\n`),
  }),
  "type-charset": () => ({
    answer: (response, message) =>
      void response.writeHead(200, { "content-type": "application/json; charset=UTF-8" }).end(message),
  }),
  "http-1.0": () => ({ answer: answerOldHttp }),
  "http-close": () => ({ answer: (response, message) => json(response, message, { connection: "close" }) }),
  "http-bytes": () => ({
    answer: (response, message) => {
      response.writeHead(200, { "content-type": "application/json" });
      for (const byte of Buffer.from(message)) response.write(Buffer.of(byte));
      response.end();
    },
  }),
  "redirect-307": () => redirecting(307),
  "redirect-308": () => redirecting(308),
  "user-agent": () => ({
    before: ({ headers }, response) => {
      if (headers["user-agent"] === undefined) status(response, 403);
      return headers["user-agent"] === undefined;
    },
  }),
  "offers-prompts": () => ({ offers: ["prompts"] }),
  "offers-resources": () => ({ offers: ["resources"] }),
  "offers-nothing": () => ({ offers: [] }),
  "list-cursor-empty": () => ({ listTools: listOnTwoPages }),
  "list-cursor-empty-refused": () => ({
    listTools: (cursor) => (cursor === undefined ? { tools: [ECHO], nextCursor: "" } : undefined),
  }),
  "list-cursor-empty-ignored": () => ({ listTools: () => ({ tools: [ECHO], nextCursor: "" }) }),
};

const POST = "/messages?sid=1";

function named(address: string, more: Partial<SseChoice> = {}): SseChoice {
  return {
    postPath: POST,
    begin: (response, origin) => response.write(`event: endpoint\ndata: ${address.replace("ORIGIN", origin)}\n\n`),
    ...more,
  };
}

const SSE: Readonly<Record<string, () => SseChoice>> = {
  "sse-endpoint-path": () => named(POST),
  "sse-endpoint-absolute": () => named(`ORIGIN${POST}`),
  "sse-endpoint-relative": () => named("messages?sid=1", { path: "/api/v1/sse", postPath: `/api/v1${POST}` }),
  "sse-endpoint-query": () => named("?sid=1", { path: "/api/v1/sse", postPath: "/api/v1/sse?sid=1" }),
  "sse-endpoint-comment": () =>
    named(POST, { begin: (response) => response.write(`: hello\n\nevent: endpoint\ndata: ${POST}\n\n`) }),
  "sse-endpoint-retry": () =>
    named(POST, { begin: (response) => response.write(`retry: 3000\n\nevent: endpoint\ndata: ${POST}\n\n`) }),
  "sse-endpoint-data-first": () =>
    named(POST, { begin: (response) => response.write(`data: ${POST}\nevent: endpoint\n\n`) }),
  "sse-endpoint-late": () =>
    named(POST, {
      begin: (response) => void setTimeout(() => response.write(`event: endpoint\ndata: ${POST}\n\n`), 50),
    }),
  "sse-crlf": () =>
    named(POST, {
      newline: "\r\n",
      begin: (response) => response.write(`event: endpoint\r\ndata: ${POST}\r\n\r\n`),
    }),
  "sse-accepted-200": () => named(POST, { accept: text(200) }),
  "sse-accepted-204": () => named(POST, { accept: just(204) }),
  "sse-ping": () => named(POST, { pings: true }),
};

const WITHOUT_SESSIONS: Readonly<Record<string, () => Script>> = {
  "discover-tools": () => createModernPeer({ offers: ["tools"] }),
  "discover-prompts": () => createModernPeer({ offers: ["prompts"] }),
  "discover-resources": () => createModernPeer({ offers: ["resources"] }),
  "discover-cursor-empty": () => createModernPeer({ listTools: listOnTwoPages }),
};

export interface HttpRow {
  readonly path: string;
  readonly script: Script;
}

/** @returns A server for one client. */
export function createHttpPeer(id: string): HttpRow | undefined {
  const sse = SSE[id]?.();
  if (sse !== undefined) return { path: sse.path ?? "/sse", script: createSsePeer(sse) };
  const script = WITHOUT_SESSIONS[id]?.();
  if (script !== undefined) return { path: "/mcp", script };
  const version = /^version-(.*)$/.exec(id)?.[1];
  const choice = version === undefined ? STREAMABLE[id]?.() : ofVersion(version);
  return choice && { path: choice.path ?? "/mcp", script: createStreamablePeer(choice) };
}
