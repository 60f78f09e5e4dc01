/**
 * A client at the level of HTTP that holds one MCP session, for what the official one hides: which call was lost, how,
 * and whether a call was still waiting at its deadline.
 */
import { startTimeout } from "@toolhive/core/timeout-signal";

const REVISION = "2025-11-25";
/** Milliseconds of one call. More than the endpoint lets a call wait for a server, so that only a hang can reach it. */
const CALL_DEADLINE_MS = 45_000;

/** How one call ended. */
export type Outcome =
  | { readonly kind: "answered"; readonly text: string }
  /** A JSON-RPC error took the place of the answer. */
  | { readonly kind: "refused"; readonly code: number; readonly message: string }
  /** 404: the session is not one of the endpoint's. */
  | { readonly kind: "unknown-session" }
  /** No connection, or it was cut. */
  | { readonly kind: "disconnected" }
  /** Nothing came until the deadline. */
  | { readonly kind: "hung" };

interface RpcMessage {
  readonly result?: { readonly content?: readonly { readonly text: string }[] };
  readonly error?: { readonly code: number; readonly message: string };
}

export class SessionClient {
  readonly #url: string;
  #sessionId: string | undefined;
  #opening: Promise<void> | undefined;
  #nextId = 1;
  /** Sessions opened so far. */
  sessionsOpened = 0;

  private constructor(url: string) {
    this.#url = url;
  }

  static async open(url: string): Promise<SessionClient> {
    const client = new SessionClient(url);
    await client.reopen(undefined);
    return client;
  }

  get sessionId(): string | undefined {
    return this.#sessionId;
  }

  /** Opens a new session in place of `lost`; callers that lost the same one share the new one. */
  async reopen(lost: string | undefined): Promise<void> {
    if (this.#sessionId !== lost) return;
    // The lost one stays until the new one is there, so that nobody calls without a session in between.
    this.#opening ??= this.#initialize().finally(() => {
      this.#opening = undefined;
    });
    await this.#opening;
  }

  async call(name: string, input: Readonly<Record<string, unknown>>): Promise<Outcome> {
    const id = this.#nextId++;
    const body = { jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: input } };
    const signal = startTimeout(CALL_DEADLINE_MS);
    try {
      const response = await this.#post(body, signal, this.#sessionId);
      const text = await response.text();
      if (response.status === 404) return { kind: "unknown-session" };
      const { result, error } = parseReply(response, text);
      if (error) return { kind: "refused", ...error };
      return { kind: "answered", text: result?.content?.[0]?.text ?? "" };
    } catch (error) {
      if (signal.aborted) return { kind: "hung" };
      // What fetch throws when the connection fails; anything else is a fault of this test.
      if (error instanceof TypeError) return { kind: "disconnected" };
      throw error;
    }
  }

  /** Ends the session. */
  async close(): Promise<void> {
    await fetch(this.#url, { method: "DELETE", headers: writeHeaders(this.#sessionId) });
    this.#sessionId = undefined;
  }

  async #initialize(): Promise<void> {
    const params = { protocolVersion: REVISION, capabilities: {}, clientInfo: { name: "thv-tests", version: "1.0.0" } };
    const signal = startTimeout(CALL_DEADLINE_MS);
    const body = { jsonrpc: "2.0", id: this.#nextId++, method: "initialize", params };
    const response = await this.#post(body, signal, undefined);
    const text = await response.text();
    const sessionId = response.headers.get("mcp-session-id");
    if (sessionId === null) throw new Error(`initialize was answered without a session: ${response.status} ${text}`);
    await (await this.#post({ jsonrpc: "2.0", method: "notifications/initialized" }, signal, sessionId)).text();
    this.#sessionId = sessionId;
    this.sessionsOpened += 1;
  }

  #post(body: object, signal: AbortSignal, sessionId: string | undefined): Promise<Response> {
    return fetch(this.#url, { method: "POST", body: JSON.stringify(body), headers: writeHeaders(sessionId), signal });
  }
}

function writeHeaders(sessionId: string | undefined): Record<string, string> {
  return {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    ...(sessionId !== undefined && { "mcp-session-id": sessionId, "mcp-protocol-version": REVISION }),
  };
}

/** The response is the last message of a stream, or the whole body. */
function parseReply(response: Response, text: string): RpcMessage {
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream");
  const message = isStream ? [...text.matchAll(/^data: ?(\{.*)$/gm)].at(-1)?.[1] : text;
  // A stream that was cut before its response ends like this, too.
  if (message === undefined) throw new TypeError("the stream ended without a response");
  return JSON.parse(message) as RpcMessage;
}
