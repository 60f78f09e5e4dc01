/**
 * The issuer's public keys: read once at the start, again when they are old or a token names a key that is not among them.
 * Both are bounded, so that forged tokens cannot make this program flood the issuer.
 */
import type { JWTVerifyGetKey } from "jose";
import { askIssuer, createIssuerUnavailableError, ISSUER_TIMEOUT_MS, type IssuerReach } from "./issuer-http.ts";

/** Milliseconds that keys are used before they are read again, so that a withdrawn key ends. */
const MAX_AGE_MS = 10 * 60_000;
/** Milliseconds between two searches for a key that is missing. */
const DEFAULT_REFETCH_INTERVAL_MS = 30_000;
/** Milliseconds during which a failed read is not tried again. */
const RETRY_INTERVAL_MS = 5_000;

export interface IssuerKeysOptions {
  /** Address of the JSON Web Key Set. */
  readonly url: string;
  readonly reach?: IssuerReach | undefined;
  /** Milliseconds between two reads for unknown keys, from 0. Default 30 s. */
  readonly refetchIntervalMs?: number | undefined;
}

/**
 * @returns Finds the key of a token; rejects with `ISSUER_UNAVAILABLE` when the keys cannot be read, and with jose's errors
 * when none of them fits.
 * @throws {ThvError} `ISSUER_UNAVAILABLE` when they cannot be read now.
 */
export async function openIssuerKeys({ url, reach, refetchIntervalMs }: IssuerKeysOptions): Promise<JWTVerifyGetKey> {
  const { createRemoteJWKSet, customFetch } = await import("jose");
  const intervalMs = refetchIntervalMs ?? DEFAULT_REFETCH_INTERVAL_MS;
  const keys = createRemoteJWKSet(new URL(url), {
    timeoutDuration: ISSUER_TIMEOUT_MS,
    cooldownDuration: intervalMs,
    cacheMaxAge: MAX_AGE_MS,
    [customFetch]: createPausingFetch(Math.min(intervalMs, RETRY_INTERVAL_MS), reach),
  });
  await keys.reload();
  return keys;
}

/** jose counts its pause from the last success only: an issuer that is down would be asked for each token. */
function createPausingFetch(
  pauseMs: number,
  reach: IssuerReach | undefined,
): (url: string, options: { signal: AbortSignal }) => Promise<Response> {
  let failure: { readonly error: unknown; readonly at: number } | undefined;
  return async (url, { signal }) => {
    if (failure && performance.now() - failure.at < pauseMs) throw failure.error;
    try {
      const keys = await fetchKeySet(url, reach, signal);
      failure = undefined;
      return Response.json(keys);
    } catch (error) {
      failure = { error, at: performance.now() };
      throw error;
    }
  };
}

async function fetchKeySet(url: string, reach: IssuerReach | undefined, signal: AbortSignal): Promise<unknown> {
  const document = await askIssuer({ url, reach, signal });
  const { keys } = document;
  const isKeySet = Array.isArray(keys) && keys.every((key) => typeof key === "object" && key !== null && "kty" in key);
  if (!isKeySet) throw createIssuerUnavailableError(url, "it is not a JSON Web Key Set");
  return document;
}
