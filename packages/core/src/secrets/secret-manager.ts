/** Secrets for the rest of thv: sets up a provider, reports its capabilities, and resolves values for workloads only. */
import { join } from "node:path";
import { quote } from "@toolhive/http/values";
import type { ConfigFile } from "../config/config-file.ts";
import type { Logger } from "../ports/log.ts";
import { ThvError } from "../support/errors.ts";
import { createPasswordNeededError, EncryptedPassword } from "./encrypted-password.ts";
import { EncryptedSecrets } from "./encrypted-secrets.ts";
import type { OpenKeyring } from "./keyring.ts";
import { OnePasswordSecrets } from "./onepassword-secrets.ts";
import type { KdfCost } from "./sealed-file.ts";
import {
  NO_SECRETS,
  type ReservedSecrets,
  SECRET_CAPABILITIES,
  SECRET_PROVIDER_TYPES,
  type SecretCapabilities,
  type SecretEntry,
  type SecretProvider,
  type SecretProviderType,
} from "./secret-provider.ts";
import type { SecretReference } from "./secret-reference.ts";

const PROVIDER_VARIABLE = "TOOLHIVE_SECRETS_PROVIDER";
/** UTF-8 bytes of a key. */
const MAX_KEY_BYTES = 1024;
/** UTF-8 bytes of a value; a body of the API holds no more either. */
const MAX_VALUE_BYTES = 1024 * 1024;

/** What the settings file knows about secrets; read afresh on each use. */
export interface SecretSettings {
  read(): Promise<{ readonly providerType: string; readonly isSetUp: boolean }>;
  save(providerType: SecretProviderType): Promise<void>;
}

/** The section of the settings file. */
export function createSecretSettings(config: ConfigFile): SecretSettings {
  return {
    read: async () => {
      const { provider_type, setup_completed } = (await config.load()).secrets;
      return { providerType: provider_type, isSetUp: setup_completed };
    },
    save: async (provider_type) => {
      await config.update((all) => ({ ...all, secrets: { ...all.secrets, provider_type, setup_completed: true } }));
    },
  };
}

export interface SecretManagerOptions {
  readonly settings: SecretSettings;
  /** The `toolhive` directory below the user's data directory. */
  readonly dataDirectory: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: Logger;
  /** Called when secrets that were closed may be open: a password was given, or a provider was chosen. */
  readonly onOpened?: () => void;
  readonly openKeyring?: OpenKeyring;
  /** Only tests make it cheaper. */
  readonly cost?: KdfCost;
}

export interface SetupRequest {
  readonly type: string;
  /**
   * For the encrypted provider; at least 8 characters when there is no store yet. Default: the known one, or a generated one
   * where a keyring keeps it.
   */
  readonly password?: string | undefined;
}

