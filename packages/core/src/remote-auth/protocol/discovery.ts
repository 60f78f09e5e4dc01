/** Finds where to sign in: metadata of the server (RFC 9728) and of its authorization server (RFC 8414, OpenID Connect). */
import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import {
  type AuthorizationServerMetadata,
  checkResourceAllowed,
  discoverAuthorizationServerMetadata,
  discoverOAuthProtectedResourceMetadata,
  type OAuthProtectedResourceMetadata,
} from "@modelcontextprotocol/client";
import { isLoopback, isSecureUrl } from "@toolhive/http";
import { isPrivateAddress } from "../../net/private-address.ts";
import { ThvError } from "../../support/errors.ts";
import { describeRequestFailure, type Fetch } from "./bounded-fetch.ts";
import type { Challenge } from "./challenge.ts";
import type { IssuerEndpoints } from "./grant.ts";

/** What the user knows of the authorization server. */
export interface KnownIssuer {
  readonly issuer?: string | undefined;
  readonly authorizeUrl?: string | undefined;
  readonly tokenUrl?: string | undefined;
}

/** The IP addresses of a host name. */
export type ResolveHost = (name: string) => Promise<readonly string[]>;

export interface DiscoveryRequest extends KnownIssuer {
  readonly server: URL;
  /** Of the server; absent when it did not ask for a sign-in. */
  readonly challenge: Challenge | undefined;
  readonly signal: AbortSignal;
  readonly fetchFn: Fetch;
  /** Default: as the system does. */
  readonly resolveHost?: ResolveHost | undefined;
}

export interface FoundIssuer {
  readonly endpoints: IssuerEndpoints;
  /** In the SDK's form. */
  readonly metadata: AuthorizationServerMetadata;
  /** What the server calls itself; absent for one without metadata. */
  readonly resource: string | undefined;
  /** That the server's metadata names. */
  readonly scopes: readonly string[] | undefined;
  /** That the authorization server knows. */
  readonly knownScopes: readonly string[];
  /** Whether a client may be the address of its metadata. */
  readonly readsClientMetadata: boolean;
  /** Whether it says that it checks PKCE with S256, or the user named its page. */
  readonly checksPkce: boolean;
}

/** Names of this machine (RFC 6761, 6.3). */
const LOCAL_NAME = /^(?:.+\.)?localhost\.?$/i;
const ISSUER_HINT = "Name the right one: --remote-auth-issuer https://…";

/** @throws {ThvError} `UNAUTHENTICATED` for a server that claims to be another one, `ISSUER_UNAVAILABLE`, `INVALID_ARGUMENT`. */
export async function discoverRemoteIssuer(asked: DiscoveryRequest): Promise<FoundIssuer> {
  const request = { ...asked, resolveHost: rememberHosts(asked.resolveHost ?? resolveBySystem) };
  const { server, challenge, authorizeUrl, tokenUrl } = request;
  const resource = await findResource(request);
  const named = request.issuer ?? resource?.authorization_servers?.[0] ?? challenge?.realm?.href;
  const known = authorizeUrl && tokenUrl ? (named ?? new URL(tokenUrl).origin) : undefined;
  const metadata =
    known !== undefined && authorizeUrl !== undefined && tokenUrl !== undefined
      ? { ...createMetadata(known), authorization_endpoint: authorizeUrl, token_endpoint: tokenUrl }
      : {
          ...(await readMetadata(named ?? server.origin, request)),
          ...(authorizeUrl !== undefined && { authorization_endpoint: authorizeUrl }),
          ...(tokenUrl !== undefined && { token_endpoint: tokenUrl }),
        };
  return {
    metadata,
    endpoints: await readEndpoints(metadata, request),
    resource: resource?.resource,
    scopes: resource?.scopes_supported,
    knownScopes: metadata.scopes_supported ?? [],
    readsClientMetadata:
      "client_id_metadata_document_supported" in metadata
        ? metadata.client_id_metadata_document_supported === true
        : false,
    checksPkce:
      authorizeUrl !== undefined || (metadata.code_challenge_methods_supported ?? []).some((each) => each === "S256"),
  };
}

