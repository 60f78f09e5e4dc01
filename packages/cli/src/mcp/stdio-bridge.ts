/**
 * A client that speaks MCP on standard input and output, joined with an endpoint that speaks HTTP. The endpoint may disappear and
 * return, at another port and without the session: the bridge then repeats the client's own handshake, and sends again what has
 * not arrived. It answers requests that may have arrived with an error, because it cannot know whether they were carried out.
 */
import { randomUUID } from "node:crypto";
import type { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { describeError, hasCode, ThvError } from "@toolhive/core/errors";
import { startTimeout } from "@toolhive/core/timeout-signal";
import { isRecord } from "@toolhive/http/values";
import { type ClientSession, NotDelivered, openSession, RefusedMessage, SessionLost } from "@toolhive/mcp-client";
import { type BridgeMessage, type RequestId, readAnsweredIds, readBridgeMessage } from "./bridge-message.ts";

/** Bytes of a message in either direction; what the endpoints accept from their servers. */
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;
/** Milliseconds that a message waits for its server to return. */
const PATIENCE_MS = 60_000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2_000;
/** Milliseconds that open requests have after the input has ended. */
const LAST_ANSWERS_MS = 10_000;
/** Requests that are open at once; the next one is not read before one is answered. */
const MAX_OPEN = 1_000;
/** Subscriptions that are restored. */
const MAX_SUBSCRIPTIONS = 1_000;

const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;
const SERVER_ERROR = -32000;

const LOST = "The connection to the server was lost, and nobody knows whether the request was carried out.";

/** Failures of finding the server that do not pass. */
const LASTING = ["WORKLOAD_NOT_FOUND", "USAGE", "UNAUTHENTICATED"] as const;

export interface StdioBridgeOptions {
  readonly stdin: Readable;
  /** Settles once there is room for more. */
  readonly write: (line: string) => Promise<void>;
  /** Where the server is now. Asked again after each loss. */
  readonly findAddress: () => Promise<URL>;
  /** Prints to a person that the server is away, or back. */
  readonly report: (text: string) => void;
  /** Ends the bridge: the user has interrupted it, or the output has no reader any more. */
  readonly signal: AbortSignal;
  /** Milliseconds that a message waits for its server to return. Default 60 000. */
  readonly patienceMs?: number;
}

interface OpenRequest {
  readonly id: RequestId;
  /** The link on which its answer has to arrive, once the request has arrived there. */
  link?: ClientSession;
}

export class StdioBridge {
  readonly #options: StdioBridgeOptions;
  readonly #over = new AbortController();
  #link: ClientSession | undefined;
  #opening: Promise<ClientSession> | undefined;
  #isAway = false;
  /** The client's own handshake, to be repeated. */
  #initialize: BridgeMessage | undefined;
  #initialized: BridgeMessage | undefined;
  #logLevel: BridgeMessage | undefined;
  readonly #subscriptions = new Map<string, BridgeMessage>();
  /** Requests that are not answered, by their ids as JSON. */
  readonly #open = new Map<string, OpenRequest>();
  /** The bridge's own requests. */
  readonly #own = new Map<string, (answer: unknown) => void>();
  readonly #deliveries = new Set<Promise<void>>();
  /** Called when the request with this id is answered. */
  readonly #waiting = new Map<string, () => void>();
  /** Of the protocol, as the server has chosen it. */
  #revision = "";

  constructor(options: StdioBridgeOptions) {
    this.#options = options;
  }

  /** Settles once the input has ended and all requests are answered, or its signal fires. */
  async run(): Promise<void> {
    const { stdin, signal } = this.#options;
    const stop = () => {
      this.#over.abort();
      stdin.destroy();
    };
    signal.addEventListener("abort", stop, { once: true });
    try {
      if (!signal.aborted) await this.#readAll(stdin);
      if (!signal.aborted) await this.#awaitLastAnswers(signal);
    } catch (error) {
      // Destroying the input to end it is no failure.
      if (!signal.aborted) throw error;
    } finally {
      signal.removeEventListener("abort", stop);
    }
    this.#over.abort();
    await this.#link?.close();
  }

  async #readAll(stdin: Readable): Promise<void> {
    for await (const line of readLines(stdin)) {
      if (line === undefined) {
        await this.#fail(null, INVALID_REQUEST, `The message is longer than ${MAX_MESSAGE_BYTES} bytes.`);
      } else if (line.trim() !== "") await this.#accept(line);
      if (this.#over.signal.aborted) return;
    }
  }

  async #accept(line: string): Promise<void> {
    const message = readBridgeMessage(line);
    if (!message) return await this.#fail(null, PARSE_ERROR, "The line is no JSON-RPC message.");
    const { method, uri } = message;
    if (method === "initialize") this.#forgetSession(message);
    if (method === "notifications/initialized") this.#initialized = message;
    if (method === "logging/setLevel") this.#logLevel = message;
    if (method === "resources/unsubscribe" && uri !== undefined) this.#subscriptions.delete(uri);
    if (method === "resources/subscribe" && uri !== undefined && this.#subscriptions.size < MAX_SUBSCRIPTIONS)
      this.#subscriptions.set(uri, message);
    const delivery = this.#deliver(message).finally(() => this.#deliveries.delete(delivery));
    this.#deliveries.add(delivery);
    // Everything after the handshake depends on it.
    if (method === "initialize" || method === "notifications/initialized") await delivery;
    else if (this.#deliveries.size >= MAX_OPEN) await Promise.race(this.#deliveries);
  }

  /** For a client that initializes again. */
  #forgetSession(initialize: BridgeMessage): void {
    this.#initialize = initialize;
    this.#initialized = undefined;
    this.#logLevel = undefined;
    this.#subscriptions.clear();
  }

  /** Never rejects: each of its requests is answered, with an error when it must be. */
  async #deliver(message: BridgeMessage): Promise<void> {
    for (const id of message.ids) this.#open.set(JSON.stringify(id), { id });
    try {
      const link = await this.#post(message);
      if (link.answersInPlace) await this.#failOpen(message.ids, "The server ended its answer before it was complete.");
      else if (this.#link !== link) await this.#failOpen(message.ids, LOST);
      else for (const id of message.ids) this.#expectFrom(id, link);
      if (message.method === "initialize") await this.#untilAnswered(message.ids);
    } catch (error) {
      if (error instanceof RefusedMessage && (await this.#passRefusal(error, message))) return;
      await this.#failOpen(message.ids, describeFailure(error));
    }
  }

  #expectFrom(id: RequestId, link: ClientSession): void {
    const request = this.#open.get(JSON.stringify(id));
    if (request) request.link = link;
  }

  /** @param message `undefined` to be connected only. */
  async #post(message: BridgeMessage | undefined): Promise<ClientSession> {
    const { patienceMs = PATIENCE_MS } = this.#options;
    const deadline = performance.now() + patienceMs;
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      let link: ClientSession | undefined;
      try {
        link = await this.#ensureLink(message);
        if (message) await this.#send(link, message);
        this.#reportIfBack();
        if (message && message === this.#initialized) link.listen();
        return link;
      } catch (error) {
        this.#over.signal.throwIfAborted();
        if (!mayTryAgain(error)) throw error;
        this.#drop(link);
        if (performance.now() > deadline) throw error;
        this.#reportIfAway(error);
        await delay(pauseMs, undefined, { signal: this.#over.signal });
      }
    }
  }

  /** Settles when the server has nothing more to say to it. @param isAnswered Default: whether none of its requests is open. */
  async #send(
    link: ClientSession,
    { text, headers, method, ids }: BridgeMessage,
    isAnswered = () => ids.every((id) => !this.#open.has(JSON.stringify(id))),
  ): Promise<void> {
    if (method === "notifications/initialized") link.establish(this.#revision || undefined);
    const isOfNoSession = headers["mcp-method"] !== undefined;
    await link.post({
      body: [Buffer.from(text)],
      isInitialize: method === "initialize",
      headers: isOfNoSession ? headers : undefined,
      onMessage: (answer) => this.#receive(answer.toString("utf8")),
      isAnswered: ids.length === 0 ? undefined : isAnswered,
    }).done;
  }

  async #ensureLink(message: BridgeMessage | undefined): Promise<ClientSession> {
    if (this.#link) return this.#link;
    this.#opening ??= this.#connect(message).finally(() => {
      this.#opening = undefined;
    });
    return await this.#opening;
  }

  /** With the client's handshake, unless that is what is about to be sent. */
  async #connect(message: BridgeMessage | undefined): Promise<ClientSession> {
    const url = await this.#options.findAddress();
    const link: ClientSession = await openSession(
      { url, maxMessageBytes: MAX_MESSAGE_BYTES },
      { onMessage: (text) => this.#receive(text.toString("utf8")), onLost: () => void this.#onLost(link) },
    );
    try {
      if (this.#initialized && message?.method !== "initialize") await this.#repeatHandshake(link, message);
    } catch (error) {
      await link.close();
      throw error;
    }
    this.#link = link;
    return link;
  }

  async #repeatHandshake(link: ClientSession, message: BridgeMessage | undefined): Promise<void> {
    const initialize = this.#initialize;
    const initialized = this.#initialized;
    if (!initialize || !initialized) return;
    const answer = await this.#request(link, initialize);
    if (!isRecord(answer) || !isRecord(answer.result))
      throw new Error("The server has come back and refuses the client's handshake.");
    this.#readRevision(answer);
    if (message === initialized) return;
    await this.#send(link, initialized);
    link.listen();
    for (const kept of [this.#logLevel, ...this.#subscriptions.values()])
      if (kept && kept !== message) await this.#request(link, kept);
  }

  /** The same message with an id of the bridge's own; the client does not see the answer. */
  async #request(link: ClientSession, message: BridgeMessage): Promise<unknown> {
    const id = randomUUID();
    let isAnswered = false;
    const answered = new Promise<unknown>((resolve) => {
      this.#own.set(id, (answer) => {
        isAnswered = true;
        resolve(answer);
      });
    });
    try {
      const text = JSON.stringify({ ...JSON.parse(message.text), id });
      await this.#send(link, { ...message, text, ids: [id] }, () => isAnswered);
      if (link.answersInPlace) this.#own.get(id)?.(undefined);
      return await Promise.race([answered, delay(PATIENCE_MS, undefined, { ref: false })]);
    } finally {
      this.#own.delete(id);
    }
  }

  #readRevision(answer: unknown): void {
    const { result } = isRecord(answer) ? answer : {};
    if (isRecord(result) && typeof result.protocolVersion === "string") this.#revision = result.protocolVersion;
  }

  async #receive(text: string): Promise<void> {
    const { value, ids } = readAnsweredIds(text);
    for (const id of ids) {
      const own = typeof id === "string" ? this.#own.get(id) : undefined;
      if (own) return own(value);
      const key = JSON.stringify(id);
      // It was answered already, with an error.
      if (!this.#open.delete(key)) return;
      if (this.#initialize?.ids.includes(id)) this.#readRevision(value);
      this.#waiting.get(key)?.();
    }
    if (value !== undefined) await this.#write(text);
  }

  /** Over HTTP with SSE the answer arrives after the exchange. */
  async #untilAnswered([id]: readonly RequestId[]): Promise<void> {
    const key = JSON.stringify(id);
    if (id === undefined || !this.#open.has(key)) return;
    const answered = new Promise<void>((resolve) => this.#waiting.set(key, resolve));
    await Promise.race([answered, delay(PATIENCE_MS, undefined, { signal: this.#over.signal, ref: false })]);
    this.#waiting.delete(key);
  }

  #drop(link: ClientSession | undefined): void {
    if (!link || this.#link !== link) return;
    this.#link = undefined;
    void link.close();
  }

  async #onLost(link: ClientSession): Promise<void> {
    if (this.#link !== link) return;
    this.#drop(link);
    // Answers that were to arrive on the ended stream will not arrive any more.
    const lost = [...this.#open.values()].filter((request) => request.link === link);
    await this.#failOpen(
      lost.map(({ id }) => id),
      LOST,
    );
    // Reopens the stream of the server's own messages before the client sends a request.
    if (this.#initialized && !this.#over.signal.aborted) await this.#post(undefined).catch(() => undefined);
  }

  /** @returns Whether the server's own words answer the request. */
  async #passRefusal({ body }: RefusedMessage, { ids }: BridgeMessage): Promise<boolean> {
    const [id] = ids;
    if (id === undefined || ids.length > 1 || !this.#open.has(JSON.stringify(id))) return false;
    const { value } = readAnsweredIds(body.toString("utf8"));
    if (!isRecord(value) || !isRecord(value.error)) return false;
    this.#open.delete(JSON.stringify(id));
    await this.#write(JSON.stringify({ jsonrpc: "2.0", id, error: value.error }));
    return true;
  }

  async #failOpen(ids: readonly RequestId[], message: string): Promise<void> {
    for (const id of ids) {
      const key = JSON.stringify(id);
      if (!this.#open.delete(key)) continue;
      this.#waiting.get(key)?.();
      await this.#fail(id, SERVER_ERROR, message);
    }
  }

  async #fail(id: RequestId | null, code: number, message: string): Promise<void> {
    await this.#write(JSON.stringify({ jsonrpc: "2.0", id, error: { code, message } }));
  }

  async #write(text: string): Promise<void> {
    if (this.#over.signal.aborted) return;
    // Outside of strings, where JSON escapes it, a line end is only space.
    await this.#options.write(`${text.replace(/[\r\n]+/g, " ")}\n`);
  }

  #reportIfAway(error: unknown): void {
    if (this.#isAway) return;
    this.#isAway = true;
    this.#options.report(`The server is away, waiting for it: ${describeError(error)}`);
  }

  #reportIfBack(): void {
    if (!this.#isAway) return;
    this.#isAway = false;
    this.#options.report("The server is back.");
  }

  async #awaitLastAnswers(ended: AbortSignal): Promise<void> {
    const timeout = AbortSignal.any([ended, startTimeout(LAST_ANSWERS_MS)]);
    const over = delay(LAST_ANSWERS_MS, undefined, { signal: timeout, ref: false }).catch(() => undefined);
    await Promise.race([over, Promise.all(this.#deliveries)]);
    while (this.#open.size > 0 && !timeout.aborted) {
      const answered = new Promise<void>((resolve) => {
        for (const key of this.#open.keys()) this.#waiting.set(key, resolve);
      });
      await Promise.race([over, answered]);
    }
  }
}

function mayTryAgain(error: unknown): boolean {
  if (error instanceof NotDelivered || error instanceof SessionLost) return true;
  return error instanceof ThvError && !hasCode(error, ...LASTING);
}

function describeFailure(error: unknown): string {
  if (error instanceof RefusedMessage) return error.message;
  if (error instanceof ThvError) return [error.message, error.hint].filter(Boolean).join(" ");
  if (error instanceof NotDelivered || error instanceof SessionLost)
    return `The server could not be reached, and has not got the request: ${describeError(error)}`;
  return `${LOST} ${describeError(error)}`;
}

/** Lines without their ends; `undefined` for one that is too long. */
async function* readLines(stdin: Readable): AsyncGenerator<string | undefined> {
  let parts: Buffer[] = [];
  let length = 0;
  const end = (): string | undefined => {
    const line = length > MAX_MESSAGE_BYTES ? undefined : Buffer.concat(parts).toString("utf8");
    parts = [];
    length = 0;
    return line;
  };
  const add = (part: Buffer) => {
    length += part.length;
    if (length > MAX_MESSAGE_BYTES) parts = [];
    else parts.push(part);
  };
  for await (const given of stdin) {
    let chunk = Buffer.isBuffer(given) ? given : Buffer.from(given as string);
    for (let at = chunk.indexOf(0x0a); at >= 0; at = chunk.indexOf(0x0a)) {
      add(chunk.subarray(0, at));
      yield end();
      chunk = chunk.subarray(at + 1);
    }
    if (chunk.length > 0) add(chunk);
  }
  if (length > 0) yield end();
}
