/**
 * How a workload signs in at its remote server, as a port: the endpoint asks for the value of `Authorization` with each
 * request and reports what the server refused; the supervisor shows the state of the grant.
 */
import type { ErrorCode } from "../support/errors.ts";

/**
 * `open`: the server does not require a sign-in. `valid`: requests are authorized. `renewing`: the token has ended, and its
 * renewal is tried again because the authorization server does not answer. `unauthenticated`: nobody is signed in, or the grant
 * is dead; only a new sign-in by a person helps.
 */
export const GRANT_STATES = ["open", "valid", "renewing", "unauthenticated"] as const;
export type GrantState = (typeof GRANT_STATES)[number];

/** What a person may know of a grant. It holds no token. */
export interface GrantDescription {
  readonly state: GrantState;
  /** How the token was obtained. */
  readonly kind: "none" | "bearer" | "authorization_code" | "device_code";
  readonly issuer?: string | undefined;
  readonly clientId?: string | undefined;
  readonly scopes: readonly string[];
  /** When the access token ends; absent when the authorization server does not say. */
  readonly expiresAt?: Date | undefined;
  readonly renewedAt?: Date | undefined;
  /** Where the grant is kept; absent while there is none. One in memory ends with the process. */
  readonly keptIn?: "secrets" | "memory" | undefined;
  /** Whether the token can be renewed without a person. */
  readonly isRenewable: boolean;
  /** The reason for the state, and what to do; absent when there is none. */
  readonly error?:
    | { readonly code: ErrorCode; readonly message: string; readonly hint?: string | undefined }
    | undefined;
}

/** An answer of the remote server that refuses a request for want of authorization. */
export interface RemoteRefusal {
  /** 401, or 403 with a challenge for more scopes. */
  readonly status: 401 | 403;
  /** Of the answer; at most 8 KiB are read. */
  readonly wwwAuthenticate?: string | undefined;
  /** Value of `Authorization` in the request; absent when it had none. */
  readonly usedAuthorization?: string | undefined;
}

export interface RemoteAuthorization extends AsyncDisposable {
  /** Whether no request is ever authorized, so that it need not be asked. Default false. */
  readonly isOpen?: boolean;
  /**
   * Renews first when that is due.
   *
   * @returns Value of the header `Authorization`; `undefined` when the server does not require a sign-in.
   * @throws {ThvError} `UNAUTHENTICATED`, with the command to sign in; `ISSUER_UNAVAILABLE` while a renewal is tried again.
   */
  authorize(signal: AbortSignal): Promise<string | undefined>;
  /** @returns Whether the same request may be sent once more, because there is another token. */
  onRefused(refusal: RemoteRefusal, signal: AbortSignal): Promise<boolean>;
  /** The server has answered a request. Absent where nothing depends on that. @param usedAuthorization Of the request. */
  onAccepted?(usedAuthorization: string): void;
  describe(): GrantDescription;
  /** Calls `listener` after each change of the description. @returns Ends that. */
  onChange(listener: () => void): () => void;
}
