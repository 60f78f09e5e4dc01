/**
 * Keeps the grants of workloads: sealed with the secrets where that is possible, else in memory until the process ends. One
 * process at a time renews a grant, so that a refresh token that is good for one use is used once.
 */
import { join } from "node:path";
import { withFileLock } from "../../files/file-lock.ts";
import type { Logger } from "../../ports/log.ts";
import type { ReservedSecrets } from "../../secrets/secret-provider.ts";
import { describeError, ThvError } from "../../support/errors.ts";
import { type Grant, parseGrant } from "../protocol/grant.ts";

/** Milliseconds that a renewal waits for one of another process; longer than a request may take. */
const LOCK_TIMEOUT_MS = 25_000;

export type GrantPlace = "secrets" | "memory";

export interface KeptGrant {
  readonly grant: Grant;
  readonly keptIn: GrantPlace;
}

export interface GrantStoreOptions {
  /** Absent where grants end with the process. */
  readonly reserved?: ReservedSecrets | undefined;
  /** For locks; absent together with `reserved`. */
  readonly lockDirectory?: string | undefined;
  readonly log: Logger;
}

export class GrantStore {
  readonly #options: GrantStoreOptions;
  readonly #memory = new Map<string, Grant>();
  /** Whose place in memory was said already. */
  readonly #warned = new Set<string>();

  constructor(options: GrantStoreOptions) {
    this.#options = options;
  }

  /** Whether it can keep anything longer than the process lives. */
  get isDurable(): boolean {
    return this.#options.reserved !== undefined;
  }

  /** @throws {ThvError} `SECRETS_LOCKED`, `SECRETS_FAILED`. */
  async load(name: string): Promise<KeptGrant | undefined> {
    const kept = this.#memory.get(name);
    if (kept) return { grant: kept, keptIn: "memory" };
    const text = await this.#options.reserved?.find(nameEntry(name));
    if (text === undefined) return undefined;
    const grant = parseGrant(text);
    if (grant) return { grant, keptIn: "secrets" };
    this.#options.log.warn({ name }, "grant is of no known form and is not used");
    return undefined;
  }

  /** Durable when it returns `secrets`. Never fails: a grant that cannot be kept is still good. */
  async save(name: string, grant: Grant): Promise<GrantPlace> {
    const { reserved, log } = this.#options;
    try {
      if (!reserved) throw new Error("nothing is kept");
      await reserved.set(nameEntry(name), JSON.stringify(grant));
      this.#memory.delete(name);
      this.#warned.delete(name);
      return "secrets";
    } catch (error) {
      this.#memory.set(name, grant);
      if (reserved && !this.#warned.has(name)) {
        this.#warned.add(name);
        log.warn(
          { name, reason: describeError(error) },
          "sign-in is kept in memory only and ends with the supervisor; set up secrets to keep it: thv secret setup",
        );
      }
      return "memory";
    }
  }

  /** @throws {ThvError} `SECRETS_LOCKED`, `SECRETS_FAILED`. */
  async remove(name: string): Promise<void> {
    this.#memory.delete(name);
    this.#warned.delete(name);
    await this.#options.reserved?.delete(nameEntry(name));
  }

  /** Runs the work while no other process changes the grant. @throws {ThvError} `WORKLOAD_BUSY` when one takes too long. */
  async withLock<T>(name: string, work: () => Promise<T>): Promise<T> {
    const { lockDirectory } = this.#options;
    if (lockDirectory === undefined) return await work();
    const onTimeout = (lock: string) =>
      new ThvError("WORKLOAD_BUSY", `Another process is renewing the sign-in of ${name}.`, {
        hint: `Try again. When no other thv runs, remove ${lock}.`,
      });
    return await withFileLock(join(lockDirectory, name), { timeoutMs: LOCK_TIMEOUT_MS, onTimeout }, work);
  }
}

function nameEntry(name: string): string {
  return `grant:${name}`;
}
