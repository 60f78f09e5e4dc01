/** One HTTP request to an MCP server and its answer: sent once, or as often as its guard wants. */
import {
  type Agent,
  type ClientRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request as requestHttp,
} from "node:http";
import { request as requestHttps } from "node:https";
import type { Duplex, Readable } from "node:stream";
import type { SecureContext } from "node:tls";
import { ByteParts } from "@toolhive/http/byte-parts";
import { decodeAnswer } from "@toolhive/http/decode-answer";
import { AnswerTooLarge, NotDelivered, RefusedMessage, SessionLost } from "./failures.ts";

/** Bytes of a refusal that are read. */
const MAX_REFUSAL_BYTES = 1024 * 1024;
/** Milliseconds in which a refusal has to arrive. */
const REFUSAL_MS = 5_000;
/** A guard that is never satisfied does not send for ever. */
const MAX_ATTEMPTS = 10;

/** On every request that names no other: some servers refuse those without. */
export const USER_AGENT = { "user-agent": "toolhive" } as const;

export interface GuardedRequest {
  readonly method: "GET" | "POST" | "DELETE";
  /** Path and query at the server. */
  readonly path: string;
  readonly hasSession: boolean;
}

/** Authorizes one request, and judges its answer. */
export interface ExchangeGuard {
  /** Path and query to send to. */
  readonly path: string;
  /** Called before each sending. @throws When there is nothing to send it with. */
  authorize(): Promise<void>;
  buildHeaders(headers: OutgoingHttpHeaders): OutgoingHttpHeaders;
  /** @returns Whether the request has to be sent once more. @throws For an answer that must not be used. */
  judge(answer: IncomingMessage): Promise<boolean>;
}

export interface ServerTarget {
  /** `http:` or `https:`. */
  readonly url: URL;
  /** Bytes of one message of the server. */
  readonly maxMessageBytes: number;
  /** Default: a connection for each request, on which a loss always shows whether anything has arrived. */
  readonly agent?: Agent;
  /** Options of each connection with TLS. */
  readonly tls?: { readonly secureContext?: SecureContext };
  readonly createGuard?: (request: GuardedRequest) => ExchangeGuard;
}

export interface OutgoingRequest extends GuardedRequest {
  readonly headers: OutgoingHttpHeaders;
  readonly body?: readonly Buffer[];
}

/** What one message waits for: an exchange, its answer, or the pause before the next one. Can be cancelled at any time. */
export class Work {
  #outgoing: ClientRequest | undefined;
  #endPause: (() => void) | undefined;
  #reason: Error | undefined;

  get isCancelled(): boolean {
    return this.#reason !== undefined;
  }

  cancel(reason = new Error("The message was cancelled.")): void {
    this.#reason ??= reason;
    this.#outgoing?.destroy();
    this.#endPause?.();
  }

  /** @throws The reason, once it was cancelled. */
  assertWanted(): void {
    if (this.#reason !== undefined) throw this.#reason;
  }

  /** @throws {NotDelivered} When nothing of the request has arrived, and what the guard throws. */
  send(target: ServerTarget, request: OutgoingRequest): Promise<IncomingMessage> {
    const guard = target.createGuard?.(request);
    return guard === undefined ? this.#sendOnce(target, request) : this.#sendGuarded(target, request, guard);
  }

  /** @param isKeepingAlive Whether the process has to stay for it. */
  async pause(ms: number, isKeepingAlive: boolean): Promise<void> {
    this.assertWanted();
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      if (!isKeepingAlive) timer.unref();
      this.#endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#endPause = undefined;
    this.assertWanted();
  }

  async #sendGuarded(target: ServerTarget, request: OutgoingRequest, guard: ExchangeGuard): Promise<IncomingMessage> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      await guard.authorize();
      const headers = guard.buildHeaders(request.headers);
      const answer = await this.#sendOnce(target, { ...request, headers, path: guard.path });
      let isWanted = false;
      try {
        isWanted = !(await guard.judge(answer));
        if (isWanted) return answer;
      } finally {
        if (!isWanted) answer.destroy();
      }
    }
    throw new Error(`The server did not accept the request in ${MAX_ATTEMPTS} attempts.`);
  }

  #sendOnce(target: ServerTarget, { method, path, headers, body = [] }: OutgoingRequest): Promise<IncomingMessage> {
    const { agent = false, tls } = target;
    const { host, port, isSecure } = findAddress(target);
    return new Promise<IncomingMessage>((resolve, reject) => {
      this.assertWanted();
      const outgoing = (isSecure ? requestHttps : requestHttp)({
        host,
        port,
        method,
        path,
        headers,
        agent,
        ...tls,
      });
      this.#outgoing = outgoing;
      let isConnected = false;
      outgoing.on("socket", (socket) => {
        // On a reused connection, it is unknown what has arrived.
        if (!socket.connecting) isConnected = true;
        else {
          socket.once(isSecure ? "secureConnect" : "connect", () => {
            isConnected = true;
          });
        }
      });
      outgoing.on("response", (answer) => {
        // The reader of the answer sees its failure; before that, there is no reader.
        answer.on("error", ignore);
        resolve(answer);
      });
      outgoing.on("upgrade", refuseUpgrade);
      outgoing.on("error", (error) => {
        // What is cancelled before there is a connection has not arrived either.
        const cause = this.#reason ?? error;
        reject(isConnected ? cause : new NotDelivered(cause.message, { cause }));
      });
      const last = body.length - 1;
      for (let index = 0; index < last; index += 1) outgoing.write(body[index]);
      outgoing.end(body[last]);
    });
  }
}

