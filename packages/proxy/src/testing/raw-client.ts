/**
 * A client at the level of HTTP, for what official clients cannot show: bytes, statuses, streams, bad manners.
 */
import { request } from "node:http";

/** What listens, of one server or of a group. */
export interface Listening {
  readonly port: number;
}

export const CLIENT_HEADERS = { "content-type": "application/json", accept: "application/json, text/event-stream" };

export function buildUrl(endpoint: Listening, path = "/mcp"): string {
  return `http://127.0.0.1:${endpoint.port}${path}`;
}

export async function post(
  endpoint: Listening,
  body: string,
  headers: Record<string, string> = {},
  signal?: AbortSignal,
): Promise<Response> {
  return await fetch(buildUrl(endpoint), {
    method: "POST",
    body,
    headers: { ...CLIENT_HEADERS, ...headers },
    ...(signal === undefined ? {} : { signal }),
  });
}

export function initializeBody(revision = "2025-06-18", capabilities: object = {}, id: number | string = 0): string {
  return JSON.stringify({
    jsonrpc: "2.0",
    id,
    method: "initialize",
    params: { protocolVersion: revision, capabilities, clientInfo: { name: "raw", version: "1" } },
  });
}

export interface RawSession {
  readonly id: string;
  readonly headers: Record<string, string>;
  post(body: string, signal?: AbortSignal): Promise<Response>;
  /** Opens the session's own stream. */
  listen(headers?: Record<string, string>): Promise<EventReader>;
}

/** Initializes a session and says so to the server. */
export async function openSession(
  endpoint: Listening,
  { revision = "2025-06-18", capabilities = {} }: { revision?: string; capabilities?: object } = {},
): Promise<RawSession> {
  const response = await post(endpoint, initializeBody(revision, capabilities));
  const text = await response.text();
  const id = response.headers.get("mcp-session-id");
  if (response.status !== 200 || id === null) throw new Error(`initialize failed: ${response.status} ${text}`);
  const headers = { "mcp-session-id": id, "mcp-protocol-version": revision };
  const session: RawSession = {
    id,
    headers,
    post: (body, signal) => post(endpoint, body, headers, signal),
    listen: async (more = {}) => {
      const abort = new AbortController();
      const stream = await fetch(buildUrl(endpoint), {
        headers: { accept: "text/event-stream", ...headers, ...more },
        signal: abort.signal,
      });
      return new EventReader(stream, abort);
    },
  };
  await session.post('{"jsonrpc":"2.0","method":"notifications/initialized"}');
  return session;
}

export interface ReceivedEvent {
  readonly id: string | undefined;
  readonly event: string | undefined;
  readonly data: string;
}

/** Reads the events of one response. */
export class EventReader implements AsyncDisposable {
  readonly response: Response;
  readonly #abort: AbortController | undefined;
  readonly #events: AsyncGenerator<ReceivedEvent>;

  constructor(response: Response, abort?: AbortController) {
    this.response = response;
    this.#abort = abort;
    this.#events = read(response);
  }

  /** @returns The next event; `undefined` when the stream has ended. Events without data are skipped. */
  async next(): Promise<ReceivedEvent | undefined> {
    for (;;) {
      const { value, done } = await this.#events.next();
      if (done === true) return undefined;
      if (value.data !== "") return value;
    }
  }

  /** The next event's data, parsed. */
  async nextMessage(): Promise<unknown> {
    const event = await this.next();
    if (event === undefined) throw new Error("the stream ended");
    return JSON.parse(event.data);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#abort?.abort();
    // Aborting makes the pending read fail; that is the purpose.
    await this.#events.return(undefined).catch(() => undefined);
  }
}

async function* read(response: Response): AsyncGenerator<ReceivedEvent> {
  if (response.body === null) return;
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of response.body) {
    text += decoder.decode(chunk, { stream: true });
    const blocks = text.split("\n\n");
    text = blocks.pop() ?? "";
    for (const block of blocks) yield parseEvent(block);
  }
}

function parseEvent(block: string): ReceivedEvent {
  const fields = new Map<string, string>();
  for (const line of block.split("\n")) {
    const match = /^(id|event|data): ?(.*)$/s.exec(line);
    if (match?.[1] !== undefined) fields.set(match[1], match[2] ?? "");
  }
  return { id: fields.get("id"), event: fields.get("event"), data: fields.get("data") ?? "" };
}

/** A request with headers that `fetch` does not let one set. */
export function rawRequest(
  endpoint: Listening,
  options: { method?: string; path?: string; headers?: Record<string, string>; body?: string | Buffer },
): Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; body: string }> {
  return new Promise((resolve, reject) => {
    const { method = "POST", path = "/mcp", headers = {}, body = "" } = options;
    const outgoing = request({ host: "127.0.0.1", port: endpoint.port, method, path, headers }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => {
        text += chunk;
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }));
    });
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}
