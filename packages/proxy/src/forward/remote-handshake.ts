/**
 * Whether a remote server does its work: `initialize` and a list, sent on the way that calls of clients take. A server that
 * asks for a sign-in only at the first call shows it here.
 */
import type { IncomingMessage } from "node:http";
import type { RemoteServer } from "@toolhive/core";
import { ThvError } from "@toolhive/core/errors";
import { toOneLine } from "@toolhive/core/one-line";
import { isRecord } from "@toolhive/http/values";
import {
  type ClientSession,
  type ExchangeGuard,
  ForeignAddress,
  type GuardedRequest,
  NotDelivered,
  openSession,
  RefusedMessage,
  SessionLost,
  Unanswered,
} from "@toolhive/mcp-client";
import { readHeader } from "../http/http-exchange.ts";
import { META } from "../messages/meta-keys.ts";
import { LATEST_SESSION_REVISION, MODERN_REVISION } from "../messages/protocol-revisions.ts";
import type { RemoteRoute } from "./remote-agent.ts";
import { RemoteExchange } from "./remote-exchange.ts";
import { describeRemoteAnswer, describeRemoteFailure, type NamedServer, showUrl } from "./remote-problems.ts";

/** Bytes of one answer: a list of many tools has hundreds of KiB. */
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;
const CLIENT = { name: "toolhive", version: "1" };
const INITIALIZED = { jsonrpc: "2.0", method: "notifications/initialized" };

type Members = Readonly<Record<string, unknown>>;

export interface HandshakeTarget {
  readonly remote: RemoteServer;
  readonly server: NamedServer;
  readonly route: RemoteRoute;
}

/** @throws {ThvError} What is wrong. */
export async function shakeHands(target: HandshakeTarget, signal: AbortSignal): Promise<void> {
  // Observers receive nothing: only the caller of this probe gets the result.
  const { onOutcome: _, ...quiet } = target.remote;
  const handshake = new Handshake({ ...target, remote: quiet }, signal);
  try {
    await handshake.run();
  } catch (error) {
    if (error instanceof ThvError) throw error;
    // The reason of the signal says more than the error of the connection that it broke off.
    const reason = signal.aborted ? signal.reason : error;
    throw describeRemoteFailure(reason instanceof NotDelivered ? (reason.cause ?? reason) : reason, target.server);
  }
}

class Handshake {
  readonly #target: HandshakeTarget;
  readonly #signal: AbortSignal;

  constructor(target: HandshakeTarget, signal: AbortSignal) {
    this.#target = target;
    this.#signal = signal;
  }

  async run(): Promise<void> {
    const session = await this.#open();
    // An abort ends everything under way, also work that no caller waits for any more.
    const stop = () => void session.close();
    this.#signal.addEventListener("abort", stop, { once: true });
    try {
      const reply = await this.#ask(session, createInitialize());
      if (session.answersInPlace && isRecord(reply.error)) {
        await this.#askModern(session, reply.error);
        return;
      }
      if (!session.answersInPlace) this.#expectResult(reply, "initialize");
      const result = isRecord(reply.result) ? reply.result : {};
      session.establish(typeof result.protocolVersion === "string" ? result.protocolVersion : undefined);
      await this.#notify(session, INITIALIZED);
      this.#expectResult(await this.#ask(session, createList(result, 2)));
    } finally {
      this.#signal.removeEventListener("abort", stop);
      await session.close();
    }
  }

