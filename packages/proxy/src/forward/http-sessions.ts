/**
 * Sessions of a server that speaks HTTP and keeps its own: each belongs to the caller that received it. Where the endpoint
 * distinguishes callers, it serves the MCP address only: other addresses on the server's port have neither sessions nor rules.
 */
import type { IncomingMessage } from "node:http";
import { createUnknownSession, HttpRefusal, readHeader, SESSION_HEADER } from "../http/http-exchange.ts";
import type { Caller } from "../messages/caller.ts";
import { RPC_ERRORS } from "../messages/json-rpc.ts";
import type { AnswerHead } from "./answer/server-answer.ts";

const METHODS = new Set(["GET", "POST", "DELETE"]);
const SSE_PATH = "/sse";
/**
 * Sessions that are remembered, in all and of one caller; when one is forgotten, its client has to initialize again.
 * A caller cannot push out sessions of another caller that has fewer.
 */
const MAX_SESSIONS = 10_000;
const MAX_CALLER_SESSIONS = 1_000;

/** `any` is for a remote server: the path that a client uses decides the transport. */
export type HttpTransport = "sse" | "streamable-http" | "any";

export class HttpSessions {
  readonly #transport: HttpTransport;
  readonly #areSealed: boolean;
  /** By session id (`streamable-http`) or by the address that was announced for posting (`sse`). */
  readonly #owners = new Map<string, string>();
  /** The same keys by caller, least recently used first. */
  readonly #keys = new Map<string, Set<string>>();

  /** @param areSealed Whether the id itself contains its owner, so that the proxy remembers nothing. */
  constructor(transport: HttpTransport, areSealed: boolean) {
    this.#transport = transport;
    this.#areSealed = areSealed;
  }

  /** @throws {HttpRefusal} 404 for anything but the MCP address, 405 for anything but its methods, and for a session that is not the caller's. */
  check(request: IncomingMessage, path: string, caller: Caller): void {
    const transport = findTransport(this.#transport, path);
    const isMcp = transport === "sse" ? this.#isSsePath(request, path) : isMcpPath(path);
    if (!isMcp) throw new HttpRefusal(404, RPC_ERRORS.INVALID_REQUEST, "Nothing is here but the MCP endpoint.");
    if (!METHODS.has(request.method ?? "")) {
      throw new HttpRefusal(405, RPC_ERRORS.INVALID_REQUEST, "Use POST, GET or DELETE.", {
        headers: {
          allow: "GET, POST, DELETE",
        },
      });
    }
    const key = transport === "sse" ? request.url : readHeader(request, SESSION_HEADER);
    const isStart = transport === "sse" && request.method !== "POST";
    if (key === undefined || isStart) return;
    const isOwn = this.#areSealed
      ? transport !== "sse" || request.url !== SSE_PATH
      : this.#owners.get(key) === caller.id;
    if (!isOwn) {
      // Clients that support both transports probe this one first.
      if (transport === "sse" && request.url === SSE_PATH) {
        throw new HttpRefusal(405, RPC_ERRORS.INVALID_REQUEST, "Use GET.", { headers: { allow: "GET" } });
      }
      throw createUnknownSession();
    }
    if (!this.#areSealed) this.#remember(key, caller.id);
  }

  /** Records the session that the server's answer opens. */
  recordSession(request: IncomingMessage, answer: AnswerHead, caller: Caller): void {
    if (this.#transport === "any" && findTransport("any", (request.url ?? "").split("?", 1)[0] ?? "") === "sse") return;
    if (this.#transport === "sse") return;
    const id = readHeader(answer, SESSION_HEADER);
    const isGood = answer.statusCode !== undefined && answer.statusCode < 300;
    if (request.method === "DELETE") {
      const ended = readHeader(request, SESSION_HEADER);
      if (isGood && ended !== undefined) this.#forget(ended);
      // A server must not be able to give one caller's session to another.
    } else if (isGood && id !== undefined && !this.#owners.has(id)) this.#remember(id, caller.id);
  }

  /** Records the address for posting that an event stream announces. @returns A function that forgets it. */
  recordPostAddress(address: string, caller: Caller): () => void {
    const { pathname, search } = new URL(address, "http://localhost/sse");
    const key = pathname + search;
    if (this.#owners.has(key)) return () => undefined;
    this.#remember(key, caller.id);
    return () => this.#forget(key);
  }

  /** Posts go to an announced address, which the owner check matches with its query. */
  #isSsePath({ method }: IncomingMessage, path: string): boolean {
    return method === "POST" || (method === "GET" && path === SSE_PATH);
  }

  #remember(key: string, owner: string): void {
    const keys = this.#keys.get(owner) ?? new Set();
    this.#keys.set(owner, keys);
    this.#owners.set(key, owner);
    keys.delete(key);
    keys.add(key);
    if (keys.size > MAX_CALLER_SESSIONS) this.#forgetOldest(keys);
    if (this.#owners.size <= MAX_SESSIONS) return;
    let largest = keys;
    for (const others of this.#keys.values()) if (others.size > largest.size) largest = others;
    this.#forgetOldest(largest);
  }

  #forgetOldest(keys: ReadonlySet<string>): void {
    const [oldest] = keys;
    if (oldest !== undefined) this.#forget(oldest);
  }

  #forget(key: string): void {
    const owner = this.#owners.get(key);
    if (owner === undefined) return;
    this.#owners.delete(key);
    const keys = this.#keys.get(owner);
    keys?.delete(key);
    if (keys?.size === 0) this.#keys.delete(owner);
  }
}

/** The transport of a path. */
export function findTransport(transport: HttpTransport, path: string): "sse" | "streamable-http" {
  if (transport !== "any") return transport;
  return isMcpPath(path) ? "streamable-http" : "sse";
}

function isMcpPath(path: string): boolean {
  return path === "/mcp" || path === "/mcp/";
}
