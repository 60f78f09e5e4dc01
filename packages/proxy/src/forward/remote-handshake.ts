/**
 * Whether a remote server does its work: `initialize` and a list, sent on the way that calls of clients take. A server that
 * asks for a sign-in only at the first call shows it here.
 */
import { once } from "node:events";
import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import type { RemoteServer } from "@toolhive/core";
import { ThvError } from "@toolhive/core/errors";
import { toOneLine } from "@toolhive/core/one-line";
import { createParser } from "eventsource-parser";
import { headerOf } from "../http/http-exchange.ts";
import { isRecord } from "../messages/client-message.ts";
import { META } from "../messages/meta-keys.ts";
import { LATEST_SESSION_REVISION, MODERN_REVISION } from "../messages/protocol-revisions.ts";
import type { RemoteRoute } from "./remote-agent.ts";
import { RemoteExchange } from "./remote-exchange.ts";
import { describeRemoteAnswer, describeRemoteFailure, type NamedServer, showUrl } from "./remote-problems.ts";
import { SESSION_HEADER } from "./replicas.ts";

/** Bytes of answers to one handshake: a list of many tools has hundreds of KiB. */
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;
const CLIENT = { name: "toolhive", version: "1" };

type Members = Readonly<Record<string, unknown>>;

export interface HandshakeTarget {
  readonly remote: RemoteServer;
  readonly server: NamedServer;
  readonly route: RemoteRoute;
}

/** @throws {ThvError} What is wrong. */
export async function shakeHands(target: HandshakeTarget, signal: AbortSignal): Promise<void> {
  // Nobody who watches is told: whoever asks gets the result.
  const { onOutcome: _, ...quiet } = target.remote;
  const visit = new Visit({ ...target, remote: quiet }, signal);
  try {
    if (target.server.transport === "sse") await visit.overSse();
    else await visit.overStreamableHttp();
  } catch (error) {
    if (error instanceof ThvError) throw error;
    // The reason of the signal says more than the error of the connection that it broke off.
    throw describeRemoteFailure(signal.aborted ? signal.reason : error, target.server);
  } finally {
    visit.end();
  }
}

class Visit {
  readonly #target: HandshakeTarget;
  readonly #signal: AbortSignal;
  readonly #leave = new AbortController();
  #headers: Record<string, string> = {};

  constructor(target: HandshakeTarget, signal: AbortSignal) {
    this.#target = target;
    this.#signal = AbortSignal.any([signal, this.#leave.signal]);
  }

  end(): void {
    this.#leave.abort(new Error("the handshake is over"));
  }

  async overStreamableHttp(): Promise<void> {
    const first = await this.#post(createInitialize());
    const session = headerOf(first, SESSION_HEADER);
    const reply = await this.#readReply(first, 1);
    if (isRecord(reply.error)) {
      await this.#askModern(reply.error);
      return;
    }
    const result = isRecord(reply.result) ? reply.result : {};
    if (session !== undefined) this.#headers[SESSION_HEADER] = session;
    if (typeof result.protocolVersion === "string") this.#headers["mcp-protocol-version"] = result.protocolVersion;
    (await this.#post({ jsonrpc: "2.0", method: "notifications/initialized" })).destroy();
    this.#expectResult(await this.#readReply(await this.#post(createList(result, 2)), 2));
    if (session !== undefined) await this.#endSession();
  }

  /** The server has done its work. It need not let clients end sessions, and what it says to that is of no interest. */
  async #endSession(): Promise<void> {
    try {
      (await this.#send("DELETE", undefined)).destroy();
    } catch {
      // The session ends by itself.
    }
  }

  /** A server of 2026-07-28 and later knows no `initialize`. */
  async #askModern(refusal: Members): Promise<void> {
    this.#headers["mcp-protocol-version"] = MODERN_REVISION;
    this.#headers["mcp-method"] = "tools/list";
    const _meta = { [META.revision]: MODERN_REVISION, [META.clientInfo]: CLIENT, [META.capabilities]: {} };
    const answer = await this.#post({ jsonrpc: "2.0", id: 2, method: "tools/list", params: { _meta } });
    const reply = await this.#readReply(answer, 2);
    if (isRecord(reply.error)) throw this.#complain("initialize", refusal);
  }

  async overSse(): Promise<void> {
    const stream = await this.#send("GET", undefined);
    const events = new EventReader(stream);
    const address = await events.next(({ event }) => event === "endpoint");
    const { url } = this.#target.remote;
    const post = URL.canParse(address, url.href) ? new URL(address, url) : undefined;
    if (post?.origin !== url.origin)
      throw this.#problem(
        "names an address for messages on another host",
        "It is not used: a token would be sent there.",
      );
    const path = post.pathname + post.search;
    const ask = async (message: Members, id: number): Promise<Members> => {
      (await this.#send("POST", message, path)).destroy();
      const text = await events.next(({ event, data }) => event !== "endpoint" && readMessage(data)?.id === id);
      return readMessage(text) ?? {};
    };
    const reply = await ask(createInitialize(), 1);
    this.#expectResult(reply, "initialize");
    const result = isRecord(reply.result) ? reply.result : {};
    (await this.#send("POST", { jsonrpc: "2.0", method: "notifications/initialized" }, path)).destroy();
    this.#expectResult(await ask(createList(result, 2), 2));
  }

  async #post(message: Members): Promise<IncomingMessage> {
    return await this.#send("POST", message);
  }

