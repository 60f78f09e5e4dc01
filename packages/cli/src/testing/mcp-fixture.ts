/** A small MCP server on loopback whose answers a test decides: pages, errors, silence, refusals. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { listen } from "@toolhive/http";

interface FixtureOptions {
  /** Results by method, or promises of them; a function gets the parameters. Throwing makes a JSON-RPC error of it. */
  readonly answers?: Readonly<Record<string, (params: Record<string, unknown>) => unknown>>;
  readonly capabilities?: object;
  /** `refused` answers every POST with this status. */
  readonly transport?: "streamable-http" | "sse" | { readonly refused: number } | "silent";
}

export class McpFixture implements AsyncDisposable {
  /** Methods that were called, in order. */
  readonly methods: string[] = [];
  /** Names that clients gave themselves. */
  readonly clientNames: unknown[] = [];
  readonly #server: Server;
  readonly #options: FixtureOptions;
  #stream: ServerResponse | undefined;

  private constructor(options: FixtureOptions) {
    this.#options = options;
    this.#server = createServer((request, response) => void this.#handle(request, response));
  }

  static async start(options: FixtureOptions = {}): Promise<McpFixture> {
    const fixture = new McpFixture(options);
    await listen(fixture.#server);
    return fixture;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { transport = "streamable-http" } = this.#options;
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += chunk;
    if (transport === "silent") return;
    if (request.method === "GET" && transport === "sse") {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write("event: endpoint\ndata: /messages\n\n");
      this.#stream = response;
      return;
    }
    if (request.method !== "POST") return void response.writeHead(405).end();
    if (typeof transport === "object") return void response.writeHead(transport.refused).end();
    if (transport === "sse" && request.url !== "/messages") return void response.writeHead(404).end();
    const message = JSON.parse(body) as { id?: number; method: string; params?: Record<string, unknown> };
    this.methods.push(message.method);
    if (message.id === undefined) return void response.writeHead(202).end();
    const answer = JSON.stringify({
      jsonrpc: "2.0",
      id: message.id,
      ...(await this.#answer(message.method, message.params ?? {})),
    });
    if (transport === "sse") {
      this.#stream?.write(`event: message\ndata: ${answer}\n\n`);
      response.writeHead(202).end();
    } else response.writeHead(200, { "content-type": "application/json" }).end(answer);
  }

  async #answer(method: string, params: Record<string, unknown>): Promise<object> {
    const { answers = {}, capabilities = { tools: {} } } = this.#options;
    if (method === "initialize") {
      this.clientNames.push((params.clientInfo as { name: unknown }).name);
      const serverInfo = { name: "fixture", version: "1.0.0" };
      return { result: { protocolVersion: "2025-06-18", capabilities, serverInfo } };
    }
    const answer = answers[method];
    if (!answer) return { error: { code: -32601, message: "Method not found" } };
    try {
      return { result: await answer(params) };
    } catch (error) {
      return { error: { code: -32603, message: String(error) } };
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }
}
