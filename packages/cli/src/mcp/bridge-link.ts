/** The way of a bridge to one endpoint, over the transport that its address stands for. */
import { setMaxListeners } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { startTimeout } from "@toolhive/core/timeout-signal";
import {
  assertAccepted,
  exchange,
  isEventStream,
  NotDelivered,
  readEvents,
  readText,
  SessionLost,
} from "./bridge-exchange.ts";
import type { BridgeMessage } from "./bridge-message.ts";

const ACCEPT = "application/json, text/event-stream";
/** Milliseconds between the end of the stream for what the server says by itself and the next one. */
const STREAM_PAUSE_MS = 1_000;
/** Milliseconds that the end of a session may take. */
const END_MS = 2_000;
/** Milliseconds in which an older server says where messages go. */
const ENDPOINT_MS = 30_000;

export interface BridgeLinkHooks {
  /** Gets each message of the server. The next one is read once this has settled. */
  readonly onMessage: (text: string) => Promise<void>;
  /** The server has forgotten the session, or the stream that holds it has ended. */
  readonly onLost: () => void;
}

export interface BridgeLink {
  /** Whether every answer has come once `post` has settled. */
  readonly answersInPlace: boolean;
  /** @throws {NotDelivered | SessionLost | RefusedMessage} */
  post(message: Pick<BridgeMessage, "text" | "headers" | "method">): Promise<void>;
  /** The session is established, in this revision: from now on the server may speak by itself. */
  establish(revision: string): void;
  /** Ends the session. Never rejects. */
  close(): Promise<void>;
}

/** @throws {NotDelivered} */
export async function openLink(url: URL, hooks: BridgeLinkHooks): Promise<BridgeLink> {
  return url.pathname.endsWith("/sse") ? await SseLink.open(url, hooks) : new StreamableLink(url, hooks);
}

class StreamableLink implements BridgeLink {
  readonly answersInPlace = true;
  readonly #url: URL;
  readonly #hooks: BridgeLinkHooks;
  readonly #over = new AbortController();
  #session: string | undefined;
  #revision: string | undefined;

  constructor(url: URL, hooks: BridgeLinkHooks) {
    this.#url = url;
    this.#hooks = hooks;
    // One for each request that is open.
    setMaxListeners(0, this.#over.signal);
  }

  async post({ text, headers, method }: Pick<BridgeMessage, "text" | "headers" | "method">): Promise<void> {
    const isModern = headers["mcp-method"] !== undefined;
    const response = await exchange(this.#url, {
      method: "POST",
      headers: { "content-type": "application/json", accept: ACCEPT, ...(isModern ? headers : this.#sessionHeaders) },
      body: text,
      signal: this.#over.signal,
    });
    await assertAccepted(response, !isModern && this.#session !== undefined);
    const { "mcp-session-id": session } = response.headers;
    if (method === "initialize" && typeof session === "string") this.#session = session;
    if (isEventStream(response)) for await (const { data } of readEvents(response)) await this.#hooks.onMessage(data);
    else {
      const body = await readText(response);
      if (body.trim() !== "") await this.#hooks.onMessage(body);
    }
  }

  establish(revision: string): void {
    this.#revision = revision;
    void this.#listen();
  }

  async close(): Promise<void> {
    this.#over.abort();
    if (this.#session === undefined) return;
    const signal = startTimeout(END_MS);
    const headers = this.#sessionHeaders;
    await exchange(this.#url, { method: "DELETE", headers, signal }).then(
      (response) => response.destroy(),
      // It ends with its time limit, then.
      () => undefined,
    );
  }

  get #sessionHeaders(): Record<string, string> {
    return {
      ...(this.#session !== undefined && { "mcp-session-id": this.#session }),
      ...(this.#revision !== undefined && { "mcp-protocol-version": this.#revision }),
    };
  }

  /** What the server says by itself. Never rejects. */
  async #listen(): Promise<void> {
    const { signal } = this.#over;
    let last: string | undefined;
    while (!signal.aborted) {
      try {
        const resumed = last === undefined ? {} : { "last-event-id": last };
        const headers = { accept: "text/event-stream", ...this.#sessionHeaders, ...resumed };
        const response = await exchange(this.#url, { method: "GET", headers, signal });
        if (response.statusCode === 405) return void response.destroy();
        await assertAccepted(response, this.#session !== undefined);
        for await (const { id, data } of readEvents(response)) {
          last = id ?? last;
          if (data !== "") await this.#hooks.onMessage(data);
        }
      } catch (error) {
        if (error instanceof SessionLost) return this.#hooks.onLost();
      }
      await delay(STREAM_PAUSE_MS, undefined, { signal }).catch(() => undefined);
    }
  }
}

/** HTTP with SSE: one stream holds the session and brings every answer. */
class SseLink implements BridgeLink {
  readonly answersInPlace = false;
  readonly #over: AbortController;
  readonly #postUrl: URL;

  private constructor(postUrl: URL, over: AbortController) {
    this.#postUrl = postUrl;
    this.#over = over;
  }

  static async open(url: URL, hooks: BridgeLinkHooks): Promise<SseLink> {
    const over = new AbortController();
    setMaxListeners(0, over.signal);
    const tooLate = setTimeout(
      () => over.abort(new NotDelivered("The server does not say where messages go.")),
      ENDPOINT_MS,
    );
    try {
      const headers = { accept: "text/event-stream" };
      const response = await exchange(url, { method: "GET", headers, signal: over.signal });
      await assertAccepted(response, false);
      const events = readEvents(response);
      const { value: first } = await events.next();
      if (first?.event !== "endpoint") throw new NotDelivered("The server does not say where messages go.");
      const postUrl = new URL(first.data, url);
      if (postUrl.origin !== url.origin)
        throw new Error(`The server sends messages to another place: ${postUrl.origin}`);
      void follow(events, hooks, over.signal);
      return new SseLink(postUrl, over);
    } finally {
      clearTimeout(tooLate);
    }
  }

  async post({ text }: Pick<BridgeMessage, "text">): Promise<void> {
    const response = await exchange(this.#postUrl, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: text,
      signal: this.#over.signal,
    });
    await assertAccepted(response, true);
    await readText(response);
  }

  establish(): void {
    // Its stream is open from the beginning.
  }

  async close(): Promise<void> {
    this.#over.abort();
  }
}

/** Never rejects. */
async function follow(
  events: AsyncIterable<{ readonly data: string }>,
  { onMessage, onLost }: BridgeLinkHooks,
  signal: AbortSignal,
): Promise<void> {
  try {
    for await (const { data } of events) await onMessage(data);
  } catch {
    // The loss is what counts; the next message connects again.
  }
  if (!signal.aborted) onLost();
}