  async #open(): Promise<ClientSession> {
    const { remote, server, route } = this.#target;
    try {
      return await openSession(
        {
          ...{ url: remote.url, agent: route.agent, tls: route.tls, maxMessageBytes: MAX_ANSWER_BYTES },
          createGuard: (request) => this.#createGuard(request),
        },
        // The server's own messages are ignored; when its stream ends, the request that waits fails.
        { onMessage: () => undefined, onLost: () => undefined },
        { transport: server.transport, signal: this.#signal },
      );
    } catch (error) {
      if (!(error instanceof ForeignAddress)) throw error;
      throw this.#problem(
        "names an address for messages on another host",
        "It is not used: a token would be sent there.",
      );
    }
  }

  #createGuard({ method, path, hasSession }: GuardedRequest): ExchangeGuard {
    const { remote, server } = this.#target;
    const exchange = new RemoteExchange({
      ...{ remote, server, method, hasSession, canRepeat: true, id: undefined, signal: this.#signal },
      clientUrl: path,
    });
    return {
      get path() {
        return exchange.path;
      },
      authorize: () => exchange.authorize(),
      buildHeaders: (headers) => exchange.buildHeaders(headers),
      judge: async (answer) => {
        if (await exchange.judge(answer)) return true;
        const { statusCode: status = 0 } = answer;
        const known = describeRemoteAnswer(answer, server, { hasSession: false });
        if (known) throw known;
        if (status >= 400 && !isJson(answer))
          throw this.#problem(
            `refuses ${method} with status ${status}`,
            "Check its address and what it needs, such as a header with a key.",
          );
        return false;
      },
    };
  }

  /** A server of 2026-07-28 and later knows no `initialize`. */
  async #askModern(session: ClientSession, refusal: Members): Promise<void> {
    const headers = { "mcp-protocol-version": MODERN_REVISION, "mcp-method": "tools/list" };
    const _meta = { [META.revision]: MODERN_REVISION, [META.clientInfo]: CLIENT, [META.capabilities]: {} };
    const message = { jsonrpc: "2.0", id: 2, method: "tools/list", params: { _meta } };
    const reply = await this.#ask(session, message, headers);
    if (isRecord(reply.error)) throw this.#complain("initialize", refusal);
  }

  /** An error of the protocol in the answer is of no interest: the next request shows what it means. */
  async #notify(session: ClientSession, message: Members): Promise<void> {
    const post = session.post({ body: [encode(message)], onMessage: () => undefined });
    await post.done.catch((error: unknown) => {
      if (readRefusal(error) === undefined) throw error;
    });
  }

  async #ask(session: ClientSession, message: Members, headers?: Record<string, string>): Promise<Members> {
    let isJsonRpc = true;
    const isAnswer = (text: Buffer): boolean => {
      const reply = readMessage(text);
      isJsonRpc &&= reply !== undefined;
      // A server that can read nothing of the request answers without an id.
      return reply?.id === message.id || (reply !== undefined && (reply.id ?? reply.method ?? null) === null);
    };
    const isInitialize = message.method === "initialize";
    try {
      const question = { body: [encode(message)], isInitialize, headers, isAnswer, signal: this.#signal };
      return readMessage(await session.request(question)) ?? {};
    } catch (error) {
      const refusal = readRefusal(error);
      const reply = refusal && readMessage(refusal);
      if (reply !== undefined) return reply;
      const isOther = refusal !== undefined || (error instanceof Unanswered && !isJsonRpc);
      throw isOther ? this.#problem("answers with something else than JSON-RPC", "Check its address.") : error;
    }
  }

  #expectResult(reply: Members, what = "a list"): void {
    if (isRecord(reply.error)) throw this.#complain(what, reply.error);
    if (!isRecord(reply.result))
      throw this.#problem(`answers ${what} with something else than JSON-RPC`, "Check its address.");
  }

  #complain(what: string, error: Members): ThvError {
    const text = toOneLine(String(error.message ?? "")).slice(0, 200);
    return this.#problem(
      `answers ${what} with the error ${String(error.code).slice(0, 20)}: ${text}`,
      "It may need a sign-in or a header with a key: look at what its provider says.",
    );
  }

  #problem(reason: string, hint: string): ThvError {
    return new ThvError("SERVER_NOT_READY", `${showUrl(this.#target.remote.url)} ${reason}.`, { hint });
  }
}

function createInitialize(): Members {
  const params = { protocolVersion: LATEST_SESSION_REVISION, capabilities: {}, clientInfo: CLIENT };
  return { jsonrpc: "2.0", id: 1, method: "initialize", params };
}

/** What the server says that it has. */
function createList({ capabilities }: Members, id: number): Members {
  const has = isRecord(capabilities) ? capabilities : {};
  const kind = ["tools", "resources", "prompts"].find((name) => has[name] !== undefined);
  return { jsonrpc: "2.0", id, method: kind === undefined ? "ping" : `${kind}/list` };
}

function encode(message: Members): Buffer {
  return Buffer.from(JSON.stringify(message));
}

/** The body of an answer with a status other than success. */
function readRefusal(error: unknown): Buffer | undefined {
  return error instanceof RefusedMessage || error instanceof SessionLost ? error.body : undefined;
}

function readMessage(text: Buffer): Members | undefined {
  try {
    const value: unknown = JSON.parse(text.toString("utf8"));
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isJson(answer: IncomingMessage): boolean {
  return readHeader(answer, "content-type")?.startsWith("application/json") === true;
}
