/** Requests for tokens after the sign-in: renewal (RFC 6749), revocation (RFC 7009), and what the device grant posts (RFC 8628). */
import {
  type OAuthClientInformationMixed,
  OAuthError,
  type OAuthTokens,
  parseErrorResponse,
  refreshAuthorization,
  selectClientAuthMethod,
} from "@modelcontextprotocol/client";
import { createBoundedFetch, describeRequestFailure, type Fetch } from "./bounded-fetch.ts";
import { restoreMetadata } from "./discovery.ts";
import type { Grant, GrantClient, GrantTokens, IssuerEndpoints } from "./grant.ts";
import { readLifeOfJwt } from "./provider-answer.ts";

/** Errors after which only another sign-in helps (RFC 6749, 5.2). */
const FINAL_ERRORS: ReadonlySet<string> = new Set([
  "invalid_grant",
  "invalid_client",
  "unauthorized_client",
  "unsupported_grant_type",
  "invalid_scope",
  "invalid_target",
]);

/** The authorization server will not renew the grant any more, whatever one waits for. */
export class GrantEnded extends Error {
  override readonly name = "GrantEnded";
  /** Whether the client itself is unknown, so that the next sign-in needs another one. */
  readonly isClientUnknown: boolean;

  constructor(message: string, isClientUnknown: boolean, cause: unknown) {
    super(message, { cause });
    this.isClientUnknown = isClientUnknown;
  }
}

/** What a renewal brings: everything of the grant that has changed. */
export interface RenewedTokens {
  readonly tokens: GrantTokens;
  readonly scopes: readonly string[];
  /** That the authorization server takes: absent where it refuses resource indicators. */
  readonly resource: string | undefined;
}

/** Errors that authorization servers without resource indicators (RFC 8707) answer to a request with one. */
export const RESOURCE_ERRORS: ReadonlySet<string> = new Set(["invalid_target", "invalid_request"]);

/**
 * Asks once more without the resource where a request with it is refused.
 *
 * @returns The answer, and the resource that the authorization server takes.
 */
export async function askWithResource<T>(
  resource: string | undefined,
  ask: (resource: string | undefined) => Promise<T>,
): Promise<{ readonly answer: T; readonly resource: string | undefined }> {
  try {
    return { answer: await ask(resource), resource };
  } catch (error) {
    if (resource === undefined || !(error instanceof OAuthError) || !RESOURCE_ERRORS.has(error.code)) throw error;
    return { answer: await ask(undefined), resource: undefined };
  }
}

interface RequestOptions {
  readonly signal: AbortSignal;
  readonly send?: Fetch | undefined;
}

export interface RenewalOptions extends RequestOptions {
  /** Milliseconds since 1970. Default: the machine's clock. */
  readonly now?: () => number;
}

/** @throws {GrantEnded} When only a person can help. @throws {Error} When it may work later. */
export async function renewTokens(
  { endpoints, client, resource, tokens, scopes }: Grant,
  { signal, send, now = () => Date.now() }: RenewalOptions,
): Promise<RenewedTokens> {
  const refreshToken = tokens?.refresh;
  if (refreshToken === undefined) throw new GrantEnded("there is no token to renew it with", false, undefined);
  const obtainedAt = new Date(now());
  try {
    const { answer, resource: taken } = await askWithResource(resource, async (each) => {
      return await refreshAuthorization(endpoints.issuer, {
        metadata: restoreMetadata(endpoints),
        clientInformation: clientInformation(client),
        refreshToken,
        ...(each !== undefined && { resource: each }),
        fetchFn: createBoundedFetch({ signal, send }),
      });
    });
    return { tokens: grantTokens(answer, obtainedAt), scopes: listGrantedScopes(answer, scopes), resource: taken };
  } catch (error) {
    signal.throwIfAborted();
    const reason = describeRequestFailure(error, [refreshToken, client.secret, tokens?.access]);
    if (error instanceof OAuthError && FINAL_ERRORS.has(error.code)) {
      throw new GrantEnded(`${error.code}: ${reason}`, error.code === "invalid_client", error);
    }
    throw new Error(reason, { cause: error });
  }
}

/** @returns Whether the authorization server was asked, and did not refuse. */
export async function revokeTokens(
  { endpoints, client, tokens }: Grant,
  { signal, send }: RequestOptions,
): Promise<boolean> {
  const { revocation } = endpoints;
  if (revocation === undefined || tokens === undefined) return false;
  const fetchFn = createBoundedFetch({ signal, send, timeoutMs: 10_000 });
  const kinds = [
    ["refresh_token", tokens.refresh],
    ["access_token", tokens.access],
  ] as const;
  for (const [kind, token] of kinds) {
    if (token === undefined) continue;
    try {
      await postForm(revocation, { token, token_type_hint: kind }, { endpoints, client, fetchFn });
    } catch {
      // The token is forgotten all the same; the result says that the server did not revoke it.
      signal.throwIfAborted();
      return false;
    }
  }
  return true;
}

interface FormOptions {
  readonly endpoints: IssuerEndpoints;
  readonly client: GrantClient;
  readonly fetchFn: Fetch;
}

/** Posts a form as the client. @returns The answer, whose status is one of success. @throws {OAuthError} For any other. */
export async function postForm(
  url: string,
  form: Readonly<Record<string, string>>,
  { endpoints, client, fetchFn }: FormOptions,
): Promise<Response> {
  const body = new URLSearchParams(form);
  const headers = new Headers({ accept: "application/json" });
  const method = selectClientAuthMethod(clientInformation(client), endpoints.clientAuthMethods);
  if (method === "client_secret_basic") {
    // RFC 6749, 2.3.1: both are encoded as in a form first.
    const [id, secret] = [client.id, client.secret ?? ""].map((text) => encodeURIComponent(text));
    headers.set("authorization", `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}`);
  } else {
    body.set("client_id", client.id);
    if (method === "client_secret_post" && client.secret !== undefined) body.set("client_secret", client.secret);
  }
  const response = await fetchFn(url, { method: "POST", headers, body, redirect: "manual" });
  if (response.ok) return response;
  throw await parseErrorResponse(response);
}

export function clientInformation({ id, secret }: GrantClient): OAuthClientInformationMixed {
  return { client_id: id, ...(secret !== undefined && { client_secret: secret }) };
}

/** @param obtainedAt When they were requested: their lifetime starts before the answer arrives. */
export function grantTokens(tokens: OAuthTokens, obtainedAt: Date): GrantTokens {
  const { access_token: access, refresh_token: refresh, expires_in: said } = tokens;
  // It becomes the value of a header; anything else would be a way to add others.
  if (!/^[\x21-\x7E]+$/.test(access)) throw new Error("the access token is no text for a header");
  const lastsSeconds =
    said !== undefined && Number.isFinite(said) && said > 0 ? said : readLifeOfJwt(access, obtainedAt);
  return {
    access,
    ...(refresh !== undefined && { refresh }),
    obtainedAt: obtainedAt.toISOString(),
    ...(lastsSeconds !== undefined && { lastsSeconds }),
  };
}

/** @param asked What an answer without scopes grants (RFC 6749, 5.1). */
export function listGrantedScopes({ scope }: OAuthTokens, asked: readonly string[]): readonly string[] {
  const granted = (scope ?? "").split(/\s+/).filter((each) => each !== "" && each.length <= 256);
  return granted.length > 0 ? granted.slice(0, 100) : asked;
}
