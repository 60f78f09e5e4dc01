/**
 * Clients that find tools instead of listing them, where a server speaks HTTP itself. The endpoint asks itself for lists, inside the
 * process, in the client's name: with its session, and held to the same rules.
 */
import { randomUUID } from "node:crypto";
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import { describeError } from "@toolhive/core/errors";
import { startTimeout } from "@toolhive/core/timeout-signal";
import { removeHopByHop } from "@toolhive/http";
import { AnswerTooLarge, type ClientSession, openSession, RefusedMessage, Unanswered } from "@toolhive/mcp-client";
import { type FindCall, readFindCall, showTwoTools } from "../find/find-calls.ts";
import { ToolFinder, type ToolFinderOptions } from "../find/tool-finder.ts";
import type { EventFilter } from "../http/event-filter.ts";
import { HttpRefusal, readHeader, sendEmpty, sendJson } from "../http/http-exchange.ts";
import { InProcessAgent } from "../http/in-process.ts";
import type { Caller } from "../messages/caller.ts";
import type { ClientMessage } from "../messages/client-message.ts";
import { RPC_ERRORS, readEnvelope } from "../messages/json-rpc.ts";
import { splice } from "../messages/json-scanner.ts";
import { addResultMembers } from "../messages/modern/adapt-messages.ts";
import type { Limits } from "../options/limits.ts";
import { isModern } from "../transports/modern/envelope.ts";

/** Headers that belong to the client's own message. */
const OF_MESSAGE = ["mcp-name", "accept", "content-type", "content-length"];
/** Lists that clients of HTTP with SSE wait for; a forgotten one is answered with all tools. */
const MAX_AWAITED_LISTS = 4_096;

export interface HttpFindingOptions extends Pick<ToolFinderOptions, "admission"> {
  readonly limits: Pick<Limits, "requestMs" | "maxLineBytes">;
  /** Answers a request of that caller as the endpoint does. A refusal may be thrown. */
  readonly answer: (request: IncomingMessage, response: ServerResponse, caller: Caller) => Promise<void>;
}

/** One exchange of a client. */
export interface FindingExchange {
  /** @returns The remaining messages; `undefined` when the client has its answer. @throws {HttpRefusal} */
  intercept(messages: readonly ClientMessage[]): Promise<readonly ClientMessage[] | undefined>;
  /** A message of the server as the client gets it; `undefined` when it is not for the client. */
  change(message: Buffer): Buffer | undefined;
  /** The exchange is a stream. */
  recordStream(filter: EventFilter | undefined): void;
  /** The stream names this address for posting. */
  recordPostAddress(address: string): void;
}

interface ExchangeParts {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly caller: Caller;
  /** Whether the answer arrives on another exchange, a stream. */
  readonly isSse: boolean;
}

export class HttpFinding {
  readonly #options: HttpFindingOptions;
  readonly #finder: ToolFinder;
  /** Pages that arrive on a stream, by the raw ids of their requests. */
  readonly #pages = new Map<string, (answer: Buffer) => void>();
  /** Streams by the addresses that they named for posting. */
  readonly #streams = new Map<string, EventFilter>();
  /** Requests for a list whose answers arrive on a stream: the address and the raw id. */
  readonly #lists = new Set<string>();

  constructor(options: HttpFindingOptions) {
    this.#options = options;
    this.#finder = new ToolFinder(options);
  }

  /** Whether answers of the server may be awaited by somebody here. */
  get isWaiting(): boolean {
    return this.#pages.size > 0 || this.#lists.size > 0;
  }

