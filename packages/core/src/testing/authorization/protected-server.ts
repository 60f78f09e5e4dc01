/** A server that lets in whoever has a token of the authorization server, and says where to get one (RFC 9728). */
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { listen } from "@toolhive/http";
import type { AuthorizationServer } from "./authorization-server.ts";

export interface ProtectedServerChoices {
  /** Answers a request that is let in. Default: an empty result. */
  readonly answer?: (request: IncomingMessage, response: ServerResponse, body: string) => void;
  /** Scopes that its metadata names. Default: `tools:read`. */
  readonly scopes?: readonly string[];
  /** What a request needs beyond a token. Default: `tools:write` for texts that hold `write`. */
  readonly needs?: (body: string) => string | undefined;
}

export class ProtectedServer implements AsyncDisposable {
  readonly #server: Server;
  readonly #issuer: AuthorizationServer;
  readonly #choices: ProtectedServerChoices;
  /** Status of each answer. */
  readonly statuses: number[] = [];
  /** `Authorization` of each request that was let in. */
  readonly admitted: string[] = [];
  /** Whether it takes no token at all. */
  takesNothing = false;
  /** How long each answer of the server takes. */
  delayMs = 0;

  private constructor(server: Server, issuer: AuthorizationServer, choices: ProtectedServerChoices) {
    this.#server = server;
    this.#issuer = issuer;
    this.#choices = choices;
    server.on("request", (request, response) => {
      response.once("close", () => this.statuses.push(response.statusCode));
      void this.#answer(request, response).catch(() => response.destroy());
    });
  }

  static async start(issuer: AuthorizationServer, choices: ProtectedServerChoices = {}): Promise<ProtectedServer> {
    const server = createServer();
    await listen(server);
    return new ProtectedServer(server, issuer, choices);
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Of MCP. */
  get url(): URL {
    return new URL("/mcp", this.origin);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += String(chunk);
    if (request.url === "/.well-known/oauth-protected-resource/mcp") {
      const { scopes = ["tools:read"] } = this.#choices;
      response.writeHead(200, { "Content-Type": "application/json" }).end(
        JSON.stringify({
          resource: this.url.href,
          authorization_servers: [this.#issuer.issuer],
          scopes_supported: scopes,
        }),
      );
      return;
    }
    if (this.delayMs > 0) await delay(this.delayMs);
    const { authorization = "" } = request.headers;
    const scopes = await this.#issuer.findScopes(authorization.replace(/^Bearer /, ""));
    const metadata = `resource_metadata="${this.origin}/.well-known/oauth-protected-resource/mcp"`;
    if (!scopes || this.takesNothing) {
      response.writeHead(401, { "WWW-Authenticate": `Bearer error="invalid_token", ${metadata}` }).end();
      return;
    }
    const needs = this.#choices.needs ?? ((text) => (text.includes("write") ? "tools:write" : undefined));
    const needed = needs(body);
    if (needed !== undefined && !scopes.has(needed)) {
      const challenge = `Bearer error="insufficient_scope", scope="${needed}", ${metadata}`;
      response.writeHead(403, { "WWW-Authenticate": challenge }).end();
      return;
    }
    this.admitted.push(authorization);
    if (this.#choices.answer) this.#choices.answer(request, response, body);
    else response.writeHead(200, { "Content-Type": "application/json" }).end('{"jsonrpc":"2.0","id":1,"result":{}}');
  }
}