export class SecretManager {
  readonly #options: SecretManagerOptions;
  readonly #password: EncryptedPassword;
  readonly #encrypted: EncryptedSecrets;
  readonly #onePassword: OnePasswordSecrets;
  /** What thv keeps for itself. */
  readonly reserved: ReservedSecrets = {
    find: async (key) => ((await this.#encrypted.exists()) ? await this.#encrypted.findReserved(key) : undefined),
    set: async (key, value) => {
      if (!(await this.#encrypted.exists())) await this.#createForReserved();
      await this.#encrypted.setReserved(key, value);
    },
    delete: async (key) => (await this.#encrypted.exists()) && (await this.#encrypted.deleteReserved(key)),
  };

  constructor(options: SecretManagerOptions) {
    this.#options = options;
    this.#password = new EncryptedPassword(options);
    this.#encrypted = new EncryptedSecrets({
      path: join(options.dataDirectory, "secrets_encrypted"),
      passwords: () => this.#password.list(),
      log: options.log,
      ...(options.cost && { cost: options.cost }),
    });
    this.#onePassword = new OnePasswordSecrets({ env: options.env });
  }

  /**
   * Selects a provider; the data of the previous one stays where it is.
   *
   * @throws {ThvError} `INVALID_ARGUMENT`, `SECRETS_NO_KEYRING`, `SECRETS_WRONG_PASSWORD`, `SECRETS_FAILED`. Then
   * nothing has changed.
   */
  async setUp({ type, password }: SetupRequest): Promise<{ type: SecretProviderType; isReconfigured: boolean }> {
    const known = parseProviderType(type);
    const { isSetUp } = await this.#options.settings.read();
    if (known === "encrypted") await this.#prepareEncrypted(password || undefined);
    if (known === "1password") await this.#onePassword.check();
    await this.#options.settings.save(known);
    this.#options.log.info({ provider: known }, "secrets provider set up");
    this.#options.onOpened?.();
    return { type: known, isReconfigured: isSetUp };
  }

  /** @throws {ThvError} `SECRETS_NOT_SET_UP`. */
  async describe(): Promise<{ type: SecretProviderType; capabilities: SecretCapabilities }> {
    const type = await this.#type();
    return { type, capabilities: SECRET_CAPABILITIES[type] };
  }

  /** Sorted by key. */
  async list(): Promise<SecretEntry[]> {
    return await this.#provider(await this.#type()).list();
  }

  /** @throws {ThvError} `SECRET_EXISTS`, `SECRETS_READ_ONLY`, `SECRETS_NOT_SET_UP`, `SECRETS_LOCKED`, `SECRETS_FAILED`. */
  async create(key: string, value: string): Promise<void> {
    assertStorable(key, value);
    await this.#requireWritable("can_write");
    const isNew = !(await this.#encrypted.list()).some((each) => each.key === key);
    // Existing secrets keep their names, whatever they are.
    if (isNew) assertName(key);
    if (isNew && (await this.#encrypted.set(key, value, "absent"))) return;
    throw new ThvError("SECRET_EXISTS", `A secret named "${key}" already exists.`, {
      hint: `Replace its value: thv secret set ${key}`,
    });
  }

  /** @throws {ThvError} `SECRET_NOT_FOUND`, `SECRETS_READ_ONLY`, … */
  async update(key: string, value: string): Promise<void> {
    assertStorable(key, value);
    await this.#requireWritable("can_write");
    if (!(await this.#encrypted.set(key, value, "present"))) throw createSecretNotFoundError(key);
  }

  /** @throws {ThvError} `SECRET_NOT_FOUND`, `SECRETS_READ_ONLY`, … */
  async delete(key: string): Promise<void> {
    await this.#requireWritable("can_delete");
    if (!(await this.#encrypted.delete(key))) throw createSecretNotFoundError(key);
  }

  /** Reads a value for its owner. @throws {ThvError} `SECRET_NOT_FOUND`, `SECRETS_NOT_READABLE`, … */
  async read(key: string): Promise<string> {
    const type = await this.#type();
    if (!SECRET_CAPABILITIES[type].can_read) {
      throw new ThvError("SECRETS_NOT_READABLE", `The secrets provider "${type}" holds no values.`, {
        hint: "Choose another one: thv secret setup",
      });
    }
    const value = await this.#provider(type).find(key);
    if (value === undefined) throw createSecretNotFoundError(key);
    return value;
  }

  /** The values of a workload's references, by variable. Every failure names the secret. */
  async resolve(references: readonly SecretReference[]): Promise<Record<string, string>> {
    const values = new Map<string, string>();
    for (const { name, target } of references) values.set(target, await this.read(name));
    return Object.fromEntries(values);
  }

  /**
   * Checks the encrypted provider's password from a person and keeps a right one: in the keyring where there is one,
   * else as long as this process runs.
   *
   * @throws {ThvError} `SECRETS_WRONG_PASSWORD`.
   */
  async unlock(password: string): Promise<void> {
    if (!(await this.#encrypted.isRightPassword(password))) throw createWrongPasswordError();
    await this.#password.keep(password);
    this.#options.onOpened?.();
  }

  /**
   * Encrypts the secrets with another password, and keeps that one.
   *
   * @param current The present password. Default: the one in the keyring.
   * @throws {ThvError} `SECRETS_WRONG_PASSWORD`, `SECRETS_LOCKED`, `SECRETS_NOT_SET_UP`, `INVALID_ARGUMENT`,
   * `SECRETS_FAILED`. Then nothing has changed.
   */
  async changePassword({ current, wanted }: { current: string | undefined; wanted: string }): Promise<void> {
    if (!(await this.#encrypted.exists())) {
      throw new ThvError("SECRETS_NOT_SET_UP", "There are no encrypted secrets.", {
        hint: "Set them up: thv secret provider encrypted",
      });
    }
    const present = current ?? (await this.#password.findInKeyring());
    if (!present) throw createPasswordNeededError();
    if (!(await this.#encrypted.changePassword({ current: present, wanted }))) throw createWrongPasswordError();
    await this.#password.keep(wanted);
    this.#options.onOpened?.();
    this.#options.log.info({}, "password of the encrypted secrets changed");
  }

  /** Forgets the password. Secrets stay, and can be read again with the same password. @returns Whether there was one. */
  async resetKeyring(): Promise<boolean> {
    this.#encrypted.forgetKey();
    return await this.#password.forget();
  }

  async #prepareEncrypted(wanted: string | undefined): Promise<void> {
    const known = await this.#password.list();
    const password = wanted ?? (await this.#findRightPassword(known)) ?? (await this.#newPassword(known));
    const hasFile = await this.#encrypted.exists();
    if (!hasFile) await this.#encrypted.create(password);
    // Never changes the password: a mistyped one would lock the user out.
    else if (!(await this.#encrypted.isRightPassword(password))) await this.#replaceOwnPassword(known, password);
    await this.#password.keep(password);
    // Reads it back the way every later use does.
    await this.#encrypted.list();
  }

  /** Only a file of ours without any secret of the user's, whose password nobody chose. */
  async #replaceOwnPassword(known: readonly string[], wanted: string): Promise<void> {
    const current = await this.#findRightPassword(known);
    if (current === undefined || !(await this.#encrypted.isWithoutSecrets())) throw createWrongPasswordError();
    await this.#encrypted.changePassword({ current, wanted });
  }

  /** The user has chosen no encrypted secrets: a password is known, or a keyring keeps a new one. */
  async #createForReserved(): Promise<void> {
    await this.#encrypted.create(await this.#newPassword(await this.#password.list()));
  }

  async #newPassword(known: readonly string[]): Promise<string> {
    if (await this.#encrypted.exists())
      throw known.length > 0 ? createWrongPasswordError() : createPasswordNeededError();
    return known[0] ?? (await this.#password.generate());
  }

  async #findRightPassword(passwords: readonly string[]): Promise<string | undefined> {
    for (const password of passwords) if (await this.#encrypted.isRightPassword(password)) return password;
    return undefined;
  }

  async #type(): Promise<SecretProviderType> {
    const { providerType, isSetUp } = await this.#options.settings.read();
    if (!isSetUp) {
      throw new ThvError("SECRETS_NOT_SET_UP", "No secrets provider is set up.", {
        hint: "Set one up: thv secret setup",
      });
    }
    return parseProviderType(this.#options.env[PROVIDER_VARIABLE] || providerType, "SECRETS_FAILED");
  }

  #provider(type: SecretProviderType): SecretProvider {
    if (type === "encrypted") return this.#encrypted;
    return type === "1password" ? this.#onePassword : NO_SECRETS;
  }

  async #requireWritable(capability: "can_write" | "can_delete"): Promise<void> {
    const type = await this.#type();
    if (SECRET_CAPABILITIES[type][capability]) return;
    const verb = capability === "can_write" ? "store" : "delete";
    throw new ThvError("SECRETS_READ_ONLY", `The secrets provider "${type}" cannot ${verb} secrets.`, {
      hint: type === "1password" ? "Change secrets in 1Password itself." : "Choose another one: thv secret setup",
    });
  }
}

function parseProviderType(
  text: string,
  code: "INVALID_ARGUMENT" | "SECRETS_FAILED" = "INVALID_ARGUMENT",
): SecretProviderType {
  if (text === "") throw new ThvError(code, "Provider type cannot be empty");
  const type = SECRET_PROVIDER_TYPES.find((candidate) => candidate === text);
  if (type) return type;
  const valid = SECRET_PROVIDER_TYPES.join(", ");
  throw new ThvError(code, `Invalid secrets provider type: ${text.slice(0, 100)} (valid types: ${valid})`);
}

/** Written in `--secret NAME,target=VARIABLE`, in addresses of the API and in files: nothing in it needs quotes anywhere. */
const NAME = /^[\p{L}\p{N}_][\p{L}\p{M}\p{N}_.:@/-]*$/u;

function assertName(key: string): void {
  if (NAME.test(key)) return;
  throw new ThvError(
    "INVALID_ARGUMENT",
    `The name of the secret is ${quote(key, 100)} but may have letters, digits and . _ - : @ / only.`,
    { hint: "Choose a name such as github-token." },
  );
}

function assertStorable(key: string, value: string): void {
  const keyBytes = Buffer.byteLength(key);
  const problem =
    keyBytes === 0 || value === ""
      ? "Both 'key' and 'value' are required"
      : keyBytes > MAX_KEY_BYTES
        ? `the key is longer than ${MAX_KEY_BYTES} bytes`
        : key.includes("\0")
          ? "the key holds a NUL character"
          : Buffer.byteLength(value) > MAX_VALUE_BYTES
            ? "the value is larger than 1 MiB"
            : undefined;
  if (problem) throw new ThvError("INVALID_ARGUMENT", problem);
}

function createSecretNotFoundError(key: string): ThvError {
  return new ThvError("SECRET_NOT_FOUND", `There is no secret named "${key}".`, {
    hint: "See the stored secrets: thv secret list",
  });
}

function createWrongPasswordError(): ThvError {
  return new ThvError("SECRETS_WRONG_PASSWORD", "The password does not decrypt the secrets.", {
    hint: "Nothing was changed. Give the password that encrypts them; to choose another one: thv secret change-password",
  });
}