interface ServerAddress {
  readonly host: string;
  readonly port: number;
  readonly isSecure: boolean;
}

/** By the target, since every request asks for it and an URL is slow to take apart. */
const ADDRESSES = new WeakMap<ServerTarget, ServerAddress>();

function findAddress(target: ServerTarget): ServerAddress {
  const known = ADDRESSES.get(target);
  if (known !== undefined) return known;
  const { protocol, hostname, port } = target.url;
  const isSecure = protocol === "https:";
  const host = hostname.replace(/^\[|\]$/g, "");
  const address = { host, port: Number(port) || (isSecure ? 443 : 80), isSecure };
  ADDRESSES.set(target, address);
  return address;
}

function refuseUpgrade(this: ClientRequest, _answer: IncomingMessage, socket: Duplex): void {
  socket.destroy();
  this.emit("error", new Error("The server wants to switch to another protocol than HTTP, which MCP does not need."));
}

function ignore(): void {
  // The reader of the answer sees its failure.
}

export function isAccepted({ statusCode: status = 0 }: IncomingMessage): boolean {
  return status >= 200 && status < 300;
}

/** @returns Why an answer with a status other than success refuses the message. */
export async function readFailure(answer: IncomingMessage, hasSession: boolean): Promise<SessionLost | RefusedMessage> {
  const { statusCode: status = 0 } = answer;
  const body = await readRefusal(answer);
  return status === 404 && hasSession ? new SessionLost(body) : new RefusedMessage(status, body);
}

export function isEventStream({ headers }: IncomingMessage): boolean {
  return headers["content-type"]?.split(";", 1)[0]?.trim().toLowerCase() === "text/event-stream";
}

/** @throws {AnswerTooLarge} And when the answer ends early, or is compressed in a way that cannot be read. */
export function readAnswer(answer: IncomingMessage, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const body = openBody(answer);
    const parts = new ByteParts();
    body.on("data", (part: Buffer) => {
      parts.add(part);
      if (parts.length <= maxBytes) return;
      parts.clear();
      body.destroy();
      reject(new AnswerTooLarge("answer", maxBytes));
    });
    body.on("end", () => resolve(parts.take()));
    body.on("error", reject);
    body.on("close", () => reject(answer.errored ?? new Error("The server's answer ended early.")));
  });
}

/** The body of an answer without its coding, which a server may choose although no request asks for one. @throws */
export function openBody(answer: IncomingMessage): Readable {
  if (answer.errored) throw answer.errored;
  return decodeAnswer(answer);
}

/** The first bytes; those that follow are of no interest. */
async function readRefusal(answer: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const timer = setTimeout(() => answer.destroy(), REFUSAL_MS);
  try {
    for await (const chunk of openBody(answer) as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= MAX_REFUSAL_BYTES) break;
    }
  } catch {
    // The status says enough.
  } finally {
    clearTimeout(timer);
  }
  return Buffer.concat(chunks);
}
