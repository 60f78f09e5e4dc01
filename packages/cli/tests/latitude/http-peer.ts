/** A server over HTTP that makes one choice which the protocol leaves to it, and is ordinary otherwise. */
import type { ServerResponse } from "node:http";
import { isRecord, parseJson } from "@toolhive/http/values";
import { json, type Script, type SeenRequest, status, stream } from "@toolhive/mcp-client/testing";

export interface PeerMessage {
  readonly id: string | number | undefined;
  readonly method: string | undefined;
  readonly params: Readonly<Record<string, unknown>>;
}

export interface HttpChoice {
  /** Path of the address that clients are given. */
  readonly path?: string;
  /** Default: the client's. */
  readonly revision?: string;
  readonly offers?: readonly ("tools" | "prompts" | "resources")[];
  /** The result of `tools/list` by its cursor; an error where it is absent. Default: one page. */
  readonly listTools?: (cursor: unknown) => object | undefined;
  /** The id of each session; default `s0`, `s1`, …. */
  readonly nameSession?: (count: number) => string | undefined;
  readonly maxSessions?: number;
  /** Status of requests that name no session that it knows. */
  readonly unknownStatus?: number;
  /** Takes a request in place of everything else. */
  readonly before?: (request: SeenRequest, response: ServerResponse) => boolean;
  readonly onGet?: (request: SeenRequest, response: ServerResponse) => void;
  readonly onDelete?: (response: ServerResponse) => void;
  /** Accepts a notification or an answer. */
  readonly accept?: (response: ServerResponse, message: PeerMessage) => void;
  /** Sends the answer to a request. */
  readonly answer?: (response: ServerResponse, text: string, message: PeerMessage) => void;
}

export const ECHO = { name: "echo", inputSchema: { type: "object" } };

/** The cursor of the second page is an empty text. */
export function listOnTwoPages(cursor: unknown): object | undefined {
  if (cursor === undefined) return { tools: [ECHO], nextCursor: "" };
  return cursor === "" ? { tools: [{ ...ECHO, name: "second" }] } : undefined;
}

/** What every client is asked to find. */
export function answerPeerMessage(
  { method, params }: PeerMessage,
  choice: Pick<HttpChoice, "listTools" | "offers" | "revision">,
) {
  const { listTools = () => ({ tools: [ECHO] }), offers = ["tools"], revision } = choice;
  const isOffered = offers.some((kind) => method?.startsWith(`${kind}/`));
  switch (isOffered ? method : method === "initialize" || method === "ping" ? method : undefined) {
    case "initialize": {
      const capabilities = Object.fromEntries(offers.map((kind) => [kind, {}]));
      const protocolVersion = revision ?? params.protocolVersion;
      return { result: { protocolVersion, capabilities, serverInfo: { name: "peer", version: "1" } } };
    }
    case "ping":
      return { result: {} };
    case "tools/list": {
      const result = listTools(params.cursor);
      return result === undefined ? { error: { code: -32602, message: "Invalid cursor" } } : { result };
    }
    case "tools/call":
      return { result: { content: [{ type: "text", text: "hello" }] } };
    case "prompts/list":
      return { result: { prompts: [{ name: "greet" }] } };
    case "resources/list":
      return { result: { resources: [{ uri: "peer://one", name: "one" }] } };
    case "resources/templates/list":
      return { result: { resourceTemplates: [] } };
    default:
      return { error: { code: -32601, message: "Method not found" } };
  }
}

export function readPeerMessage(text: string): PeerMessage {
  const value = parseJson(text);
  const { id, method, params } = isRecord(value) ? value : {};
  return {
    id: typeof id === "string" || typeof id === "number" ? id : undefined,
    method: typeof method === "string" ? method : undefined,
    params: isRecord(params) ? params : {},
  };
}

