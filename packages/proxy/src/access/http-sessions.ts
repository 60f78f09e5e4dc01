/**
 * Sessions of a server that speaks HTTP and keeps its own: each belongs to the caller it was given to. Where callers are
 * told apart, only the MCP address is served; what else a server offers on its port knows nothing of sessions or rules.
 */
import type { IncomingMessage } from "node:http";
import { HttpRefusal, headerOf } from "../http-exchange.ts";
import { RPC_ERRORS } from "../json-rpc.ts";
import type { Caller } from "./caller.ts";

const METHODS = new Set(["GET", "POST", "DELETE"]);
const SESSION_HEADER = "mcp-session-id";
/** Sessions that are remembered; the one unused for longest is forgotten, and its client has to initialize again. */
const MAX_SESSIONS = 10_000;

/** `any` is for a server that is not ours: what it speaks is seen by the address that a client uses. */
export type HttpTransport = "sse" | "streamable-http" | "any";

export class HttpSessions {
  readonly #transport: HttpTransport;
  /** By session id (`streamable-http`) or by the address that was announced for posting (`sse`). */
  readonly #owners = new Map<string, string>();

  constructor(transport: HttpTransport) {
    this.#transport = transport;
  }

  /** @throws {HttpRefusal} 404 for anything but the MCP address, 405 for anything but its methods, and for a session that is not the caller's. */
  check(request: IncomingMessage, path: string, caller: Caller): void {
    const transport = this.#transportAt(path);
    const isMcp = transport === "sse" ? this.#isSsePath(request, path) : isMcpPath(path);
    if (!isMcp) throw new HttpRefusal(404, RPC_ERRORS.INVALID_REQUEST, "Nothing is here but the MCP endpoint.");
    if (!METHODS.has(request.method ?? "")) {
      throw new HttpRefusal(405, RPC_ERRORS.INVALID_REQUEST, "Use POST, GET or DELETE.", {
        allow: "GET, POST, DELETE",
      });
    }
    const key = transport === "sse" ? request.url : headerOf(request, SESSION_HEADER);
    const isStart = transport === "sse" && request.method !== "POST";
    if (key === undefined || isStart) return;
    if (this.#owners.get(key) !== caller.id) {
      throw new HttpRefusal(404, RPC_ERRORS.SESSION_UNKNOWN, "The session is unknown or has ended. Initialize again.");
    }
    this.#remember(key, caller.id);
  }

  /** Takes note of the session that the server's answer brings. */
  learn(request: IncomingMessage, answer: IncomingMessage, caller: Caller): void {
    if (this.#transportAt((request.url ?? "").split("?", 1)[0] ?? "") === "sse") return;
    const id = headerOf(answer, SESSION_HEADER);
    const isGood = answer.statusCode !== undefined && answer.statusCode < 300;
    if (request.method === "DELETE") {
      const ended = headerOf(request, SESSION_HEADER);
      if (isGood && ended !== undefined) this.#owners.delete(ended);
      // A server must not be able to give one caller's session to another.
    } else if (isGood && id !== undefined && !this.#owners.has(id)) this.#remember(id, caller.id);
  }

  /** Takes note of where an event stream says that its client has to post. @returns Forgets it. */
  announce(address: string, caller: Caller): () => void {
    const { pathname, search } = new URL(address, "http://localhost/sse");
    const key = pathname + search;
    if (this.#owners.has(key)) return () => undefined;
    this.#remember(key, caller.id);
    return () => this.#owners.delete(key);
  }

  #transportAt(path: string): "sse" | "streamable-http" {
    if (this.#transport !== "any") return this.#transport;
    return isMcpPath(path) ? "streamable-http" : "sse";
  }

  /** What is posted goes to an announced address, which is checked with its query. */
  #isSsePath({ method }: IncomingMessage, path: string): boolean {
    return method === "POST" || (method === "GET" && path === "/sse");
  }

  #remember(key: string, owner: string): void {
    this.#owners.delete(key);
    this.#owners.set(key, owner);
    for (const oldest of this.#owners.keys()) {
      if (this.#owners.size <= MAX_SESSIONS) return;
      this.#owners.delete(oldest);
    }
  }
}

function isMcpPath(path: string): boolean {
  return path === "/mcp" || path === "/mcp/";
}
