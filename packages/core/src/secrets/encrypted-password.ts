/**
 * The password of the encrypted secrets: searched in the keyring, then in the environment, then in what a person entered, and kept
 * in the keyring where there is one.
 */
import { randomBytes } from "node:crypto";
import type { Logger } from "../ports/log.ts";
import { describeError, ThvError } from "../support/errors.ts";
import { type Keyring, type OpenKeyring, openSystemKeyring } from "./keyring.ts";
import { PASSWORD_VARIABLE } from "./password-length.ts";

const GENERATED_BYTES = 32;

interface EncryptedPasswordOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: Logger;
  readonly openKeyring?: OpenKeyring;
}

export class EncryptedPassword {
  readonly #options: EncryptedPasswordOptions;
  /** From a person, kept as long as the process runs. */
  #given: string | undefined;

  constructor(options: EncryptedPasswordOptions) {
    this.#options = options;
  }

  /** Every known password, in the order of the places. */
  async list(): Promise<string[]> {
    const stored = await this.findInKeyring().catch((error) => {
      this.#options.log.warn({ reason: describeError(error) }, "keyring could not be read");
      return undefined;
    });
    const all = [stored, this.#options.env[PASSWORD_VARIABLE], this.#given];
    return [...new Set(all.filter((password) => password !== undefined && password !== ""))] as string[];
  }

  async findInKeyring(): Promise<string | undefined> {
    return await (await this.#openKeyring())?.get();
  }

  /** In the keyring where there is one, else as long as this process runs. */
  async keep(password: string): Promise<void> {
    const keyring = await this.#openKeyring();
    this.#given = password;
    if (!keyring) return;
    try {
      await keyring.set(password);
    } catch (error) {
      this.#options.log.warn({ reason: describeError(error) }, "password could not be put into the keyring");
    }
  }

  /** @returns Whether there was one. */
  async forget(): Promise<boolean> {
    const had = this.#given !== undefined;
    this.#given = undefined;
    const keyring = await this.#openKeyring();
    return keyring ? (await keyring.delete()) || had : had;
  }

  /** @returns A new password, which the keyring has. @throws {ThvError} `SECRETS_NO_KEYRING`. */
  async generate(): Promise<string> {
    const keyring = await (this.#options.openKeyring ?? openSystemKeyring)();
    if ("unavailable" in keyring) {
      throw new ThvError(
        "SECRETS_NO_KEYRING",
        `OS keyring is not available. Give a password, or set ${PASSWORD_VARIABLE} in the supervisor's environment.`,
        { hint: `The keyring answered: ${keyring.unavailable}` },
      );
    }
    const password = randomBytes(GENERATED_BYTES).toString("base64url");
    await makePermanent(keyring, password);
    return password;
  }

  async #openKeyring(): Promise<Keyring | undefined> {
    const found = await (this.#options.openKeyring ?? openSystemKeyring)();
    return "unavailable" in found ? undefined : found;
  }
}

/** Only this program knows the password, so secrets sealed with it are lost when the keyring has not kept it. */
async function makePermanent(keyring: Keyring, password: string): Promise<void> {
  let reason = "it does not return the stored value";
  try {
    await keyring.set(password);
    if ((await keyring.get()) === password) return;
  } catch (error) {
    reason = describeError(error);
  }
  throw new ThvError("SECRETS_NO_KEYRING", `OS keyring does not keep a password: ${reason}`, {
    hint: `Unlock the keyring, give a password of your own, or set ${PASSWORD_VARIABLE} in the supervisor's environment.`,
  });
}

export function createPasswordNeededError(): ThvError {
  return new ThvError("SECRETS_LOCKED", "The secrets are locked: the supervisor does not have their password.", {
    hint: `Give the password that encrypts them, or set ${PASSWORD_VARIABLE}.`,
  });
}
