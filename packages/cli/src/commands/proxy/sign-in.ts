/**
 * Signs in at a server's authorization server: OAuth 2.1's authorization code flow with PKCE, as the MCP specification asks
 * for it. Metadata by RFC 9728 and RFC 8414, a client by RFC 7591, all through the official SDK. Tokens stay in memory.
 */

import { randomBytes } from "node:crypto";
import {
  type AuthorizationServerMetadata,
  checkResourceAllowed,
  discoverAuthorizationServerMetadata,
  discoverOAuthProtectedResourceMetadata,
  exchangeAuthorization,
  type OAuthClientInformationMixed,
  type OAuthProtectedResourceMetadata,
  type OAuthTokens,
  refreshAuthorization,
  registerClient,
  startAuthorization,
} from "@modelcontextprotocol/client";
import { BRAND } from "@toolhive/core/brand";
import { hasCode, messageOf, ThvError } from "@toolhive/core/errors";
import { toOneLine } from "@toolhive/core/one-line";
import { isSecureUrl } from "@toolhive/http";
import type { CommandContext } from "../../command-line/command.ts";
import { openBrowser } from "../shared/open-browser.ts";
import { CallbackServer } from "./callback.ts";
import type { Challenge } from "./challenge.ts";

/** Milliseconds before its end at which a token is renewed. */
const RENEW_BEFORE_MS = 30_000;
/** Milliseconds for each request to the authorization server. */
const REQUEST_TIMEOUT_MS = 30_000;

export interface SignInOptions {
  readonly target: URL;
  readonly challenge: Challenge;
  /** Where to sign in; `undefined` when the server says it. */
  readonly issuer: string | undefined;
  /** `undefined` when a client has to be registered. */
  readonly clientId: string | undefined;
  readonly clientSecret: string | undefined;
  /** Asked for by the user; `undefined` when the server may say. */
  readonly scopes: readonly string[] | undefined;
  readonly defaultScopes: readonly string[];
  readonly opensBrowser: boolean;
  readonly timeoutMs: number;
  readonly callbackPort: number;
  readonly context: CommandContext;
}

/** @throws {ThvError} `UNAUTHENTICATED`, `ISSUER_UNAVAILABLE`, `INVALID_ARGUMENT`, `PORT_IN_USE`. */
export async function signIn(options: SignInOptions): Promise<RemoteSession> {
  const { target, challenge, clientId, clientSecret, callbackPort, context } = options;
  const resource = await findResource(target, challenge, context.signal);
  const issuer = options.issuer ?? resource?.authorization_servers?.[0] ?? challenge.realm?.href ?? target.origin;
  const metadata = await readMetadata(issuer, context.signal);
  const state = randomBytes(32).toString("base64url");
  // A client that was registered before has this very address; one that is registered now takes whatever is free.
  await using callback = await CallbackServer.open(callbackPort, state).catch(async (error: unknown) => {
    if (clientId !== undefined || !hasCode(error, "PORT_IN_USE")) throw error;
    return await CallbackServer.open(0, state);
  });
  const scope = scopesOf(options, resource).join(" ");
  const fetchFn = boundedFetch(context.signal);
  const refused = (doing: string) => (error: unknown) => {
    context.signal.throwIfAborted();
    throw new ThvError("UNAUTHENTICATED", `${issuer} refused ${doing}: ${describe(error)}`, { cause: error });
  };
  const client: OAuthClientInformationMixed =
    clientId === undefined
      ? await register(issuer, metadata, { redirectUrl: callback.redirectUrl, scope, fetchFn }).catch(
          refused("to register a client"),
        )
      : { client_id: clientId, ...(clientSecret !== undefined && { client_secret: clientSecret }) };
  const shared = { metadata, clientInformation: client, ...(resource && { resource: resource.resource }) };
  const { authorizationUrl, codeVerifier } = await startAuthorization(issuer, {
    ...shared,
    redirectUrl: callback.redirectUrl,
    state,
    scope,
  });
  const { terminal } = context;
  terminal.info(`Please open this URL in your browser: ${authorizationUrl.href}`);
  if (options.opensBrowser) openBrowser(authorizationUrl.href, context.env);
  const { code, iss } = await callback.wait(context.signal, options.timeoutMs);
  const tokens = await exchangeAuthorization(issuer, {
    ...shared,
    authorizationCode: code,
    ...(iss !== undefined && { iss }),
    codeVerifier,
    redirectUri: callback.redirectUrl,
    fetchFn,
  }).catch(refused("the code"));
  terminal.info("Signed in.");
  return new RemoteSession(tokens, async (refreshToken) =>
    refreshAuthorization(issuer, { ...shared, refreshToken, fetchFn }),
  );
}

/** What signing in has brought: a token for each request, renewed when it ends. */
export class RemoteSession {
  readonly #refresh: (refreshToken: string) => Promise<OAuthTokens>;
  #tokens: OAuthTokens;
  #endsAt: number;
  #renewal: Promise<void> | undefined;

  constructor(tokens: OAuthTokens, refresh: (refreshToken: string) => Promise<OAuthTokens>) {
    this.#tokens = tokens;
    this.#endsAt = endOf(tokens);
    this.#refresh = refresh;
  }

