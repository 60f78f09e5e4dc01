/**
 * Begins a sign-in and finishes it: OAuth 2.1's authorization code with PKCE and a way back on loopback, or a code that is
 * entered in a browser elsewhere (RFC 8628). In between a person acts, so the caller receives the address first.
 */
import { randomBytes } from "node:crypto";
import { exchangeAuthorization, startAuthorization } from "@modelcontextprotocol/client";
import { describeError, hasCode, ThvError } from "../../support/errors.ts";
import { createBoundedFetch, describeRequestFailure, type Fetch } from "./bounded-fetch.ts";
import { CallbackServer } from "./callback-server.ts";
import type { Challenge } from "./challenge.ts";
import { beginDeviceGrant } from "./device-grant.ts";
import { discoverRemoteIssuer, type FoundIssuer, type KnownIssuer } from "./discovery.ts";
import { findClient, type KnownClient } from "./find-client.ts";
import type { Grant, GrantClient } from "./grant.ts";
import { addParameters, askForLastingGrant } from "./lasting-grant.ts";
import {
  askWithResource,
  clientInformation,
  grantTokens,
  listGrantedScopes,
  RESOURCE_ERRORS,
  type RenewedTokens,
} from "./token-requests.ts";

/** The port that other programs of this kind have registered with authorization servers (cli.md 3.2). */
export const DEFAULT_CALLBACK_PORT = 8666;

export const SIGN_IN_METHODS = ["browser", "device", "device-or-browser"] as const;
export type SignInMethod = (typeof SIGN_IN_METHODS)[number];

export interface SignInRequest extends KnownIssuer, KnownClient {
  readonly server: URL;
  readonly challenge: Challenge | undefined;
  /** Asked for by the user; absent when the server may say. */
  readonly scopes?: readonly string[] | undefined;
  /** Scopes to ask for by default. */
  readonly defaultScopes?: readonly string[] | undefined;
  /** Beyond all others: what the server asked for when it refused a token. */
  readonly missingScopes?: readonly string[] | undefined;
  /** Resource indicator; default: what the server calls itself. */
  readonly resource?: string | undefined;
  /** Further parameters of the page for signing in. */
  readonly parameters?: Readonly<Record<string, string>> | undefined;
  /** Default: 8666. */
  readonly callbackPort?: number | undefined;
  readonly timeoutMs: number;
  /** Where the browser is: here, or elsewhere, where a code is entered; `device-or-browser` takes the latter if it is offered. */
  readonly method?: SignInMethod | undefined;
  /** The grant before; its registered client is used again. */
  readonly previous?: Grant | undefined;
  readonly send?: Fetch | undefined;
  /** The clock that tokens are dated by, milliseconds. */
  readonly now?: (() => number) | undefined;
  /** Of the device grant; only tests make it shorter. */
  readonly pollMs?: number | undefined;
  /** Ends all of it. */
  readonly signal: AbortSignal;
}

/** What a person has to do now. */
export interface SignInOffer {
  /** To open in a browser. */
  readonly address: string;
  /** The port on this machine to which the browser returns; absent for a sign-in by code. */
  readonly callbackPort?: number | undefined;
  /** To enter there; absent where the browser returns by itself. */
  readonly userCode?: string | undefined;
  readonly expiresAt: Date;
}

export interface PendingSignIn extends AsyncDisposable {
  readonly offer: SignInOffer;
  /**
   * Waits for the person. The browser reports success only after the grant has been kept.
   *
   * @throws {ThvError} `UNAUTHENTICATED` when the sign-in was refused, or not finished in time. @throws What `keep` throws.
   */
  finish(keep: (grant: Grant) => Promise<void>): Promise<Grant>;
}

/** @throws {ThvError} `UNAUTHENTICATED`, `ISSUER_UNAVAILABLE`, `INVALID_ARGUMENT`, `PORT_IN_USE`. */
export async function beginSignIn(request: SignInRequest): Promise<PendingSignIn> {
  const { server, challenge, signal, send } = request;
  const fetchFn = createBoundedFetch({ signal, send });
  const found = await discoverRemoteIssuer({ ...pickIssuer(request), server, challenge, signal, fetchFn });
  const scopes = chooseScopes(request, found);
  const resource = request.resource ?? found.resource;
  const shared: SharedParts = { request, found, fetchFn, scopes, resource, previous: findPrevious(request, found) };
  const hasDeviceGrant = found.endpoints.deviceAuthorization !== undefined;
  const byDevice = request.method === "device" || (request.method === "device-or-browser" && hasDeviceGrant);
  return byDevice ? await beginByDevice(shared) : await beginByBrowser(shared);
}

