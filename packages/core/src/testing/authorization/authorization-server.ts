/**
 * A certified authorization server (npm `oidc-provider`) on loopback, and a person who signs in there. Two set-ups: a plain one, and a
 * strict one with rotation, tokens of seconds, device grant, resource indicators and revocation. It can be down, slow, or cut
 * an answer off, at any moment.
 */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { listen } from "@toolhive/http";
import { exportJWK, generateKeyPair } from "jose";
import Provider, { type Configuration, type ResourceServer } from "oidc-provider";

/** Of the protected server. */
export const REMOTE_SCOPES = ["tools:read", "tools:write"] as const;
const ACCOUNT = "ann";

export interface AuthorizationServerChoices {
  readonly isStrict?: boolean;
  /** Seconds that an access token lasts. Default: 3600; 4 of the strict set-up. */
  readonly tokenSeconds?: number;
  readonly registersClients?: boolean;
  /** Clients that exist already. */
  readonly clients?: Configuration["clients"];
  /** Default: any free one. */
  readonly port?: number;
}

/** What happens to a request for a token. */
export type TokenMishap = "refuse connection" | "answer 503" | "never answer" | "lose answer";

export interface TokenRequest {
  readonly form: URLSearchParams;
  readonly status: number;
}

let signingKey: Promise<object> | undefined;

/** One for all servers of the process: making it takes longer than most tests. */
function getSigningKey(): Promise<object> {
  signingKey ??= (async () => {
    const { privateKey } = await generateKeyPair("RS256", { extractable: true });
    return { ...(await exportJWK(privateKey)), alg: "RS256", use: "sig", kid: "first" };
  })();
  return signingKey;
}

export class AuthorizationServer implements AsyncDisposable {
  readonly #server: Server;
  readonly #provider: Provider;
  readonly #grants = new Set<string>();
  readonly issuer: string;
  /** Each request for a token that was answered, in order. */
  readonly tokenRequests: TokenRequest[] = [];
  /** Each token that was given out, in order. */
  readonly givenTokens: string[] = [];
  readonly paths: string[] = [];
  /** For as long as it is set. */
  mishap: TokenMishap | undefined;
  /** Milliseconds before the server reads each request for a token. */
  slowMs = 0;

  private constructor(server: Server, issuer: string, provider: Provider) {
    this.#server = server;
    this.issuer = issuer;
    this.#provider = provider;
    const answer = provider.callback();
    provider.on("grant.success", ({ oidc }) => {
      const id = oidc.entities.AccessToken?.grantId ?? oidc.entities.RefreshToken?.grantId;
      if (id !== undefined) this.#grants.add(id);
    });
    // Tokens that mean nothing by themselves are the ids under which they are kept.
    provider.on("access_token.saved", ({ jti }) => this.givenTokens.push(jti));
    provider.on("refresh_token.saved", ({ jti }) => this.givenTokens.push(jti));
    server.on("request", (request, response) => {
      void this.#answer(request, response, answer).catch(() => response.destroy());
    });
  }

  static async start(choices: AuthorizationServerChoices = {}): Promise<AuthorizationServer> {
    const server = createServer();
    const port = await listen(server, { port: choices.port ?? 0 });
    const issuer = `http://127.0.0.1:${port}`;
    return new AuthorizationServer(server, issuer, new Provider(issuer, configure(choices, [await getSigningKey()])));
  }

  /** Refresh tokens that were good for a token, in order. */
  get renewals(): number {
    return this.tokenRequests.filter(({ form, status }) => {
      return status === 200 && form.get("grant_type") === "refresh_token";
    }).length;
  }

