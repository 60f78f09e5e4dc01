/**
 * An OAuth authorization server on loopback, and an MCP server that it protects: metadata (RFC 8414, RFC 9728), registration
 * of clients (RFC 7591), authorization code with PKCE, refresh tokens that are good for one use. Whoever opens its page has
 * signed in, so that a test plays the browser with one request.
 */
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { listen } from "@toolhive/http";

export interface AuthorizationChoices {
  /** Seconds that an access token lasts. Default 3600. */
  readonly tokenSeconds?: number;
  /** Default true. */
  readonly registersClients?: boolean;
  /** Instead of signing in, refuses with this error. */
  readonly refuses?: string;
  /** How the protected server points to the authorization server. Default by metadata. */
  readonly pointsBy?: "metadata" | "realm" | "nothing";
  /** Clients that exist already, with their secrets. */
  readonly clients?: Readonly<Record<string, string>>;
  /** What the protected server's metadata calls it, instead of its address. */
  readonly claimsToBe?: string;
  /** Scopes that the protected server's metadata names. */
  readonly scopes?: readonly string[];
}

interface PendingCode {
  readonly challenge: string;
  readonly clientId: string;
  readonly redirectUri: string;
}

export class ProtectedWorld implements AsyncDisposable {
  readonly #choices: AuthorizationChoices;
  readonly #issuer: Server;
  readonly #resource: Server;
  readonly #codes = new Map<string, PendingCode>();
  readonly #accessTokens = new Set<string>();
  readonly #refreshTokens = new Set<string>();
  readonly clients = new Map<string, { readonly secret?: string; readonly redirectUris?: readonly string[] }>();
  /** Parameters of each visit to the page for signing in. */
  readonly visits: URLSearchParams[] = [];
  /** Bodies of requests for tokens. */
  readonly tokenRequests: URLSearchParams[] = [];
  /** Headers of the requests that the protected server let in. */
  readonly admitted: IncomingMessage["headers"][] = [];

  private constructor(choices: AuthorizationChoices) {
    this.#choices = choices;
    for (const [id, secret] of Object.entries(choices.clients ?? {})) this.clients.set(id, { secret });
    this.#issuer = createServer((request, response) => void this.#answerIssuer(request, response));
    this.#resource = createServer((request, response) => void this.#answerResource(request, response));
  }