interface SharedParts {
  readonly request: SignInRequest;
  readonly found: FoundIssuer;
  readonly fetchFn: Fetch;
  readonly scopes: readonly string[];
  readonly resource: string | undefined;
  readonly previous: GrantClient | undefined;
}

async function beginByBrowser(shared: SharedParts): Promise<PendingSignIn> {
  const { request, found, scopes, resource } = shared;
  const { timeoutMs } = request;
  const { issuer, authorization } = found.endpoints;
  if (authorization === undefined) {
    throw new ThvError("ISSUER_UNAVAILABLE", `${issuer} has no page for signing in.`, {
      hint: found.endpoints.deviceAuthorization === undefined ? undefined : "Sign in with a code: --device",
    });
  }
  if (!found.checksPkce) {
    throw new ThvError(
      "ISSUER_UNAVAILABLE",
      `${issuer} does not say that it checks PKCE (S256), so that somebody else could use the code of a sign-in.`,
      {
        hint: `Ask whoever runs it. If you know that it does, name its addresses yourself: --remote-auth-authorize-url ${authorization} --remote-auth-token-url ${found.endpoints.token}`,
      },
    );
  }
  const state = randomBytes(32).toString("base64url");
  const callback = await openCallback(shared, state);
  try {
    const redirectUrl = callback.redirectUrl;
    const client = await findClient({ ...pickClient(shared), redirectUrl });
    const { authorizationUrl, codeVerifier } = await startAuthorization(issuer, {
      metadata: found.metadata,
      clientInformation: clientInformation(client),
      redirectUrl,
      state,
      scope: scopes.join(" "),
      ...(resource !== undefined && { resource }),
    }).catch((error: unknown) => {
      throw new ThvError("ISSUER_UNAVAILABLE", `${issuer} cannot be used: ${describeRequestFailure(error)}`, {
        cause: error,
      });
    });
    addParameters(authorizationUrl, request.parameters);
    askForLastingGrant(authorizationUrl);
    if (resource !== undefined) {
      // A page that does not support resource indicators refuses the whole request, so the browser is redirected to it once more without them.
      const plain = new URL(authorizationUrl);
      plain.searchParams.delete("resource");
      callback.offerSecond({ errors: RESOURCE_ERRORS, address: plain.href });
    }
    return {
      offer: {
        address: authorizationUrl.href,
        callbackPort: callback.port,
        expiresAt: new Date(Date.now() + timeoutMs),
      },
      finish: async (keep) => await finishByBrowser({ shared, callback, client, codeVerifier, keep }),
      [Symbol.asyncDispose]: () => callback[Symbol.asyncDispose](),
    };
  } catch (error) {
    await callback[Symbol.asyncDispose]();
    throw error;
  }
}

interface BrowserFinish {
  readonly shared: SharedParts;
  readonly callback: CallbackServer;
  readonly client: GrantClient;
  readonly codeVerifier: string;
  readonly keep: (grant: Grant) => Promise<void>;
}

async function finishByBrowser({ shared, callback, client, codeVerifier, keep }: BrowserFinish): Promise<Grant> {
  const { request, found, fetchFn, scopes, resource } = shared;
  const { signal } = request;
  const { issuer } = found.endpoints;
  const { code, iss, isSecond } = await callback.wait(signal, request.timeoutMs);
  const obtainedAt = new Date(request.now?.() ?? Date.now());
  const exchange = askWithResource(isSecond ? undefined : resource, async (each) => {
    const answer = await exchangeAuthorization(issuer, {
      metadata: found.metadata,
      clientInformation: clientInformation(client),
      authorizationCode: code,
      ...(iss !== undefined && { iss }),
      codeVerifier,
      redirectUri: callback.redirectUrl,
      ...(each !== undefined && { resource: each }),
      fetchFn,
    });
    return { tokens: grantTokens(answer, obtainedAt), scopes: listGrantedScopes(answer, scopes) };
  });
  const { answer, resource: taken } = await exchange.catch(async (error: unknown) => {
    signal.throwIfAborted();
    const reason = describeRequestFailure(error, [code, codeVerifier, client.secret]);
    const refused = new ThvError("UNAUTHENTICATED", `${issuer} refused the code: ${reason}`, { cause: error });
    await callback.conclude(refused);
    throw refused;
  });
  const grant = createGrant(shared, "authorization_code", client, { ...answer, resource: taken });
  await keep(grant).catch(async (error: unknown) => {
    const reason = describeError(error);
    await callback.conclude(new ThvError("UNAUTHENTICATED", `The sign-in could not be kept: ${reason}`));
    throw error;
  });
  await callback.conclude();
  return grant;
}

