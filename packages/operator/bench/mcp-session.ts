/** A session of an MCP client with as little work of its own as possible, so that the measured part is the server's. */
const HEADERS = { accept: "application/json, text/event-stream", "content-type": "application/json" };
const REVISION = "2025-06-18";
const PAYLOAD = "x".repeat(100);

export class McpSession {
  readonly #url: URL;
  readonly #headers: Record<string, string>;
  #id = 1;

  private constructor(url: URL, id: string | null) {
    this.#url = url;
    this.#headers = { ...HEADERS, "mcp-protocol-version": REVISION, ...(id !== null && { "mcp-session-id": id }) };
  }

  /** @throws {Error} When the server does not answer with 200 within two seconds. */
  static async open(url: URL): Promise<McpSession> {
    const params = { protocolVersion: REVISION, capabilities: {}, clientInfo: { name: "bench", version: "0" } };
    const response = await fetch(url, {
      method: "POST",
      headers: HEADERS,
      body: JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params }),
      signal: AbortSignal.timeout(2_000),
    });
    await response.text();
    if (response.status !== 200) throw new Error(`${url} answers with ${response.status}.`);
    const session = new McpSession(url, response.headers.get("mcp-session-id"));
    await session.#send({ method: "notifications/initialized" });
    return session;
  }

  /** @throws {Error} Unless the tool echoes the text. */
  async call(text: string): Promise<void> {
    const answer = await this.#send({
      id: this.#id++,
      method: "tools/call",
      params: { name: "echo", arguments: { text } },
    });
    const json = answer.startsWith("{") ? answer : (/^data: (\{.*)$/m.exec(answer)?.[1] ?? "{}");
    const echoed: unknown = JSON.parse(json).result?.content?.[0]?.text;
    if (echoed === text) return;
    throw new Error(`${this.#url} answers a call with: ${answer.slice(0, 500)}`);
  }

  async close(): Promise<void> {
    const response = await fetch(this.#url, { method: "DELETE", headers: this.#headers });
    await response.body?.cancel();
  }

  async #send(message: object): Promise<string> {
    const body = JSON.stringify({ jsonrpc: "2.0", ...message });
    const response = await fetch(this.#url, { method: "POST", headers: this.#headers, body });
    return await response.text();
  }
}

/**
 * Each session calls again as soon as it has its answer.
 *
 * @param forMs Milliseconds after which no call begins.
 * @returns Milliseconds of each call, and of all together.
 * @throws {Error} For an answer that is not the right one.
 */
export async function measureLoad(
  sessions: readonly McpSession[],
  forMs: number,
): Promise<{ readonly times: number[]; readonly ms: number }> {
  const times: number[] = [];
  const begin = performance.now();
  const work = async (session: McpSession) => {
    for (let now = performance.now(); now - begin < forMs; now = performance.now()) {
      await session.call(PAYLOAD);
      times.push(performance.now() - now);
    }
  };
  await Promise.all(sessions.map(work));
  return { times, ms: performance.now() - begin };
}
