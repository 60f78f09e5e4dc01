/**
 * The servers elsewhere of the page about them: MCP servers of the official SDK and a certified authorization server, all on loopback.
 * A page shows the addresses that a reader would have; what is executed has those of here.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { AuthorizationServer, ProtectedServer } from "@toolhive/core/testing/authorization";
import { listen } from "@toolhive/http";

/** What the server with a key takes. A page stores it as a secret. */
export const REMOTE_API_KEY = "key-of-the-weather";

export class RemoteServices implements AsyncDisposable {
  readonly #resources: readonly AsyncDisposable[];
  /** What a page shows, and what is there instead. */
  readonly addresses: ReadonlyMap<string, string>;

  private constructor(addresses: ReadonlyMap<string, string>, resources: readonly AsyncDisposable[]) {
    this.addresses = addresses;
    this.#resources = resources;
  }

  static async start(): Promise<RemoteServices> {
    const issuer = await AuthorizationServer.start({ isStrict: true, tokenSeconds: 3600 });
    const calendar = await ProtectedServer.start(issuer, {
      answer: (request, response, body) => void answer("list_events", request, response, body),
    });
    const docs = await OpenServer.start("search_docs");
    const weather = await OpenServer.start("get_forecast", REMOTE_API_KEY);
    const addresses = new Map([
      ["https://docs.example.com", docs.origin],
      ["https://weather.example.com", weather.origin],
      ["https://calendar.example.com", calendar.origin],
      ["https://login.example.com", issuer.issuer],
    ]);
    return new RemoteServices(addresses, [docs, weather, calendar, issuer]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const each of this.#resources) await each[Symbol.asyncDispose]();
  }
}

/** Lets everybody in, or whoever has the key. */
class OpenServer implements AsyncDisposable {
  readonly #server: Server;
  readonly origin: string;

  private constructor(server: Server, port: number) {
    this.#server = server;
    this.origin = `http://127.0.0.1:${port}`;
  }

  static async start(tool: string, key?: string): Promise<OpenServer> {
    const server = createServer((request, response) => {
      const serve = async () => {
        let body = "";
        for await (const chunk of request.setEncoding("utf8")) body += String(chunk);
        if (request.url !== "/mcp") response.writeHead(404).end();
        else if (key !== undefined && request.headers["x-api-key"] !== key) response.writeHead(403).end();
        else await answer(tool, request, response, body);
      };
      void serve().catch(() => response.destroy());
    });
    return new OpenServer(server, await listen(server));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

/** One tool, without sessions. */
async function answer(tool: string, request: IncomingMessage, response: ServerResponse, body: string): Promise<void> {
  if (request.method !== "POST") return void response.writeHead(405).end();
  const server = new McpServer({ name: "elsewhere", version: "1.0.0" });
  server.registerTool(tool, { description: "Runs elsewhere" }, async () => ({
    content: [{ type: "text", text: "from elsewhere" }],
  }));
  const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  await transport.handleRequest(request, response, JSON.parse(body));
}
