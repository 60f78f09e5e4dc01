/** Stands for an MCP server on another machine; its one tool returns the name of the server. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { listen } from "@toolhive/http";

interface Message {
  readonly id?: number | string;
  readonly method?: string;
}

const PROTOCOL_VERSION = "2025-06-18";
const METHOD_NOT_FOUND = -32_601;

export class JourneyServer implements AsyncDisposable {
  readonly name: string;
  readonly url: string;
  readonly #server: Server;

  private constructor(name: string, port: number, server: Server) {
    this.name = name;
    this.url = `http://127.0.0.1:${port}/mcp`;
    this.#server = server;
  }

  /** @param token Required of every call. */
  static async start(name: string, token?: string): Promise<JourneyServer> {
    const server = createServer(async (request, response) => {
      if (token !== undefined && request.headers.authorization !== `Bearer ${token}`)
        return void response.writeHead(401, { "www-authenticate": "Bearer" }).end();
      if (request.method !== "POST") return void response.writeHead(405).end();
      await answer(name, request, response);
    });
    return new JourneyServer(name, await listen(server, { port: 0 }), server);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

async function answer(name: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  let body = "";
  for await (const chunk of request.setEncoding("utf8")) body += chunk;
  const { id, method = "" } = JSON.parse(body) as Message;
  if (id === undefined) return void response.writeHead(202).end();
  const results: Readonly<Record<string, object>> = {
    initialize: {
      protocolVersion: PROTOCOL_VERSION,
      capabilities: { tools: {} },
      serverInfo: { name, version: "1" },
    },
    ping: {},
    "tools/list": { tools: [{ name: `ask_${name}`, inputSchema: { type: "object" } }] },
    "tools/call": { content: [{ type: "text", text: `${name} answers` }] },
  };
  const result = Object.hasOwn(results, method) ? results[method] : undefined;
  const error = { code: METHOD_NOT_FOUND, message: `${method} is not known` };
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify({ jsonrpc: "2.0", id, ...(result ? { result } : { error }) }));
}
