/**
 * The encrypted provider: one file that only its password opens. Reads it on each use and writes it atomically under a
 * lock. The caller supplies candidate passwords; one that does not open the file is never kept.
 */
import { atomicWrite } from "../files/atomic-write.ts";
import { readBoundedFile, UnsuitableFile } from "../files/bounded-file.ts";
import { withFileLock } from "../files/file-lock.ts";
import { createTooNewError } from "../files/state-version.ts";
import type { Logger } from "../ports/log.ts";
import { describeError, readSystemCode, ThvError } from "../support/errors.ts";
import { assertLongEnough } from "./password-length.ts";
import {
  createSealingKey,
  FORMAT_VERSION,
  findDamage,
  findFormatVersion,
  isKeyFor,
  isOldFormat,
  type KdfCost,
  MAX_FILE_BYTES,
  MAX_PLAINTEXT_BYTES,
  type SealingKey,
  seal,
  unseal,
  unsealWithPassword,
} from "./sealed-file.ts";
import type { SecretEntry, WritableSecretProvider } from "./secret-provider.ts";

export interface EncryptedSecretsOptions {
  /** `<data>/toolhive/secrets_encrypted`. */
  readonly path: string;
  /** Passwords that may be the right one, the most likely first. */
  readonly passwords: () => Promise<readonly string[]>;
  readonly log: Logger;
  /** Only tests make it cheaper. */
  readonly cost?: KdfCost;
}

/** Entries and bytes of what thv keeps for itself. */
const MAX_RESERVED_ENTRIES = 500;
const MAX_RESERVED_BYTES = 64 * 1024;

interface Contents {
  readonly secrets: Map<string, string>;
  /** What thv keeps for itself. */
  readonly reserved: Map<string, string>;
}

interface Opened extends Contents {
  readonly key: SealingKey;
  /** When there is no file yet: what one would be sealed with. */
  readonly newPassword?: string;
}

export class EncryptedSecrets implements WritableSecretProvider {
  readonly #options: EncryptedSecretsOptions;
  #key: SealingKey | undefined;

  constructor(options: EncryptedSecretsOptions) {
    this.#options = options;
  }

  async list(): Promise<SecretEntry[]> {
    const { secrets } = await this.#open();
    return [...secrets.keys()].sort().map((key) => ({ key }));
  }

