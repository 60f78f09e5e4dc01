/** Why an image registry did not do what it was asked for. */

/**
 * `refused`: it wants another sign-in, or this user may not do that. `full`: it has no room, or the user none left.
 * `unsuitable`: what it answered cannot be used. `failed`: everything else that it may do better next time.
 */
export type RegistryFailureKind = "refused" | "full" | "unsuitable" | "failed";

/** The message is the end of a sentence about the registry, and names its host. */
export class RegistryFailure extends Error {
  override readonly name = "RegistryFailure";
  readonly kind: RegistryFailureKind;

  constructor(kind: RegistryFailureKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

const FULL: ReadonlySet<number> = new Set([413, 429, 507]);

/** @param host Of the address that answered. */
export function describeStatus(status: number, host: string): RegistryFailure {
  const kind = status === 401 || status === 403 ? "refused" : FULL.has(status) ? "full" : "failed";
  return new RegistryFailure(kind, `${host} answered with status ${status}`);
}
