/** A home with secrets in it, for tests: managers over one folder, with a keyring and settings in memory. */
import { createCipheriv, createHash, randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Keyring } from "../secrets/keyring.ts";
import { SecretManager, type SecretSettings } from "../secrets/secret-manager.ts";
import type { ThvError } from "../support/errors.ts";

/** As cheap as scrypt gets; the real cost is checked on its own. */
const CHEAP = { log2N: 1, r: 1, p: 1 };

export class MemoryKeyring implements Keyring {
  password: string | undefined;
  get = async () => this.password;
  set = async (password: string) => {
    this.password = password;
  };
  delete = async () => {
    const had = this.password !== undefined;
    this.password = undefined;
    return had;
  };
}

class MemorySettings implements SecretSettings {
  providerType = "";
  read = async () => ({ providerType: this.providerType, isSetUp: this.providerType !== "" });
  save = async (type: string) => {
    this.providerType = type;
  };
}

export class SecretHome implements AsyncDisposable {
  readonly directory: string;
  readonly settings = new MemorySettings();
  /** What managers have logged. */
  readonly logged: string[] = [];

  private constructor(directory: string) {
    this.directory = directory;
  }

  static async create(): Promise<SecretHome> {
    return new SecretHome(await mkdtemp(join(tmpdir(), "secrets-")));
  }

  get file(): string {
    return join(this.directory, "secrets_encrypted");
  }

  openManager({ keyring, env = {} }: { keyring?: Keyring; env?: Record<string, string> } = {}): SecretManager {
    const note = (fields: unknown, message: string) => this.logged.push(`${message} ${JSON.stringify(fields)}`);
    return new SecretManager({
      settings: this.settings,
      dataDirectory: this.directory,
      env,
      log: { error: note, warn: note, info: note, debug: note },
      openKeyring: async () => keyring ?? { unavailable: "no keyring here" },
      cost: CHEAP,
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.directory, { recursive: true });
  }
}

export async function catchFailure(work: Promise<unknown>): Promise<ThvError> {
  return await work.then(
    () => Promise.reject(new Error("it succeeded")),
    (error: ThvError) => error,
  );
}

/** A file as the reference writes it. */
export function sealAsReference(password: string, secrets: Record<string, string>): Buffer {
  const nonce = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", createHash("sha256").update(password).digest(), nonce);
  const text = JSON.stringify({ secrets });
  return Buffer.concat([nonce, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
}
