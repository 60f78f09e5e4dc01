/** The device grant (RFC 8628): a code that is entered in a browser on any machine, for those without one. */
import { OAuthError, type OAuthTokens } from "@modelcontextprotocol/client";
import { isSecureUrl } from "@toolhive/http";
import * as Type from "typebox";
import { Check } from "typebox/schema";
import { sleep } from "../../support/backoff.ts";
import { ThvError } from "../../support/errors.ts";
import { toOneLine } from "../../support/one-line.ts";
import { describeRequestFailure, type Fetch } from "./bounded-fetch.ts";
import { DEVICE_GRANT } from "./find-client.ts";
import type { GrantClient, IssuerEndpoints } from "./grant.ts";
import { askWithResource, grantTokens, listGrantedScopes, postForm, type RenewedTokens } from "./token-requests.ts";

/**
 * Seconds between two requests when the authorization server names none (RFC 8628, 3.2), and the addition when it asks for more.
 */
const DEFAULT_INTERVAL_SECONDS = 5;
const MAX_INTERVAL_SECONDS = 60;

const OfferSchema = Type.Object({
  device_code: Type.String({ minLength: 1, maxLength: 4096 }),
  user_code: Type.String({ minLength: 1, maxLength: 100 }),
  verification_uri: Type.String({ maxLength: 4096 }),
  verification_uri_complete: Type.Optional(Type.String({ maxLength: 4096 })),
  expires_in: Type.Number({ minimum: 0 }),
  interval: Type.Optional(Type.Number({ minimum: 0 })),
});

export const TokensSchema = Type.Object({
  access_token: Type.String({ minLength: 1, maxLength: 16 * 1024 }),
  token_type: Type.String(),
  refresh_token: Type.Optional(Type.String({ minLength: 1, maxLength: 16 * 1024 })),
  expires_in: Type.Optional(Type.Number()),
  scope: Type.Optional(Type.String()),
});

export interface DeviceRequest {
  readonly endpoints: IssuerEndpoints;
  readonly client: GrantClient;
  readonly scopes: readonly string[];
  readonly resource: string | undefined;
  readonly timeoutMs: number;
  readonly fetchFn: Fetch;
  readonly now: () => number;
  /** Milliseconds between two requests, in place of the authorization server's number; only for tests. */
  readonly pollMs?: number | undefined;
  readonly signal: AbortSignal;
}

export interface DeviceSignIn {
  readonly offer: { readonly address: string; readonly userCode: string; readonly expiresAt: Date };
  readonly wait: () => Promise<RenewedTokens>;
}

/** @throws {ThvError} `UNAUTHENTICATED`, `ISSUER_UNAVAILABLE`. */
export async function beginDeviceGrant(request: DeviceRequest): Promise<DeviceSignIn> {
  const { endpoints, scopes, resource, signal } = request;
  const url = endpoints.deviceAuthorization;
  if (url === undefined) {
    throw new ThvError("INVALID_ARGUMENT", `${endpoints.issuer} signs nobody in by a code.`, {
      hint: "Leave --device out. The address that is printed then works over an SSH tunnel.",
    });
  }
  let offer: unknown;
  let taken: string | undefined;
  try {
    const asked = await askWithResource(resource, async (each) => {
      const scope = scopes.join(" ");
      const form = { ...(scope !== "" && { scope }), ...(each !== undefined && { resource: each }) };
      return await postForm(url, form, request);
    });
    offer = await asked.answer.json();
    taken = asked.resource;
  } catch (error) {
    signal.throwIfAborted();
    throw refuse(endpoints, "to give a code", describeRequestFailure(error, [request.client.secret]), error);
  }
  if (!Check(OfferSchema, offer)) throw refuse(endpoints, "to give a code", "its answer holds none");
  const address = offer.verification_uri_complete ?? offer.verification_uri;
  if (!URL.canParse(address) || !isSecureUrl(new URL(address))) {
    throw refuse(endpoints, "to give a code", `the page "${toOneLine(address).slice(0, 300)}" is not https`);
  }
  const lastsMs = Math.min(offer.expires_in * 1000, request.timeoutMs);
  const expiresAt = new Date(request.now() + lastsMs);
  const { device_code: deviceCode, interval = DEFAULT_INTERVAL_SECONDS } = offer;
  return {
    offer: { address, userCode: toOneLine(offer.user_code), expiresAt },
    wait: () => poll({ ...request, resource: taken }, { deviceCode, interval, expiresAt }),
  };
}

async function poll(
  request: DeviceRequest,
  { deviceCode, interval, expiresAt }: { deviceCode: string; interval: number; expiresAt: Date },
): Promise<RenewedTokens> {
  const { endpoints, scopes, resource, signal, client } = request;
  let seconds = Math.min(Math.max(interval, 1), MAX_INTERVAL_SECONDS);
  for (;;) {
    await sleep(request.pollMs ?? seconds * 1000, signal);
    const obtainedAt = new Date(request.now());
    if (obtainedAt > expiresAt) {
      throw new ThvError("UNAUTHENTICATED", "Nobody entered the code in time.", { hint: "Sign in again." });
    }
    try {
      const { answer: response, resource: taken } = await askWithResource(resource, async (each) => {
        const form = {
          grant_type: DEVICE_GRANT,
          device_code: deviceCode,
          ...(each !== undefined && { resource: each }),
        };
        return await postForm(endpoints.token, form, request);
      });
      const answer: unknown = await response.json();
      if (!Check(TokensSchema, answer)) throw new Error("its answer holds no token");
      const tokens: OAuthTokens = answer;
      return { tokens: grantTokens(tokens, obtainedAt), scopes: listGrantedScopes(tokens, scopes), resource: taken };
    } catch (error) {
      signal.throwIfAborted();
      const code: string = error instanceof OAuthError ? error.code : "";
      if (code === "slow_down") seconds = Math.min(seconds + DEFAULT_INTERVAL_SECONDS, MAX_INTERVAL_SECONDS);
      // A network that fails for a moment is not the end (RFC 8628, 3.5).
      else if (code !== "authorization_pending" && isFinal(code)) {
        throw refuse(endpoints, "the code", describeRequestFailure(error, [deviceCode, client.secret]), error);
      }
    }
  }
}

function isFinal(code: string): boolean {
  return !["", "server_error", "temporarily_unavailable", "too_many_requests"].includes(code);
}

function refuse({ issuer }: IssuerEndpoints, what: string, reason: string, cause?: unknown): ThvError {
  return new ThvError("UNAUTHENTICATED", `${issuer} refused ${what}: ${reason}`, { cause });
}