/** The SDK's form of what a grant remembers. */
export function restoreMetadata(endpoints: IssuerEndpoints): AuthorizationServerMetadata {
  return {
    ...createMetadata(endpoints.issuer),
    ...(endpoints.authorization !== undefined && { authorization_endpoint: endpoints.authorization }),
    token_endpoint: endpoints.token,
    token_endpoint_auth_methods_supported: [...endpoints.clientAuthMethods],
  };
}

function createMetadata(issuer: string): AuthorizationServerMetadata {
  return {
    issuer,
    authorization_endpoint: issuer,
    token_endpoint: issuer,
    response_types_supported: ["code"],
    code_challenge_methods_supported: ["S256"],
  };
}

async function findResource(request: DiscoveryRequest): Promise<OAuthProtectedResourceMetadata | undefined> {
  const { server, challenge, signal, fetchFn } = request;
  const named = challenge?.resourceMetadataUrls ?? [];
  for (const url of named) await assertReachable(url.href, "metadata", request);
  let failure: unknown;
  // The last one is the well-known place, which has it where a named address has moved.
  for (const resourceMetadataUrl of [...named, undefined]) {
    let found: OAuthProtectedResourceMetadata;
    try {
      const place = resourceMetadataUrl ? { resourceMetadataUrl } : {};
      found = await discoverOAuthProtectedResourceMetadata(server, place, fetchFn);
    } catch (error) {
      signal.throwIfAborted();
      failure ??= error;
      continue;
    }
    if (isAbout(found, server)) return found;
    throw new ThvError("UNAUTHENTICATED", `${server.origin} says that it is ${found.resource}, which it is not.`, {
      hint: "A token for that must not go to this server. Ask whoever runs it.",
    });
  }
  // A server that points there has to have it; one that does not may be older than RFC 9728.
  if (!named[0]) return undefined;
  const reason = describeRequestFailure(failure);
  throw new ThvError("ISSUER_UNAVAILABLE", `${named[0].href} cannot be read: ${reason}`, {
    hint: ISSUER_HINT,
    cause: failure,
  });
}

/** RFC 9728, 3.3: metadata about another resource must not be used. It may be about one path of the server. */
function isAbout({ resource }: OAuthProtectedResourceMetadata, server: URL): boolean {
  if (!URL.canParse(resource) || new URL(resource).origin !== server.origin) return false;
  const isResourcePart = (requestedResource: URL | string, configuredResource: URL | string) =>
    checkResourceAllowed({ requestedResource, configuredResource });
  return isResourcePart(resource, server) || isResourcePart(server, resource);
}

async function readMetadata(issuer: string, request: DiscoveryRequest): Promise<AuthorizationServerMetadata> {
  await assertReachable(issuer, "authorization server", request);
  let metadata: AuthorizationServerMetadata | undefined;
  let document: unknown;
  // The SDK drops members that it does not know, and these are needed here.
  const fetchFn: Fetch = async (input, init) => {
    const response = await request.fetchFn(input, init);
    if (response.ok) document = await response.clone().json();
    return response;
  };
  try {
    metadata = await discoverAuthorizationServerMetadata(issuer, { fetchFn });
  } catch (error) {
    request.signal.throwIfAborted();
    throw new ThvError("ISSUER_UNAVAILABLE", `${issuer} cannot be used: ${describeRequestFailure(error)}`, {
      hint: ISSUER_HINT,
      cause: error,
    });
  }
  if (metadata) return { ...pickFurther(document), ...metadata };
  throw new ThvError("ISSUER_UNAVAILABLE", `${issuer} says nothing about how to sign in.`, {
    hint: `${ISSUER_HINT}. If it has no metadata, name its pages and a client that you registered there: --remote-auth-authorize-url, --remote-auth-token-url and --remote-auth-client-id`,
  });
}