export function createStreamablePeer(choice: HttpChoice): Script {
  const sessions = new Set<string>();
  const { maxSessions = 1_000, nameSession = (count: number) => `s${count}`, unknownStatus = 404 } = choice;
  return (request, response) => {
    if (choice.before?.(request, response)) return;
    const session = request.headers["mcp-session-id"];
    if (request.method === "GET") return (choice.onGet ?? refuse405)(request, response);
    if (request.method === "DELETE") return (choice.onDelete ?? ((each) => status(each, 405)))(response);
    const message = readPeerMessage(request.body);
    if (message.method === "initialize") {
      if (sessions.size >= maxSessions) {
        const error = { code: -32600, message: "Invalid Request: Server already initialized" };
        response.writeHead(400, { "content-type": "application/json" });
        return void response.end(JSON.stringify({ jsonrpc: "2.0", id: null, error }));
      }
      const id = nameSession(sessions.size);
      if (id !== undefined) {
        sessions.add(id);
        response.setHeader("mcp-session-id", id);
      }
    } else if (sessions.size > 0 && (typeof session !== "string" || !sessions.has(session)))
      return status(response, session === undefined ? 400 : unknownStatus);
    if (message.id === undefined || message.method === undefined)
      return (choice.accept ?? ((each) => status(each, 202)))(response, message);
    const text = JSON.stringify({ jsonrpc: "2.0", id: message.id, ...answerPeerMessage(message, choice) });
    if (choice.answer === undefined) json(response, text);
    else choice.answer(response, text, message);
  };
}

/** HTTP with SSE. */
export interface SseChoice extends Pick<HttpChoice, "path" | "offers" | "accept"> {
  /** Begins the stream. @param origin Of the server. */
  readonly begin: (response: ServerResponse, origin: string) => void;
  /** Where messages are taken. */
  readonly postPath: string;
  readonly newline?: string;
  /** Sends a ping before the answer to a list. */
  readonly pings?: boolean;
}

export function createSsePeer(choice: SseChoice): Script {
  const { newline = "\n", postPath, accept } = choice;
  let open: ServerResponse | undefined;
  let held: string | undefined;
  const send = (text: string) => open?.write(`data: ${text}${newline}${newline}`);
  return (request, response) => {
    if (request.method === "GET") {
      open = response;
      stream(response);
      choice.begin(response, `http://${request.headers.host}`);
      return;
    }
    if (request.path !== postPath) return status(response, 404);
    const message = readPeerMessage(request.body);
    if (accept === undefined) status(response, 202, "Accepted");
    else accept(response, message);
    if (message.id === undefined) return;
    if (message.method === undefined) {
      if (held !== undefined) send(held);
      return;
    }
    const text = JSON.stringify({ jsonrpc: "2.0", id: message.id, ...answerPeerMessage(message, choice) });
    if (!choice.pings || !message.method.endsWith("/list")) return void send(text);
    held = text;
    send('{"jsonrpc":"2.0","id":"p","method":"ping"}');
  };
}

/** Revision 2026-07-28 and later. */
export function createModernPeer(choice: Pick<HttpChoice, "listTools" | "offers">): Script {
  const { offers = ["tools"] } = choice;
  const cached = { resultType: "complete", ttlMs: 0, cacheScope: "private" };
  return (request, response) => {
    if (request.method !== "POST") return status(response, 405);
    const message = readPeerMessage(request.body);
    if (message.id === undefined) return status(response, 202);
    const capabilities = Object.fromEntries(offers.map((kind) => [kind, {}]));
    const discovered = { result: { supportedVersions: ["2026-07-28"], capabilities, ...cached } };
    const answer = message.method === "server/discover" ? discovered : answerPeerMessage(message, choice);
    const isRefused = message.method === "initialize" || "error" in answer;
    const refusal = { error: { code: message.method === "initialize" ? -32022 : -32601, message: "Not here" } };
    const body = "result" in answer && !isRefused ? { result: { ...cached, ...answer.result } } : refusal;
    response.writeHead(isRefused ? (message.method === "initialize" ? 400 : 404) : 200, {
      "content-type": "application/json",
    });
    response.end(JSON.stringify({ jsonrpc: "2.0", id: message.id, ...body }));
  };
}

function refuse405(_request: SeenRequest, response: ServerResponse): void {
  status(response, 405);
}