  /** @throws {ThvError} `UNAUTHENTICATED` when the token has ended and cannot be renewed. */
  async authorization(): Promise<string> {
    if (Date.now() >= this.#endsAt) {
      // Requests that come meanwhile wait for the same answer: a refresh token may be good for one use.
      this.#renewal ??= this.#renew().finally(() => {
        this.#renewal = undefined;
      });
      await this.#renewal;
    }
    return `Bearer ${this.#tokens.access_token}`;
  }

  /** The server does not take the token: the next request gets a new one. */
  expire(): void {
    if (this.#tokens.refresh_token !== undefined) this.#endsAt = 0;
  }

  async #renew(): Promise<void> {
    const { refresh_token: refreshToken } = this.#tokens;
    const again = "Stop the proxy and start it again to sign in.";
    if (refreshToken === undefined) {
      throw new ThvError("UNAUTHENTICATED", `The token has ended, and there is none to renew it with. ${again}`);
    }
    try {
      const tokens = await this.#refresh(refreshToken);
      // An authorization server that rotates nothing leaves the refresh token out.
      this.#tokens = { ...tokens, refresh_token: tokens.refresh_token ?? refreshToken };
      this.#endsAt = endOf(tokens);
    } catch (error) {
      throw new ThvError("UNAUTHENTICATED", `The token could not be renewed: ${describe(error)} ${again}`, {
        cause: error,
      });
    }
  }
}

function endOf({ expires_in: seconds }: OAuthTokens): number {
  if (seconds === undefined) return Number.POSITIVE_INFINITY;
  // A token that lasts for less than the margin is renewed half way.
  return Date.now() + Math.max(seconds * 1000 - RENEW_BEFORE_MS, seconds * 500);
}

async function findResource(
  target: URL,
  { resourceMetadataUrl }: Challenge,
  signal: AbortSignal,
): Promise<OAuthProtectedResourceMetadata | undefined> {
  let found: OAuthProtectedResourceMetadata;
  try {
    const options = resourceMetadataUrl ? { resourceMetadataUrl } : {};
    found = await discoverOAuthProtectedResourceMetadata(target, options, boundedFetch(signal));
  } catch (error) {
    signal.throwIfAborted();
    // A server that points there has to have it; one that does not may be older than RFC 9728.
    if (!resourceMetadataUrl) return undefined;
    throw new ThvError("ISSUER_UNAVAILABLE", `${resourceMetadataUrl.href} cannot be read: ${describe(error)}`, {
      cause: error,
    });
  }
  if (isAbout(found, target)) return found;
  throw new ThvError("UNAUTHENTICATED", `${target.origin} says that it is ${found.resource}, which it is not.`, {
    hint: "A token for that must not go to this server. Ask whoever runs it.",
  });
}

/** RFC 9728, 3.3: metadata about another resource must not be used. It may be about one path of the server. */
function isAbout({ resource }: OAuthProtectedResourceMetadata, target: URL): boolean {
  if (!URL.canParse(resource) || new URL(resource).origin !== target.origin) return false;
  return checkResourceAllowed({ requestedResource: resource, configuredResource: target });
}

async function readMetadata(issuer: string, signal: AbortSignal): Promise<AuthorizationServerMetadata> {
  const url = URL.canParse(issuer) ? new URL(issuer) : undefined;
  if (!url || !isSecureUrl(url)) {
    throw new ThvError("INVALID_ARGUMENT", `The authorization server "${issuer}" must begin with https://.`);
  }
  const hint = "Name the right one: --remote-auth-issuer https://…";
  let metadata: AuthorizationServerMetadata | undefined;
  try {
    metadata = await discoverAuthorizationServerMetadata(issuer, { fetchFn: boundedFetch(signal) });
  } catch (error) {
    signal.throwIfAborted();
    throw new ThvError("ISSUER_UNAVAILABLE", `${issuer} cannot be used: ${describe(error)}`, { hint, cause: error });
  }
  if (!metadata) throw new ThvError("ISSUER_UNAVAILABLE", `${issuer} says nothing about how to sign in.`, { hint });
  return metadata;
}

async function register(
  issuer: string,
  metadata: AuthorizationServerMetadata,
  { redirectUrl, scope, fetchFn }: { redirectUrl: string; scope: string; fetchFn: typeof fetch },
): Promise<OAuthClientInformationMixed> {
  if (metadata.registration_endpoint === undefined) {
    throw new Error("clients cannot register themselves there; give --remote-auth-client-id");
  }
  return await registerClient(issuer, {
    metadata,
    fetchFn,
    clientMetadata: {
      client_name: BRAND.product,
      redirect_uris: [redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
      ...(scope !== "" && { scope }),
    },
  });
}

/** The user, then the server's answer, then its metadata, then the default. */
function scopesOf(
  { scopes, challenge, defaultScopes }: SignInOptions,
  resource: OAuthProtectedResourceMetadata | undefined,
): readonly string[] {
  return scopes ?? challenge.scope?.split(/\s+/) ?? resource?.scopes_supported ?? defaultScopes;
}

function boundedFetch(signal: AbortSignal): typeof fetch {
  return (input, init) =>
    fetch(input, { ...init, signal: AbortSignal.any([signal, AbortSignal.timeout(REQUEST_TIMEOUT_MS)]) });
}

function describe(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? `: ${messageOf(error.cause)}` : "";
  return toOneLine(`${messageOf(error)}${cause}`).slice(0, 400);
}