async function beginByDevice(shared: SharedParts): Promise<PendingSignIn> {
  const { request, found, fetchFn, scopes, resource } = shared;
  // Registration asks for a way back, too, and the client then serves either way.
  const usualUrl = `http://localhost:${request.callbackPort || DEFAULT_CALLBACK_PORT}/callback`;
  const redirectUrl = shared.previous?.redirectUrl ?? usualUrl;
  const client = await findClient({ ...pickClient(shared), redirectUrl });
  const { offer, wait } = await beginDeviceGrant({
    endpoints: found.endpoints,
    client,
    scopes,
    resource,
    timeoutMs: request.timeoutMs,
    fetchFn,
    now: request.now ?? (() => Date.now()),
    pollMs: request.pollMs,
    signal: request.signal,
  });
  return {
    offer,
    finish: async (keep) => {
      const grant = createGrant(shared, "device_code", client, await wait());
      await keep(grant);
      return grant;
    },
    [Symbol.asyncDispose]: async () => undefined,
  };
}

/**
 * A client that was registered before has this very address; one that is registered now takes whatever is free.
 *
 * @throws {ThvError} `PORT_IN_USE`.
 */
async function openCallback({ request, previous }: SharedParts, state: string): Promise<CallbackServer> {
  const port = readPort(previous?.redirectUrl) ?? request.callbackPort ?? DEFAULT_CALLBACK_PORT;
  return await CallbackServer.open(port, state).catch(async (error: unknown) => {
    if (request.clientId !== undefined || !hasCode(error, "PORT_IN_USE")) throw error;
    return await CallbackServer.open(0, state);
  });
}

function readPort(redirectUrl: string | undefined): number | undefined {
  return redirectUrl === undefined || !URL.canParse(redirectUrl) ? undefined : Number(new URL(redirectUrl).port);
}

/** Registered at the same authorization server; a given client takes its place. */
function findPrevious({ previous, clientId }: SignInRequest, { endpoints }: FoundIssuer): GrantClient | undefined {
  if (clientId !== undefined || previous?.endpoints.issuer !== endpoints.issuer) return undefined;
  return previous.client.isRegistered ? previous.client : undefined;
}

function pickIssuer({ issuer, authorizeUrl, tokenUrl }: SignInRequest): KnownIssuer {
  return { issuer, authorizeUrl, tokenUrl };
}

function pickClient({ request, found, fetchFn, scopes, previous }: SharedParts) {
  const { clientId, clientSecret, clientMetadataUrl, signal } = request;
  return { clientId, clientSecret, clientMetadataUrl, signal, found, fetchFn, scopes, previous };
}

/**
 * The user, then the server's answer, then its metadata, then the default; and what a refused call lacked. An authorization server
 * that gives a lasting grant only on request is asked for one (OpenID Connect Core, 11).
 */
function chooseScopes(request: SignInRequest, { scopes, knownScopes }: FoundIssuer): readonly string[] {
  const { challenge, defaultScopes = [], missingScopes = [] } = request;
  const chosen = request.scopes ?? challenge?.scopes ?? scopes ?? defaultScopes;
  const lasting = request.scopes === undefined && knownScopes.includes("offline_access") ? ["offline_access"] : [];
  return [...new Set([...chosen, ...missingScopes, ...lasting])].slice(0, 100);
}

function createGrant(
  { request, found }: SharedParts,
  kind: Grant["kind"],
  client: GrantClient,
  { tokens, scopes, resource }: RenewedTokens,
): Grant {
  return {
    version: 1,
    server: request.server.href,
    kind,
    endpoints: found.endpoints,
    client,
    ...(resource !== undefined && { resource }),
    scopes: [...scopes],
    signedInAt: tokens.obtainedAt,
    tokens,
  };
}