  begin(parts: ExchangeParts): FindingExchange {
    const { request, response, isSse } = parts;
    let address = request.url ?? "";
    let filter: EventFilter | undefined;
    let listsTwo = false;
    return {
      intercept: async (messages) => {
        const calls = messages.map(readFindCall);
        if (calls.length > 1 && calls.some(({ kind }) => kind === "find" || kind === "refuse")) {
          const reason = "find_tool must not be part of a batch.";
          throw new HttpRefusal(400, RPC_ERRORS.INVALID_REQUEST, reason);
        }
        for (const { kind, message } of calls) {
          if (kind === "list" && isSse) this.#awaitList(address, message);
          else if (kind === "list") listsTwo = true;
        }
        const [call] = calls;
        const isAnswered = calls.length === 1 && call !== undefined && (await this.#answer(call, parts));
        return isAnswered ? undefined : calls.map(({ message }) => message);
      },
      change: (message) => {
        if (!listsTwo && !this.isWaiting) return message;
        const envelope = readEnvelope(message);
        if (envelope?.kind !== "response" || envelope.id === undefined) return message;
        const id = message.toString("utf8", envelope.id.start, envelope.id.end);
        const settle = this.#pages.get(id);
        if (settle !== undefined) {
          settle(Buffer.from(message));
          return undefined;
        }
        return listsTwo || this.#lists.delete(formatListKey(address, id)) ? showTwoTools(message) : message;
      },
      recordStream: (stream) => {
        filter = stream;
      },
      recordPostAddress: (given) => {
        const { pathname, search } = new URL(given, "http://localhost/sse");
        address = pathname + search;
        const stream = filter;
        if (stream === undefined) return;
        this.#streams.set(address, stream);
        response.once("close", () => {
          if (this.#streams.get(address) === stream) this.#streams.delete(address);
        });
      },
    };
  }

  #answer(call: FindCall, parts: ExchangeParts): Promise<boolean> {
    return this.#finder.answer(call, {
      caller: parts.caller,
      askPage: (list) => this.#askPage(list, parts),
      respond: (answer) => this.#send(answer, call.message, parts),
    });
  }

  #send(answer: Buffer, message: ClientMessage, { request, response, isSse }: ExchangeParts): void {
    if (response.destroyed) return;
    if (isSse) {
      this.#streams.get(request.url ?? "")?.insert(answer);
      sendEmpty(response, 202);
      return;
    }
    const isNew = isModern(message, readHeader(request, "mcp-protocol-version"));
    sendJson(response, 200, isNew ? addResultMembers(answer, "tools/call", undefined) : answer);
  }

  /** @throws {HttpRefusal} 502. */
  async #askPage({ envelope }: ClientMessage, parts: ExchangeParts): Promise<Buffer> {
    const { request, response, isSse } = parts;
    // The stream of a client with SSE brings the answer, so the id has to be unique.
    const id = JSON.stringify(`thv-find-${randomUUID()}`);
    const body = envelope.id ? splice(envelope.text, [{ span: envelope.id, bytes: Buffer.from(id) }]) : envelope.text;
    const ended = new AbortController();
    const onClose = (): void => ended.abort(new Error("the client has gone"));
    response.once("close", onClose);
    const signal = AbortSignal.any([ended.signal, startTimeout(this.#options.limits.requestMs)]);
    const session = await this.#openSession(parts);
    const message = { body: [body], headers: createHeaders(request), onMessage: () => undefined };
    try {
      return await new Promise<Buffer>((resolve, reject) => {
        signal.addEventListener("abort", () => reject(new Error("there was no answer in time")), { once: true });
        if (isSse) {
          this.#pages.set(id, resolve);
          session.post(message).done.catch(reject);
        } else session.request({ ...message, isAnswer: isResponse, signal }).then(resolve, reject);
      });
    } catch (error) {
      if (error instanceof RefusedMessage && isResponse(error.body)) return error.body;
      const reason = signal.aborted ? "there was no answer in time" : describeFailure(error);
      throw new HttpRefusal(502, RPC_ERRORS.SERVER_UNAVAILABLE, `The tools could not be listed: ${reason}.`);
    } finally {
      response.off("close", onClose);
      this.#pages.delete(id);
      void session.close();
    }
  }

  /** With the endpoint itself, which answers as it would answer the client. */
  async #openSession({ request: { socket, url }, caller }: ExchangeParts): Promise<ClientSession> {
    const { limits, answer } = this.#options;
    const agent = new InProcessAgent(socket, (request, response) => answer(request, response, caller));
    const target = { url: new URL(`http://localhost${url}`), agent, maxMessageBytes: limits.maxLineBytes };
    const hooks = { onMessage: () => undefined, onLost: () => undefined };
    return await openSession(target, hooks, { transport: "streamable-http" });
  }

  #awaitList(address: string, { envelope }: ClientMessage): void {
    if (envelope.id === undefined) return;
    this.#lists.add(formatListKey(address, envelope.text.toString("utf8", envelope.id.start, envelope.id.end)));
    const [oldest] = this.#lists;
    if (this.#lists.size > MAX_AWAITED_LISTS && oldest !== undefined) this.#lists.delete(oldest);
  }
}

/** The client's headers, without those that describe its own message. */
function createHeaders(request: IncomingMessage): OutgoingHttpHeaders {
  const headers = removeHopByHop(request);
  const isOfMessage = (name: string): boolean => OF_MESSAGE.includes(name) || name.startsWith("mcp-param-");
  for (const name of Object.keys(headers)) if (isOfMessage(name)) delete headers[name];
  return { ...headers, ...(headers["mcp-method"] !== undefined && { "mcp-method": "tools/list" }) };
}

function isResponse(text: Buffer): boolean {
  return readEnvelope(text)?.kind === "response";
}

function describeFailure(error: unknown): string {
  if (error instanceof RefusedMessage) return `status ${error.status}`;
  if (error instanceof Unanswered) return "the answer has ended before the list";
  if (error instanceof AnswerTooLarge) return "the list is too large";
  return describeError(error);
}

function formatListKey(address: string, id: string): string {
  return `${address} ${id}`;
}
