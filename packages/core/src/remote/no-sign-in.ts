/** The authorization of a server without a sign-in: it adds nothing, and reports when the server asks for a token. */

import { Listeners } from "@toolhive/http/listeners";
import type { GrantDescription, RemoteAuthorization } from "../ports/remote-authorization.ts";
import { ThvError } from "../support/errors.ts";

export class NoSignIn implements RemoteAuthorization {
  readonly isOpen = true;
  readonly #name: string;
  readonly #hint: string | undefined;
  readonly #listeners = new Listeners();
  #error: ThvError | undefined;

  /** @param name Of the workload, for messages. @param hint What to do. Default: the command that signs in. */
  constructor(name: string, hint?: string) {
    this.#name = name;
    this.#hint = hint;
  }

  async authorize(): Promise<undefined> {
    return undefined;
  }

  async onRefused(): Promise<boolean> {
    this.#error ??= createSignInNeeded(this.#name, this.#hint);
    this.#listeners.notify();
    return false;
  }

  describe(): GrantDescription {
    const error = this.#error;
    const state = error ? ("unauthenticated" as const) : ("open" as const);
    return { state, kind: "none", scopes: [], isRenewable: false, ...(error && { error }) };
  }

  onChange(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listeners.clear();
  }
}

/** The server asks for a token, and nobody is signed in. */
export function createSignInNeeded(name: string, hint = `Sign in: thv auth login ${name}`): ThvError {
  return new ThvError("UNAUTHENTICATED", `"${name}" asks for a sign-in, and nobody is signed in.`, {
    hint,
  });
}
