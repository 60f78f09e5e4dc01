/** Signing in at servers that run elsewhere, as the supervision of workloads needs it. */
import type { RemoteAuthorization } from "../ports/remote-authorization.ts";
import type { RemoteSignIn } from "./remote-schema.ts";

/** What a workload signs in with. */
export interface RemoteGrantRequest {
  /** Of the workload. */
  readonly name: string;
  readonly url: URL;
  readonly signIn: RemoteSignIn | undefined;
}

/** Signs in at servers for workloads. */
export interface RemoteSignInPort {
  /** For as long as there is the workload, also while it is stopped: until the result is disposed of. */
  open(request: RemoteGrantRequest): Promise<RemoteAuthorization>;
  /** Checks that a stored sign-in can be read now. @throws {ThvError} `SECRETS_LOCKED`, `SECRETS_FAILED`. */
  assertReadable(name: string): Promise<void>;
  /** The workload is removed, and what it signed in with is not needed any more. */
  forget(name: string): Promise<void>;
}
