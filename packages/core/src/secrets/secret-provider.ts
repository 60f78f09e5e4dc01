/** The store of secrets as a port: the calls that the domain needs from a provider, and its capabilities. */

/** Spec §5. */
export const SECRET_PROVIDER_TYPES = ["encrypted", "1password", "none"] as const;
export type SecretProviderType = (typeof SECRET_PROVIDER_TYPES)[number];

/** Member names as on the wire (api-behaviour 3.3). */
export interface SecretCapabilities {
  readonly can_read: boolean;
  readonly can_write: boolean;
  readonly can_delete: boolean;
  readonly can_list: boolean;
  readonly can_cleanup: boolean;
}

export interface SecretEntry {
  readonly key: string;
  /** Where it is from, for providers whose keys do not contain that. */
  readonly description?: string;
}

/** What each type can do (api-behaviour 7.1). */
export const SECRET_CAPABILITIES: Readonly<Record<SecretProviderType, SecretCapabilities>> = {
  encrypted: { can_read: true, can_write: true, can_delete: true, can_list: true, can_cleanup: true },
  "1password": { can_read: true, can_write: false, can_delete: false, can_list: true, can_cleanup: false },
  none: { can_read: false, can_write: false, can_delete: false, can_list: true, can_cleanup: true },
};

export interface SecretProvider {
  /** Sorted by key. @throws {ThvError} `SECRETS_FAILED`, `SECRETS_LOCKED`. */
  list(): Promise<SecretEntry[]>;
  /** @throws {ThvError} `SECRETS_FAILED`, `SECRETS_LOCKED`. */
  find(key: string): Promise<string | undefined>;
}

export interface WritableSecretProvider extends SecretProvider {
  /** @returns Whether it was stored: `false` when its presence differs from `wanted`. */
  set(key: string, value: string, wanted: "absent" | "present"): Promise<boolean>;
  /** @returns Whether it existed. */
  delete(key: string): Promise<boolean>;
}

/** Keeps nothing. */
export const NO_SECRETS: SecretProvider = {
  list: async () => [],
  find: async () => undefined,
};

/**
 * What thv keeps for itself, sealed beside the user's secrets and apart from them: no list, command or operation on secrets shows
 * or touches it. It does not depend on the provider that the user chose.
 */
export interface ReservedSecrets {
  /** @throws {ThvError} `SECRETS_FAILED`, `SECRETS_LOCKED`. */
  find(key: string): Promise<string | undefined>;
  /** Durable when it returns. @throws {ThvError} `SECRETS_NO_KEYRING` when nothing can keep it; `SECRETS_LOCKED`, `SECRETS_FAILED`. */
  set(key: string, value: string): Promise<void>;
  /** @returns Whether it existed. @throws {ThvError} `SECRETS_FAILED`, `SECRETS_LOCKED`. */
  delete(key: string): Promise<boolean>;
}
