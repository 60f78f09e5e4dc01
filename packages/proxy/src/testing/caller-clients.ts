/**
 * Clients of every kind for tests of many callers: all that any of them ever receives is kept as text, by caller.
 */
import type { McpEndpoint } from "@toolhive/core";
import { META } from "../messages/meta-keys.ts";
import { buildUrl, EventReader, initializeBody, post } from "./raw-client.ts";

export const CLIENT_KINDS = ["2025-03-26", "2025-06-18", "2025-11-25", "sse", "modern", "none"] as const;
/** A session of some revision, HTTP with SSE, revision 2026-07-28, or posts without a session. */
export type ClientKind = (typeof CLIENT_KINDS)[number];

const CAPABILITIES = { elicitation: {}, sampling: {}, roots: {} };

export class CallerClient {
  readonly caller: string;
  readonly kind: ClientKind;
  /** What came, in pieces. */
  readonly received: string[] = [];
  readonly #endpoint: McpEndpoint;
  readonly #headers: Record<string, string>;
  readonly #open = new Set<Promise<unknown>>();
  #address: string | undefined;

  private constructor(endpoint: McpEndpoint, caller: string, kind: ClientKind, token: Record<string, string>) {
    this.#endpoint = endpoint;
    this.caller = caller;
    this.kind = kind;
    this.#headers = { ...token };
  }

  static async open(
    endpoint: McpEndpoint,
    caller: string,
    kind: ClientKind,
    token: Record<string, string>,
  ): Promise<CallerClient> {
    const client = new CallerClient(endpoint, caller, kind, token);
    if (kind === "sse") await client.#openSse();
    else if (kind !== "modern" && kind !== "none") await client.#openSession(kind);
    return client;
  }

  get text(): string {
    // Chunks may end anywhere.
    return this.received.join("");
  }

  get sessionId(): string | undefined {
    return this.#headers["mcp-session-id"];
  }

  /** Sends a request. @param params With the raw JSON of further members. @returns The status. */
  async request(id: number, method: string, params: string): Promise<number> {
    if (this.kind !== "modern")
      return await this.send(`{"jsonrpc":"2.0","id":${id},"method":"${method}","params":{${params}}}`);
    const envelope = `"${META.revision}":"2026-07-28","${META.capabilities}":${JSON.stringify(CAPABILITIES)},"${META.logLevel}":"debug"`;
    const merged = params.includes('"_meta":{')
      ? params.replace('"_meta":{', `"_meta":{${envelope},`)
      : `${params},"_meta":{${envelope}}`;
    const name = /"name":"([^"]*)"/.exec(params)?.[1] ?? "";
    const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": method, "mcp-name": name };
    return await this.send(`{"jsonrpc":"2.0","id":${id},"method":"${method}","params":{${merged}}}`, headers);
  }

  /** Sends a text as it is; what is answered is kept when it comes. @returns The status. */
  async send(text: string, headers: Record<string, string> = {}): Promise<number> {
    const own = { ...this.#headers, ...headers };
    if (this.#address === undefined) return await this.#keep(post(this.#endpoint, text, own));
    return await this.#keep(
      fetch(this.#address, { method: "POST", body: text, headers: { "content-type": "application/json", ...own } }),
    );
  }

  /** Opens the session's own stream, where there is one. @param id Of another session, to try. */
  async listen(id = this.sessionId): Promise<void> {
    if (id === undefined) return;
    const headers = { ...this.#headers, "mcp-session-id": id, accept: "text/event-stream" };
    await this.#keep(fetch(buildUrl(this.#endpoint), { headers }));
  }

  /** Ends the session, where there is one. @param id Of another session, to try. */
  async end(id = this.sessionId): Promise<void> {
    if (id === undefined) return;
    await this.#keep(
      fetch(buildUrl(this.#endpoint), { method: "DELETE", headers: { ...this.#headers, "mcp-session-id": id } }),
    );
  }

  /** Waits until every response has ended. */
  async finish(): Promise<void> {
    while (this.#open.size > 0) await Promise.all(this.#open);
  }

  async #openSession(revision: string): Promise<void> {
    const opened = await post(this.#endpoint, initializeBody(revision, CAPABILITIES), this.#headers);
    const id = opened.headers.get("mcp-session-id");
    this.received.push(await opened.text());
    if (id === null) return;
    this.#headers["mcp-session-id"] = id;
    this.#headers["mcp-protocol-version"] = revision;
  }

  async #openSse(): Promise<void> {
    const stream = await fetch(buildUrl(this.#endpoint, "/sse"), { headers: this.#headers });
    const events = new EventReader(stream);
    this.#address = (await events.next())?.data ?? "";
    await this.send(initializeBody("2024-11-05", CAPABILITIES));
    this.received.push((await events.next())?.data ?? "");
    this.#track(
      (async () => {
        for (let event = await events.next(); event !== undefined; event = await events.next()) {
          this.received.push(event.data);
        }
      })(),
    );
  }

  /** Keeps what a response brings, for as long as it lasts. @returns Its status, as soon as it is there. */
  #keep(sent: Promise<Response>): Promise<number> {
    const status = sent.then((response) => {
      this.#track(this.#read(response));
      return response.status;
    });
    this.#track(status);
    return status;
  }

  async #read({ body }: Response): Promise<void> {
    const decoder = new TextDecoder();
    for await (const chunk of body ?? []) this.received.push(decoder.decode(chunk, { stream: true }));
  }

  /** A connection that was cut has brought what it brought. */
  #track(reading: Promise<unknown>): void {
    const done = reading.catch(() => undefined).finally(() => this.#open.delete(done));
    this.#open.add(done);
  }
}