function pickFurther(document: unknown): Record<string, unknown> {
  const members = ["device_authorization_endpoint", "revocation_endpoint", "client_id_metadata_document_supported"];
  const known = typeof document === "object" && document !== null ? Object.entries(document) : [];
  return Object.fromEntries(known.filter(([member]) => members.includes(member)));
}

/**
 * Secrets are only sent where the network cannot read them; and a public server does not make this program ask services of this
 * machine or of a private network, unless the user named them.
 */
async function assertReachable(address: string, what: string, request: DiscoveryRequest): Promise<void> {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || !isSecureUrl(url)) {
    throw new ThvError("INVALID_ARGUMENT", `The ${what} "${address.slice(0, 300)}" must begin with https://.`);
  }
  const isNamed = [request.issuer, request.authorizeUrl, request.tokenUrl].some((known) => {
    return known !== undefined && URL.canParse(known) && new URL(known).origin === url.origin;
  });
  if (isNamed || (await findPrivateAddress(request.server, request)) !== undefined) return;
  const found = await findPrivateAddress(url, request);
  if (found === undefined) return;
  const place = isLoopback(found) ? "this machine" : `${found}, an address of no public network`;
  throw new ThvError(
    "INVALID_ARGUMENT",
    `${request.server.origin} names the ${what} ${url.origin}, which is ${place}.`,
    { hint: `If that is right, name it yourself: --remote-auth-issuer ${url.origin}` },
  );
}

/** @returns One that the host has; `undefined` for a public host, and for one that only a proxy can resolve. */
async function findPrivateAddress(
  { hostname }: URL,
  { resolveHost = resolveBySystem }: DiscoveryRequest,
): Promise<string | undefined> {
  const host = hostname.replace(/^\[|\]$/g, "");
  if (isIP(host) !== 0) return isPrivateAddress(host) ? host : undefined;
  if (LOCAL_NAME.test(host)) return "127.0.0.1";
  const addresses = await resolveHost(host).catch(() => []);
  return addresses.find((address) => isPrivateAddress(address));
}

async function resolveBySystem(name: string): Promise<string[]> {
  return (await lookup(name, { all: true })).map(({ address }) => address);
}

/** Most addresses of one sign-in are of one host. */
function rememberHosts(resolve: ResolveHost): ResolveHost {
  const known = new Map<string, Promise<readonly string[]>>();
  return async (name) => {
    const asked = known.get(name) ?? resolve(name);
    known.set(name, asked);
    return await asked;
  };
}

async function readEndpoints(
  metadata: AuthorizationServerMetadata,
  request: DiscoveryRequest,
): Promise<IssuerEndpoints> {
  const take = async (member: string): Promise<string | undefined> => {
    const value: unknown = (metadata as Record<string, unknown>)[member];
    if (typeof value !== "string" || value === "") return undefined;
    await assertReachable(value, member.replaceAll("_", " "), request);
    return value;
  };
  const token = await take("token_endpoint");
  if (token === undefined) {
    throw new ThvError("ISSUER_UNAVAILABLE", `${metadata.issuer} names no token endpoint.`, { hint: ISSUER_HINT });
  }
  const authorization = await take("authorization_endpoint");
  const registration = await take("registration_endpoint");
  const revocation = await take("revocation_endpoint");
  const deviceAuthorization = await take("device_authorization_endpoint");
  return {
    issuer: metadata.issuer,
    token,
    ...(authorization !== undefined && { authorization }),
    ...(registration !== undefined && { registration }),
    ...(revocation !== undefined && { revocation }),
    ...(deviceAuthorization !== undefined && { deviceAuthorization }),
    clientAuthMethods: (metadata.token_endpoint_auth_methods_supported ?? []).slice(0, 20),
  };
}
