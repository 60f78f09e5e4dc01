/** A bearer token that the user has: there is no sign-in, and it cannot be renewed. */

import { Listeners } from "@toolhive/http/listeners";
import type { GrantDescription, RemoteAuthorization, RemoteRefusal } from "../ports/remote-authorization.ts";
import { describeError, ThvError } from "../support/errors.ts";

/** Milliseconds before a refused token is read again. */
const READ_AGAIN_MS = 1_000;

export interface BearerGrantOptions {
  readonly name: string;
  readonly server: URL;
  /** Reads the token, for example from the secrets. */
  readonly read: () => Promise<string>;
  readonly onClose?: (() => void) | undefined;
}

export class BearerGrant implements RemoteAuthorization {
  readonly #options: BearerGrantOptions;
  readonly #listeners = new Listeners();
  #token: string | undefined;
  #refused: string | undefined;
  #readAt = Number.NEGATIVE_INFINITY;
  #problem: ThvError | undefined;

  constructor(options: BearerGrantOptions) {
    this.#options = options;
  }

  async authorize(signal: AbortSignal): Promise<string | undefined> {
    signal.throwIfAborted();
    if (this.#token === undefined || this.#problem) await this.#read();
    if (this.#problem) throw this.#problem;
    return `Bearer ${this.#token}`;
  }

  async onRefused({ status, usedAuthorization }: RemoteRefusal, signal: AbortSignal): Promise<boolean> {
    signal.throwIfAborted();
    // Only the user can provide another token with more scopes.
    if (status === 403) return false;
    if (usedAuthorization !== `Bearer ${this.#token}`) return this.#problem === undefined && this.#token !== undefined;
    this.#refused = this.#token;
    await this.#read();
    return this.#problem === undefined;
  }

  describe(): GrantDescription {
    const problem = this.#problem;
    return {
      state: problem ? "unauthenticated" : "valid",
      kind: "bearer",
      scopes: [],
      isRenewable: false,
      error: problem && { code: problem.code, message: problem.message, hint: problem.hint },
    };
  }

  onChange(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listeners.clear();
    this.#options.onClose?.();
  }

  /** The user may have stored another one in its place. */
  async #read(): Promise<void> {
    if (performance.now() - this.#readAt < READ_AGAIN_MS && this.#problem) return;
    this.#readAt = performance.now();
    const { name, server, read } = this.#options;
    const hint = `Store another token where the server ${name} takes it from, and restart it if it still uses the old one.`;
    const before = this.#problem;
    try {
      const token = (await read()).trim();
      if (!/^[\x21-\x7E]{1,16384}$/.test(token)) {
        throw new ThvError("UNAUTHENTICATED", `The bearer token of ${name} is no text for a header.`, { hint });
      }
      this.#token = token;
      this.#problem =
        token === this.#refused
          ? new ThvError("UNAUTHENTICATED", `${server.origin} does not take the bearer token of ${name}.`, { hint })
          : undefined;
    } catch (error) {
      this.#problem =
        error instanceof ThvError ? error : new ThvError("UNAUTHENTICATED", describeError(error), { hint });
    }
    if (before?.message !== this.#problem?.message) this.#listeners.notify();
  }
}