  async find(key: string): Promise<string | undefined> {
    return (await this.#open()).secrets.get(key);
  }

  async set(key: string, value: string, wanted: "absent" | "present"): Promise<boolean> {
    return await this.#change((secrets) => {
      if (secrets.has(key) !== (wanted === "present")) return false;
      secrets.set(key, value);
      return true;
    });
  }

  async delete(key: string): Promise<boolean> {
    return await this.#change((secrets) => secrets.delete(key));
  }

  async findReserved(key: string): Promise<string | undefined> {
    return (await this.#open()).reserved.get(key);
  }

  async setReserved(key: string, value: string): Promise<void> {
    await this.#change((_secrets, reserved) => {
      if (
        Buffer.byteLength(value) > MAX_RESERVED_BYTES ||
        (!reserved.has(key) && reserved.size >= MAX_RESERVED_ENTRIES)
      ) {
        throw new ThvError(
          "SECRETS_FAILED",
          `More than ${MAX_RESERVED_ENTRIES} grants, or one of more than ${MAX_RESERVED_BYTES} bytes, are not kept.`,
        );
      }
      reserved.set(key, value);
      return true;
    });
  }

  async deleteReserved(key: string): Promise<boolean> {
    return await this.#change((_secrets, reserved) => reserved.delete(key));
  }

  /** Whether the file was made only for what thv keeps for itself. */
  async isWithoutSecrets(): Promise<boolean> {
    const { secrets, reserved } = await this.#open();
    return secrets.size === 0 && reserved.size > 0;
  }

  /** Whether the password opens the file; any password opens one that is not there. */
  async isRightPassword(password: string): Promise<boolean> {
    const file = await this.#readFile();
    return file === undefined || (await this.#openFile(file, password)) !== undefined;
  }

  /** Whether any secret was ever stored. */
  async exists(): Promise<boolean> {
    return (await this.#readFile()) !== undefined;
  }

  /**
   * Encrypts everything with another password.
   *
   * @returns False, and nothing has changed, when `current` does not open the file.
   * @throws {ThvError} `INVALID_ARGUMENT` when the new one is too short.
   */
  async changePassword({ current, wanted }: { current: string; wanted: string }): Promise<boolean> {
    assertLongEnough(wanted);
    return await this.#withLock(async () => {
      const file = await this.#readFile();
      const opened = file && (await this.#openFile(file, current));
      if (!opened) return false;
      await this.#write({ ...opened, key: await createSealingKey(wanted, this.#options.cost) });
      return true;
    });
  }

  /**
   * Makes the file, so that later passwords can be verified.
   *
   * @throws {ThvError} `INVALID_ARGUMENT` when the password is too short for a new file.
   */
  async create(password: string): Promise<void> {
    assertLongEnough(password);
    await this.#withLock(async () => {
      if (await this.#readFile()) return;
      await this.#write({ ...createEmpty(), key: await createSealingKey(password, this.#options.cost) });
    });
  }

  /** Forgets the key. */
  forgetKey(): void {
    this.#key = undefined;
  }

  async #change(change: (secrets: Map<string, string>, reserved: Map<string, string>) => boolean): Promise<boolean> {
    return await this.#withLock(async () => {
      const opened = await this.#open();
      if (!change(opened.secrets, opened.reserved)) return false;
      if (opened.newPassword !== undefined) assertLongEnough(opened.newPassword);
      await this.#write(opened);
      return true;
    });
  }

  async #open(): Promise<Opened> {
    const file = await this.#readFile();
    if (file && this.#key && isKeyFor(file, this.#key)) {
      const plaintext = unseal(file, this.#key);
      if (!plaintext) throw this.#createDamagedError("its contents were changed");
      return { ...this.#parse(plaintext), key: this.#key };
    }
    const passwords = await this.#options.passwords();
    for (const password of passwords) {
      if (!file) {
        const key = await createSealingKey(password, this.#options.cost);
        return { ...createEmpty(), key, newPassword: password };
      }
      const opened = await this.#openFile(file, password);
      if (!opened) continue;
      if (isOldFormat(file)) await this.#upgrade(opened);
      return opened;
    }
    throw createLockedError(passwords.length > 0);
  }

  async #openFile(file: Buffer, password: string): Promise<Opened | undefined> {
    const found = await unsealWithPassword(file, password, this.#options.cost);
    if (!found) return undefined;
    // A key of this very file spares the next reader the work; one for an upgrade fits no file yet.
    if (isKeyFor(file, found.key)) this.#key = found.key;
    return { ...this.#parse(found.plaintext), key: found.key };
  }

  /** The old format's key can be guessed quickly, so the file does not stay in it. */
  async #upgrade(opened: Opened): Promise<void> {
    try {
      await this.#write(opened);
      this.#options.log.info({ path: this.#options.path }, "secrets file upgraded to scrypt");
    } catch (error) {
      // Reading still works, for example from a read-only disk.
      this.#options.log.warn({ reason: describeError(error) }, "secrets file could not be upgraded");
    }
  }

  async #write({ secrets, reserved, key }: Opened): Promise<void> {
    const members = {
      secrets: Object.fromEntries(secrets),
      ...(reserved.size > 0 && { reserved: Object.fromEntries(reserved) }),
    };
    const plaintext = Buffer.from(JSON.stringify(members), "utf8");
    if (plaintext.length > MAX_PLAINTEXT_BYTES) {
      throw new ThvError("INVALID_ARGUMENT", "All secrets together would exceed 32 MiB.", {
        hint: "Delete secrets that you no longer need: thv secret list",
      });
    }
    await atomicWrite(this.#options.path, seal(plaintext, key));
    this.#key = key;
  }

  /** @returns `undefined` when there is none. An empty one is damaged: every file of ours has at least a header. */
  async #readFile(): Promise<Buffer | undefined> {
    const { path } = this.#options;
    try {
      const content = await readBoundedFile(path, { maxBytes: MAX_FILE_BYTES });
      const version = findFormatVersion(content);
      if (version > FORMAT_VERSION) throw createTooNewError(path, version, FORMAT_VERSION);
      const damage = findDamage(content);
      if (damage !== undefined) throw this.#createDamagedError(damage);
      return content;
    } catch (error) {
      if (readSystemCode(error) === "ENOENT") return undefined;
      if (error instanceof UnsuitableFile) throw this.#createDamagedError(error.message);
      if (error instanceof ThvError) throw error;
      throw new ThvError("SECRETS_FAILED", `The secrets in ${path} cannot be read: ${describeError(error)}`, {
        cause: error,
      });
    }
  }

  #parse(plaintext: Buffer): Contents {
    let value: unknown;
    try {
      value = JSON.parse(plaintext.toString("utf8"));
    } catch {
      // The parser's message would quote the text, which holds secrets.
      throw this.#createDamagedError("it does not hold JSON");
    }
    const members: Record<string, unknown> = typeof value === "object" && value !== null ? { ...value } : {};
    if (!("secrets" in members)) throw this.#createDamagedError('it has no "secrets"');
    return { secrets: this.#toMap(members, "secrets"), reserved: this.#toMap(members, "reserved") };
  }

  #toMap(members: Readonly<Record<string, unknown>>, member: "secrets" | "reserved"): Map<string, string> {
    const value = members[member] ?? {};
    if (typeof value !== "object") throw this.#createDamagedError(`its "${member}" are no object`);
    const entries = Object.entries(value);
    if (entries.some(([, text]) => typeof text !== "string"))
      throw this.#createDamagedError("a value in it is not a text");
    return new Map(entries);
  }

  async #withLock<T>(work: () => Promise<T>): Promise<T> {
    const onTimeout = (lock: string) =>
      new ThvError("SECRETS_FAILED", "Another process is changing the secrets.", {
        hint: `Try again. When no other thv runs, remove ${lock}.`,
      });
    return await withFileLock(this.#options.path, { onTimeout }, work);
  }

  #createDamagedError(reason: string): ThvError {
    return new ThvError("SECRETS_FAILED", `The secrets file is damaged: ${reason}.`, {
      hint: `Restore a backup of ${this.#options.path}, or remove it and store the secrets again.`,
    });
  }
}

function createEmpty(): Contents {
  return { secrets: new Map(), reserved: new Map() };
}

function createLockedError(hasTried: boolean): ThvError {
  const message = hasTried
    ? "The known password does not open the secrets."
    : "The secrets are locked: the supervisor does not have their password.";
  return new ThvError("SECRETS_LOCKED", message, {
    hint: "Run thv secret list and enter the password, or set TOOLHIVE_SECRETS_PASSWORD.",
  });
}
