/**
 * The issuer's public keys: read once at the start, again when they are old or a token names a key that is not among them.
 * Both are bounded, so that forged tokens cannot make this program flood the issuer.
 */
import { createRemoteJWKSet, customFetch, type JWTVerifyGetKey } from "jose";
import { ThvError } from "../errors.ts";
import { fetchIssuerDocument, ISSUER_TIMEOUT_MS, issuerUnavailable, parseIssuerUrl } from "./issuer-http.ts";

/** Milliseconds that keys are used before they are read again, so that a withdrawn key ends. */
const MAX_AGE_MS = 10 * 60_000;
/** Milliseconds between two looks for a key that is not there. */
const DEFAULT_REFETCH_INTERVAL_MS = 30_000;
/** Milliseconds during which a failed read is not tried again. */
const RETRY_INTERVAL_MS = 5_000;

export interface IssuerKeysOptions {
  /** Address of the JSON Web Key Set. */
  readonly url: string;
  /** Milliseconds between two reads for unknown keys, from 0. Default 30 s. */
  readonly refetchIntervalMs?: number | undefined;
}

/**
 * @returns Finds the key of a token; rejects with `ISSUER_UNAVAILABLE` when the keys cannot be read, and with jose's errors
 * when none of them fits.
 * @throws {ThvError} `ISSUER_UNAVAILABLE` when they cannot be read now.
 */
export async function openIssuerKeys({ url, refetchIntervalMs }: IssuerKeysOptions): Promise<JWTVerifyGetKey> {
  const intervalMs = refetchIntervalMs ?? DEFAULT_REFETCH_INTERVAL_MS;
  const keys = createRemoteJWKSet(new URL(url), {
    timeoutDuration: ISSUER_TIMEOUT_MS,
    cooldownDuration: intervalMs,
    cacheMaxAge: MAX_AGE_MS,
    [customFetch]: patientFetch(Math.min(intervalMs, RETRY_INTERVAL_MS)),
  });
  await keys.reload();
  return keys;
}

/** jose counts its pause from the last success only: an issuer that is down would be asked for each token. */
function patientFetch(pauseMs: number): (url: string, options: { signal: AbortSignal }) => Promise<Response> {
  let failure: { readonly error: unknown; readonly at: number } | undefined;
  return async (url, { signal }) => {
    if (failure && performance.now() - failure.at < pauseMs) throw failure.error;
    try {
      const keys = await fetchKeySet(url, signal);
      failure = undefined;
      return Response.json(keys);
    } catch (error) {
      failure = { error, at: performance.now() };
      throw error;
    }
  };
}

async function fetchKeySet(url: string, signal: AbortSignal): Promise<unknown> {
  const document = await fetchIssuerDocument(url, signal);
  const { keys } = document;
  const isKeySet = Array.isArray(keys) && keys.every((key) => typeof key === "object" && key !== null && "kty" in key);
  if (!isKeySet) throw issuerUnavailable(url, "it is not a JSON Web Key Set");
  return document;
}

/**
 * Asks the issuer where its keys are (OpenID Connect Discovery 1.0 §4).
 *
 * @throws {ThvError} `ISSUER_UNAVAILABLE`, or `INVALID_ARGUMENT` when the issuer calls itself by another name.
 */
export async function discoverKeySet(issuer: string): Promise<string> {
  const { protocol } = parseIssuerUrl(issuer, "The issuer");
  const url = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
  const { issuer: actual, jwks_uri: keySet } = await fetchIssuerDocument(url);
  if (actual !== issuer) {
    // Its tokens will carry the other name, and every one of them would be refused.
    throw new ThvError("INVALID_ARGUMENT", `The issuer "${issuer}" calls itself ${JSON.stringify(actual)}.`, {
      hint: "Give the name exactly as the issuer writes it; a slash at the end counts.",
    });
  }
  if (typeof keySet !== "string") throw issuerUnavailable(url, "it does not say where the keys are (jwks_uri)");
  const { protocol: keySetProtocol } = parseIssuerUrl(keySet, "The issuer's jwks_uri");
  if (protocol === "https:" && keySetProtocol !== "https:") throw issuerUnavailable(url, "its jwks_uri is not https");
  return keySet;
}
