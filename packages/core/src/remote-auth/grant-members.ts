/** What belongs to a grant but needs no memory of it: its options, how it is described, why it gives no token, what a renewal changes. */
import type { Logger } from "../ports/log.ts";
import type { GrantDescription } from "../ports/remote-authorization.ts";
import { describeError, ThvError } from "../support/errors.ts";
import type { Fetch } from "./protocol/bounded-fetch.ts";
import type { Grant } from "./protocol/grant.ts";
import type { RenewalOptions, RenewedTokens } from "./protocol/token-requests.ts";
import type { GrantPlace, GrantStore } from "./store/grant-store.ts";
import type { Clocks } from "./token-life.ts";

/** Scopes that a grant remembers as missing. */
const MAX_MISSING_SCOPES = 100;
/** Characters of an authorization server's reason that are kept. */
const MAX_REASON_LENGTH = 1000;

export interface RemoteGrantOptions {
  /** Of the workload. */
  readonly name: string;
  /** Address of the server. */
  readonly server: URL;
  /** Whether the user has to sign in even if the server does not ask for it. */
  readonly isForced: boolean;
  readonly store: GrantStore;
  /** What a person does to sign in, a sentence or a command. */
  readonly signInHint: string;
  readonly log: Logger;
  readonly send?: Fetch | undefined;
  readonly clocks?: Clocks | undefined;
  /** Milliseconds between a token and a renewal that no refusal asks for; only tests make it shorter. */
  readonly restMs?: number | undefined;
  /** Called when it is disposed of. */
  readonly onClose?: (() => void) | undefined;
}

/** What is known of a grant besides its members. */
interface GrantCircumstances extends Pick<GrantDescription, "state" | "expiresAt"> {
  readonly keptIn: GrantPlace;
  readonly problem: ThvError | undefined;
}

export function describeGrant(
  grant: Grant | undefined,
  { state, expiresAt, keptIn, problem }: GrantCircumstances,
): GrantDescription {
  return {
    state,
    kind: grant?.kind ?? "none",
    issuer: grant?.endpoints.issuer,
    clientId: grant?.client.id,
    scopes: grant?.scopes ?? [],
    expiresAt,
    renewedAt: grant?.renewedAt === undefined ? undefined : new Date(grant.renewedAt),
    keptIn: grant === undefined ? undefined : keptIn,
    isRenewable: grant?.tokens?.refresh !== undefined,
    error: problem && { code: problem.code, message: problem.message, hint: problem.hint },
  };
}

/** @returns Why a grant gives no token, as a sentence. */
export function explainMissingToken(grant: Grant | undefined, name: string, server: URL): string {
  if (!grant) return `Nobody is signed in at ${server.origin} for ${name}.`;
  if (grant.endedBecause !== undefined) {
    return `The token could not be renewed: ${nameIssuer(grant)} ended it: ${grant.endedBecause}.`;
  }
  if (grant.missingScopes === undefined) {
    return `The token has ended, and ${nameIssuer(grant)} gave none to renew it with.`;
  }
  const names = grant.missingScopes.join(" ");
  return `${server.origin} asks for more than ${name} was allowed at the sign-in${names === "" ? "" : `: ${names}`}.`;
}

/** A renewal that is tried again: the authorization server could not be asked, or gave no usable answer. */
export function createRenewalProblem(grant: Grant | undefined, name: string, error: unknown): ThvError {
  return new ThvError(
    "ISSUER_UNAVAILABLE",
    `The token of ${name} could not be renewed yet: ${nameIssuer(grant)} cannot be used: ${describeError(error)}`,
    { hint: "It is tried again by itself. Check the connection to that address.", cause: error },
  );
}

export function nameIssuer(grant: Grant | undefined): string {
  return grant?.endpoints.issuer ?? "its authorization server";
}

/**
 * @returns The grant with new tokens, or without any when its authorization server has ended it.
 * @throws When that server could not be asked, or gave no usable answer.
 */
export async function renewGrant(grant: Grant, options: RenewalOptions): Promise<Grant> {
  const { GrantEnded, renewTokens } = await import("./protocol/token-requests.ts");
  try {
    return replaceTokens(grant, await renewTokens(grant, options));
  } catch (error) {
    if (!(error instanceof GrantEnded)) throw error;
    return removeTokens(grant, error.message, error.isClientUnknown);
  }
}

/** A renewal without a new refresh token leaves the old one in use; a resource that was refused is not sent again. */
function replaceTokens({ resource: _before, ...grant }: Grant, { tokens, scopes, resource }: RenewedTokens): Grant {
  const refresh = tokens.refresh ?? grant.tokens?.refresh;
  return {
    ...grant,
    ...(resource !== undefined && { resource }),
    tokens: { ...tokens, ...(refresh !== undefined && { refresh }) },
    scopes: [...scopes],
    renewedAt: tokens.obtainedAt,
  };
}

/** The client stays for the next sign-in, unless it is the one that is unknown. */
function removeTokens({ tokens: _tokens, ...grant }: Grant, reason: string, isClientUnknown: boolean): Grant {
  return {
    ...grant,
    ...(isClientUnknown && { client: { ...grant.client, isRegistered: false } }),
    endedBecause: reason.slice(0, MAX_REASON_LENGTH),
  };
}

/** What a call lacked is asked for at the next sign-in. */
export function addMissingScopes(grant: Grant, scopes: readonly string[]): Grant {
  const lacking = scopes.filter((scope) => !grant.scopes.includes(scope));
  const missingScopes = [...new Set([...(grant.missingScopes ?? []), ...lacking])].slice(0, MAX_MISSING_SCOPES);
  return { ...grant, missingScopes };
}

export function formatBearer(token: string): string {
  return `Bearer ${token}`;
}