  /** @returns What a token is good for; nothing when it is none, or has ended. */
  async findScopes(token: string): Promise<ReadonlySet<string> | undefined> {
    return (await this.#provider.AccessToken.find(token))?.scopes;
  }

  /** @returns For which server a token is. */
  async findAudience(token: string): Promise<string | undefined> {
    const audience = (await this.#provider.AccessToken.find(token))?.aud;
    return typeof audience === "string" ? audience : undefined;
  }

  /** Whoever runs it ends all grants. */
  async revokeGrants(): Promise<void> {
    for (const id of this.#grants) {
      await this.#provider.RefreshToken.revokeByGrantId(id);
      await this.#provider.AccessToken.revokeByGrantId(id);
    }
  }

  /** Ends access tokens only. */
  async revokeAccessTokens(): Promise<void> {
    for (const id of this.#grants) await this.#provider.AccessToken.revokeByGrantId(id);
  }

  /** Whoever waits for an answer gets none. */
  cutConnections(): void {
    this.#server.closeAllConnections();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  async #answer(
    request: IncomingMessage,
    response: ServerResponse,
    answer: (request: IncomingMessage, response: ServerResponse) => unknown,
  ): Promise<void> {
    const path = new URL(request.url ?? "/", this.issuer).pathname;
    this.paths.push(path);
    if (path.startsWith("/interaction/")) return await this.#interact(request, response);
    if (path !== "/token") return void answer(request, response);
    if (this.slowMs > 0) await delay(this.slowMs);
    if (this.mishap === "refuse connection") return void request.socket.destroy();
    if (this.mishap === "answer 503") return void response.writeHead(503, { "Retry-After": "1" }).end("<h1>Busy</h1>");
    if (this.mishap === "never answer") return;
    // The provider takes a body that was parsed before.
    let text = "";
    for await (const chunk of request.setEncoding("utf8")) text += String(chunk);
    const form = new URLSearchParams(text);
    Object.assign(request, { body: Object.fromEntries(form) });
    if (this.mishap === "lose answer") response.end = () => response.destroy();
    response.once("close", () => this.tokenRequests.push({ form, status: response.statusCode }));
    answer(request, response);
  }

  /** Whoever comes has a session and agrees to everything. */
  async #interact(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { prompt, params, session, grantId } = await this.#provider.interactionDetails(request, response);
    if (prompt.name === "login") {
      await this.#provider.interactionFinished(request, response, { login: { accountId: ACCOUNT } });
      return;
    }
    const clientId = String(params.client_id);
    const accountId = session?.accountId ?? ACCOUNT;
    const known = grantId === undefined ? undefined : await this.#provider.Grant.find(grantId);
    const grant = known ?? new this.#provider.Grant({ accountId, clientId });
    const { missingOIDCScope, missingResourceScopes } = prompt.details as {
      readonly missingOIDCScope?: string[];
      readonly missingResourceScopes?: Record<string, string[]>;
    };
    if (missingOIDCScope) grant.addOIDCScope(missingOIDCScope.join(" "));
    for (const [resource, scopes] of Object.entries(missingResourceScopes ?? {})) {
      grant.addResourceScope(resource, scopes.join(" "));
    }
    const consent = { grantId: await grant.save() };
    await this.#provider.interactionFinished(request, response, { consent }, { mergeWithLastSubmission: true });
  }
}

function configure(choices: AuthorizationServerChoices, keys: object[]): Configuration {
  const { isStrict = false, registersClients = true, clients = [] } = choices;
  const tokenSeconds = choices.tokenSeconds ?? (isStrict ? 4 : 3600);
  const resourceServer = (audience: string): ResourceServer => ({
    scope: REMOTE_SCOPES.join(" "),
    audience,
    accessTokenTTL: tokenSeconds,
    accessTokenFormat: "opaque",
  });
  return {
    clients,
    jwks: { keys },
    cookies: { keys: [randomBytes(16).toString("hex")] },
    scopes: ["openid", "offline_access", ...REMOTE_SCOPES],
    clientDefaults: { id_token_signed_response_alg: "RS256" },
    findAccount: (_context, sub) => ({ accountId: sub, claims: () => ({ sub }) }),
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    rotateRefreshToken: isStrict,
    ttl: {
      AccessToken: tokenSeconds,
      RefreshToken: 86_400,
      DeviceCode: 600,
      Grant: 86_400,
      IdToken: 3600,
      Interaction: 600,
      Session: 86_400,
    },
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: registersClients },
      revocation: { enabled: isStrict },
      deviceFlow: { enabled: isStrict },
      resourceIndicators: {
        enabled: isStrict,
        defaultResource: () => [],
        getResourceServerInfo: (_context, resource) => resourceServer(resource),
        useGrantedResource: () => true,
      },
    },
  };
}
