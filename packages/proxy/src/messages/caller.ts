/** Who sent a request. Sessions belong to a caller, and policies decide about one. */
import { createHash } from "node:crypto";
import { userInfo } from "node:os";
import type { TokenClaims } from "@toolhive/core";

export interface Caller {
  /** Tells callers apart; the same for all requests of one caller, also with a renewed token. */
  readonly id: string;
  readonly claims: TokenClaims;
  /** The address of the request's sender; an IP address. */
  readonly address?: string | undefined;
  /** W3C trace context of the request, as its headers say it. */
  readonly trace?: Readonly<Record<string, string>> | undefined;
}

/** The caller of all requests where no token is required. */
export const UNAUTHENTICATED_CALLER: Caller = { id: "", claims: {} };

/** Seconds until the claims of the local user expire; only policies read them. */
const LOCAL_CLAIMS_SECONDS = 24 * 60 * 60;

/** A user of a container often has a number only. */
function readUserName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? "unknown");
  }
}

/** The user of this machine, as policies see callers without a token (api-behaviour 10.2). */
export function createLocalCaller(now: Date): Caller {
  const username = readUserName();
  const iat = Math.floor(now.getTime() / 1000);
  const claims = {
    sub: username,
    iss: "toolhive-local",
    aud: "toolhive",
    exp: iat + LOCAL_CLAIMS_SECONDS,
    iat,
    nbf: iat,
    email: `${username}@localhost`,
    name: `Local User: ${username}`,
  };
  return { id: UNAUTHENTICATED_CALLER.id, claims };
}

/**
 * @param authorization The header that carried the token. A token without subject and client identifies only itself:
 * two such tokens may belong to different people.
 */
export function deriveCaller(claims: TokenClaims, authorization: string): Caller {
  const who = claims.sub ?? claims.client_id ?? createHash("sha256").update(authorization).digest("base64");
  return { id: JSON.stringify([claims.iss ?? "", who]), claims };
}