  static async start(choices: AuthorizationChoices = {}): Promise<ProtectedWorld> {
    const world = new ProtectedWorld(choices);
    for (const server of [world.#issuer, world.#resource]) await listen(server);
    return world;
  }

  get issuer(): string {
    return readOrigin(this.#issuer);
  }

  get resource(): string {
    return readOrigin(this.#resource);
  }

  /** The tokens that were given out are not accepted any more; refresh tokens are. */
  revokeAccessTokens(): void {
    this.#accessTokens.clear();
  }

  revokeRefreshTokens(): void {
    this.#refreshTokens.clear();
  }

  async #answerIssuer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", this.issuer);
    const body = await read(request);
    if (url.pathname === "/.well-known/oauth-authorization-server") return json(response, 200, this.#metadata());
    if (url.pathname === "/register" && this.#choices.registersClients !== false) {
      return this.#register(response, JSON.parse(body) as { redirect_uris: string[] });
    }
    if (url.pathname === "/authorize") return this.#authorize(response, url.searchParams);
    if (url.pathname === "/token") return this.#token(request, response, new URLSearchParams(body));
    response.writeHead(404).end();
  }

  #metadata() {
    return {
      issuer: this.issuer,
      authorization_endpoint: `${this.issuer}/authorize`,
      token_endpoint: `${this.issuer}/token`,
      ...(this.#choices.registersClients !== false && { registration_endpoint: `${this.issuer}/register` }),
      response_types_supported: ["code"],
      grant_types_supported: ["authorization_code", "refresh_token"],
      code_challenge_methods_supported: ["S256"],
      token_endpoint_auth_methods_supported: ["none", "client_secret_post", "client_secret_basic"],
      authorization_response_iss_parameter_supported: true,
    };
  }

  #register(response: ServerResponse, { redirect_uris: redirectUris, ...rest }: { redirect_uris: string[] }): void {
    const id = `registered-${this.clients.size + 1}`;
    this.clients.set(id, { redirectUris });
    json(response, 201, { client_id: id, redirect_uris: redirectUris, ...rest });
  }

  #authorize(response: ServerResponse, query: URLSearchParams): void {
    this.visits.push(query);
    const redirectUri = query.get("redirect_uri") ?? "";
    const clientId = query.get("client_id") ?? "";
    const client = this.clients.get(clientId);
    const isKnown = client !== undefined && (client.redirectUris?.includes(redirectUri) ?? true);
    if (!isKnown || query.get("code_challenge_method") !== "S256") return void response.writeHead(400).end();
    const back = new URL(redirectUri);
    back.searchParams.set("state", query.get("state") ?? "");
    back.searchParams.set("iss", this.issuer);
    if (this.#choices.refuses !== undefined) back.searchParams.set("error", this.#choices.refuses);
    else {
      const code = randomBytes(16).toString("hex");
      this.#codes.set(code, { challenge: query.get("code_challenge") ?? "", clientId, redirectUri });
      back.searchParams.set("code", code);
    }
    response.writeHead(302, { Location: back.href }).end();
  }

  #token(request: IncomingMessage, response: ServerResponse, form: URLSearchParams): void {
    this.tokenRequests.push(form);
    const [id, secret] = readClient(request, form);
    const client = this.clients.get(id);
    if (!client || (client.secret !== undefined && client.secret !== secret)) {
      json(response, 401, { error: "invalid_client" });
      return;
    }
    const code = this.#codes.get(form.get("code") ?? "");
    const verifier = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    const isCode =
      code?.clientId === id && code.challenge === verifier && code.redirectUri === form.get("redirect_uri");
    // Both are good for one use.
    const isRefresh = this.#refreshTokens.delete(form.get("refresh_token") ?? "");
    this.#codes.delete(form.get("code") ?? "");
    if (!isCode && !isRefresh) {
      json(response, 400, { error: "invalid_grant" });
      return;
    }
    const [accessToken, refreshToken] = [randomBytes(16).toString("hex"), randomBytes(16).toString("hex")];
    this.#accessTokens.add(accessToken);
    this.#refreshTokens.add(refreshToken);
    json(response, 200, {
      access_token: accessToken,
      token_type: "Bearer",
      expires_in: this.#choices.tokenSeconds ?? 3600,
      refresh_token: refreshToken,
    });
  }

  async #answerResource(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pointsBy = "metadata", scopes, claimsToBe } = this.#choices;
    await read(request);
    if (request.url?.startsWith("/.well-known/oauth-protected-resource") && pointsBy === "metadata") {
      return json(response, 200, {
        resource: claimsToBe ?? this.resource,
        authorization_servers: [this.issuer],
        ...(scopes && { scopes_supported: scopes }),
      });
    }
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1] ?? "";
    if (!this.#accessTokens.has(token)) {
      const challenge = {
        metadata: `Bearer resource_metadata="${this.resource}/.well-known/oauth-protected-resource"`,
        realm: `Bearer realm="${this.issuer}"`,
        nothing: "Bearer",
      }[pointsBy];
      return void response.writeHead(401, { "WWW-Authenticate": challenge }).end();
    }
    this.admitted.push(request.headers);
    json(response, 200, { jsonrpc: "2.0", id: 1, result: {} });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const server of [this.#issuer, this.#resource]) {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    }
  }
}

function readOrigin(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function read(request: IncomingMessage): Promise<string> {
  let body = "";
  for await (const chunk of request.setEncoding("utf8")) body += chunk;
  return body;
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
}

/** By HTTP's Basic or in the form (RFC 6749, 2.3.1). */
function readClient(request: IncomingMessage, form: URLSearchParams): [id: string, secret: string | undefined] {
  const basic = /^Basic (.+)$/.exec(request.headers.authorization ?? "")?.[1];
  if (basic === undefined) return [form.get("client_id") ?? "", form.get("client_secret") ?? undefined];
  const [id = "", secret = ""] = Buffer.from(basic, "base64").toString("utf8").split(":");
  return [decodeURIComponent(id), decodeURIComponent(secret)];
}