  async #send(method: string, message: Members | undefined, path = "/"): Promise<IncomingMessage> {
    const { remote, server, route } = this.#target;
    const hasSession = this.#headers[SESSION_HEADER] !== undefined;
    const exchange = new RemoteExchange({
      ...{ remote, server, method, hasSession, canRepeat: true, id: undefined, signal: this.#signal },
      clientUrl: path,
    });
    const body = message && JSON.stringify(message);
    for (;;) {
      const answer = await this.#exchange(exchange, method, body, route);
      if (answer !== undefined) return answer;
    }
  }

  /** @returns Nothing when it has to be sent once more. */
  async #exchange(
    exchange: RemoteExchange,
    method: string,
    body: string | undefined,
    { agent, tls }: RemoteRoute,
  ): Promise<IncomingMessage | undefined> {
    const { remote, server } = this.#target;
    await exchange.authorize();
    const { url } = remote;
    const headers = exchange.buildHeaders({
      accept: method === "GET" ? "text/event-stream" : "application/json, text/event-stream",
      ...(body !== undefined && { "content-type": "application/json", "content-length": Buffer.byteLength(body) }),
      ...this.#headers,
    });
    const send = url.protocol === "https:" ? requestHttps : requestHttp;
    const outgoing = send({
      host: url.hostname.replace(/^\[|\]$/g, ""),
      port: Number(url.port) || (url.protocol === "https:" ? 443 : 80),
      ...{ method, path: exchange.path, headers, agent, signal: this.#signal, ...tls },
    });
    outgoing.end(body);
    const [answer] = (await once(outgoing, "response", { signal: this.#signal })) as [IncomingMessage];
    // The end of the handshake breaks it off.
    answer.on("error", () => undefined);
    outgoing.on("error", () => undefined);
    const isAgain = await exchange.judge(answer);
    if (isAgain) answer.destroy();
    else {
      const status = answer.statusCode ?? 0;
      const known = describeRemoteAnswer(answer, server, { hasSession: false });
      if (known) throw known;
      if (status >= 400 && !isJson(answer))
        throw this.#problem(
          `refuses ${method} with status ${status}`,
          "Check its address and what it needs, such as a header with a key.",
        );
    }
    return isAgain ? undefined : answer;
  }

  async #readReply(answer: IncomingMessage, id: number): Promise<Members> {
    if (headerOf(answer, "content-type")?.startsWith("text/event-stream")) {
      const text = await new EventReader(answer).next(({ data }) => readMessage(data)?.id === id);
      answer.destroy();
      return readMessage(text) ?? {};
    }
    const message = readMessage(await readText(answer));
    if (message === undefined) throw this.#problem("answers with something else than JSON-RPC", "Check its address.");
    // A server that takes nothing of the request says so without an id.
    return message;
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

function readMessage(text: string): Members | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isJson(answer: IncomingMessage): boolean {
  return headerOf(answer, "content-type")?.startsWith("application/json") === true;
}

async function readText(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) throw new Error(`its answer has more than ${MAX_ANSWER_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

interface ReadEvent {
  readonly event: string | undefined;
  readonly data: string;
}

/** Reads one stream of events, as far as somebody waits for one. */
class EventReader {
  readonly #chunks: AsyncIterator<Buffer>;
  readonly #events: ReadEvent[] = [];
  readonly #parser = createParser({ onEvent: ({ event, data }) => this.#events.push({ event, data }) });
  readonly #decoder = new TextDecoder();
  #bytes = 0;

  constructor(answer: IncomingMessage) {
    this.#chunks = (answer as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  }

  /** @returns The data of the first event that is wanted; those before it are dropped. */
  async next(isWanted: (event: ReadEvent) => boolean): Promise<string> {
    for (;;) {
      for (let event = this.#events.shift(); event; event = this.#events.shift()) {
        if (isWanted(event)) return event.data;
      }
      const { value, done } = await this.#chunks.next();
      if (done) throw new Error("its stream of events has ended without an answer");
      this.#bytes += value.length;
      if (this.#bytes > MAX_ANSWER_BYTES) throw new Error(`its answer has more than ${MAX_ANSWER_BYTES} bytes`);
      this.#parser.feed(this.#decoder.decode(value, { stream: true }));
    }
  }
}
