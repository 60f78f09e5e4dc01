/** As whom we sign in: a given client, the address of a client's metadata, the client of before, or one that is registered now. */
import { registerClient } from "@modelcontextprotocol/client";
import { BRAND } from "../../support/brand.ts";
import { ThvError } from "../../support/errors.ts";
import { describeRequestFailure, type Fetch } from "./bounded-fetch.ts";
import type { FoundIssuer } from "./discovery.ts";
import type { GrantClient } from "./grant.ts";

export const DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code";

/** What the user knows of the client. */
export interface KnownClient {
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | undefined;
  /** Address of a client id metadata document, https; used where the authorization server reads such. */
  readonly clientMetadataUrl?: string | undefined;
}

export interface ClientRequest extends KnownClient {
  readonly found: FoundIssuer;
  /** The client of the grant before, of the same authorization server. */
  readonly previous: GrantClient | undefined;
  readonly redirectUrl: string;
  readonly scopes: readonly string[];
  readonly signal: AbortSignal;
  readonly fetchFn: Fetch;
}

/** @throws {ThvError} `UNAUTHENTICATED` when no client can be had, `INVALID_ARGUMENT`. */
export async function findClient(request: ClientRequest): Promise<GrantClient> {
  const { clientId, clientSecret, clientMetadataUrl, found, previous, redirectUrl, scopes } = request;
  if (clientId !== undefined) {
    return { id: clientId, ...(clientSecret !== undefined && { secret: clientSecret }), isRegistered: false };
  }
  if (clientMetadataUrl !== undefined && found.readsClientMetadata) {
    assertMetadataUrl(clientMetadataUrl);
    return { id: clientMetadataUrl, isRegistered: false };
  }
  if (previous?.isRegistered && previous.redirectUrl === redirectUrl && isFor(previous, scopes)) return previous;
  return await register(request);
}

function isFor({ scopes: registered = [] }: GrantClient, wanted: readonly string[]): boolean {
  return wanted.every((scope) => registered.includes(scope));
}

function assertMetadataUrl(text: string): void {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === "https:" && url.pathname !== "/") return;
  throw new ThvError("INVALID_ARGUMENT", `"${text.slice(0, 300)}" is no address of a client's metadata.`, {
    hint: "It must begin with https:// and have a path.",
  });
}

async function register(request: ClientRequest): Promise<GrantClient> {
  const { found, redirectUrl, scopes, fetchFn, signal } = request;
  const { issuer } = found.endpoints;
  const refuse = (reason: string, cause?: unknown) => {
    return new ThvError("UNAUTHENTICATED", `${issuer} refused to register a client: ${reason}`, {
      hint: "Register a client there yourself, and give its id: --remote-auth-client-id",
      cause,
    });
  };
  if (found.endpoints.registration === undefined) {
    throw refuse("clients cannot register themselves there");
  }
  const hasDeviceGrant = found.endpoints.deviceAuthorization !== undefined;
  try {
    const client = await registerClient(issuer, {
      metadata: found.metadata,
      fetchFn,
      clientMetadata: {
        client_name: BRAND.product,
        redirect_uris: [redirectUrl],
        application_type: "native",
        grant_types: ["authorization_code", "refresh_token", ...(hasDeviceGrant ? [DEVICE_GRANT] : [])],
        response_types: ["code"],
        token_endpoint_auth_method: "none",
        ...(scopes.length > 0 && { scope: scopes.join(" ") }),
      },
    });
    return {
      id: client.client_id,
      ...(client.client_secret !== undefined && { secret: client.client_secret }),
      isRegistered: true,
      redirectUrl,
      scopes: [...scopes],
    };
  } catch (error) {
    signal.throwIfAborted();
    throw refuse(describeRequestFailure(error), error);
  }
}
