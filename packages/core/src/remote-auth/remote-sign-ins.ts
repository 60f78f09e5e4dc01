/**
 * The sign-ins of all remote workloads of a supervisor: holds their grants, begins sign-ins and lets a person finish them, says how
 * they are, and ends them.
 */
import { join } from "node:path";
import type { Logger } from "../ports/log.ts";
import type { GrantDescription, RemoteAuthorization } from "../ports/remote-authorization.ts";
import type { RemoteSignIn } from "../remote/remote-schema.ts";
import type { ReservedSecrets } from "../secrets/secret-provider.ts";
import { BRAND } from "../support/brand.ts";
import { describeError, type ErrorCode, ThvError } from "../support/errors.ts";
import { BearerGrant } from "./bearer-grant.ts";
import type { Fetch } from "./protocol/bounded-fetch.ts";
import type { Challenge } from "./protocol/challenge.ts";
import type { PendingSignIn, SignInMethod, SignInOffer } from "./protocol/sign-in.ts";
import { RemoteGrant } from "./remote-grant.ts";
import { GrantStore } from "./store/grant-store.ts";
import type { Clocks } from "./token-life.ts";

/** Milliseconds that a person has for signing in. */
const SIGN_IN_TIMEOUT_MS = 5 * 60_000;
/** Sign-ins that wait for a person at a time. */
const MAX_PENDING = 50;

/** How a workload signs in at its server, with the means to read what is secret of it. */
interface AuthOptions {
  /** Whether somebody signs in even if the server does not ask for it. */
  readonly isForced?: boolean | undefined;
  readonly issuer?: string | undefined;
  readonly authorizeUrl?: string | undefined;
  readonly tokenUrl?: string | undefined;
  readonly clientId?: string | undefined;
  readonly readClientSecret?: (() => Promise<string>) | undefined;
  readonly clientMetadataUrl?: string | undefined;
  readonly scopes?: readonly string[] | undefined;
  readonly resource?: string | undefined;
  readonly parameters?: Readonly<Record<string, string>> | undefined;
  readonly callbackPort?: number | undefined;
  /** In place of a sign-in. */
  readonly readBearerToken?: (() => Promise<string>) | undefined;
}

export interface RemoteSignInsOptions {
  /** Of the secrets. */
  readonly reserved: ReservedSecrets;
  /** Reads one of the user's secrets. */
  readonly readSecret: (name: string) => Promise<string>;
  /** `<state>/toolhive`; locks are in it. */
  readonly stateDirectory: string;
  readonly log: Logger;
  /** Sends the requests. Default: the global `fetch`. */
  readonly send?: Fetch | undefined;
  /** Only tests move them. */
  readonly clocks?: Clocks | undefined;
  /** Milliseconds between a token and a renewal that no refusal asks for; only tests make it shorter. */
  readonly restMs?: number | undefined;
  /** Milliseconds between two requests whether a code was entered; only tests make it shorter. */
  readonly pollMs?: number | undefined;
}

/** A sign-in that was begun here, as far as it is. */
export interface SignInProgress {
  readonly state: "waiting" | "done" | "failed";
  readonly offer: SignInOffer;
  readonly error?:
    | { readonly code: ErrorCode; readonly message: string; readonly hint?: string | undefined }
    | undefined;
}

export interface SignInStatus {
  readonly name: string;
  readonly server: string;
  readonly grant: GrantDescription;
  /** The newest; absent when none was begun since the supervisor started. */
  readonly progress?: SignInProgress | undefined;
}

export interface SignInRequestOfWorkload {
  /** Of the workload. */
  readonly name: string;
  /** Of its server. */
  readonly url: URL;
  readonly signIn: RemoteSignIn | undefined;
}

interface Entry {
  readonly server: URL;
  readonly options: AuthOptions;
  readonly grant: RemoteGrant | BearerGrant;
  pending?: { readonly signIn: PendingSignIn; readonly stop: AbortController } | undefined;
  progress?: SignInProgress | undefined;
}

export class RemoteSignIns implements AsyncDisposable {
  readonly #options: RemoteSignInsOptions;
  readonly #store: GrantStore;
  readonly #entries = new Map<string, Entry>();

  constructor(options: RemoteSignInsOptions) {
    this.#options = options;
    const { reserved, stateDirectory, log } = options;
    this.#store = new GrantStore({ reserved, lockDirectory: join(stateDirectory, "grants"), log });
  }

  /**
   * Takes up the sign-in of a workload, as it was kept. For as long as there is the workload, also while it is stopped: until the
   * result is disposed of.
   */
  async open({ name, url: server, signIn }: SignInRequestOfWorkload): Promise<RemoteAuthorization> {
    await this.#entries.get(name)?.grant[Symbol.asyncDispose]();
    const { log, send, clocks, restMs, readSecret } = this.#options;
    const options = readOptions(signIn, readSecret);
    const { readBearerToken: read } = options;
    let entry: Entry | undefined;
    const onClose = () => {
      entry?.pending?.stop.abort(new Error("the workload has gone"));
      if (this.#entries.get(name) === entry) this.#entries.delete(name);
    };
    const grant = read
      ? new BearerGrant({ name, server, read, onClose })
      : await RemoteGrant.open({
          name,
          server,
          isForced: isWanted(options),
          store: this.#store,
          signInHint: `Sign in: ${BRAND.command} auth login ${name}`,
          log,
          send,
          clocks,
          restMs,
          onClose,
        });
    entry = { server, options, grant };
    this.#entries.set(name, entry);
    return grant;
  }

  /** @returns Nothing for a workload that signs in nowhere. */
  describe(name: string): SignInStatus | undefined {
    const entry = this.#entries.get(name);
    return entry && { name, server: entry.server.href, grant: entry.grant.describe(), progress: entry.progress };
  }

  /** Sorted by name. */
  list(): SignInStatus[] {
    const names = [...this.#entries.keys()].sort();
    return names.flatMap((name) => this.describe(name) ?? []);
  }

  /**
   * Begins a sign-in; one that waits already ends. It continues until a person has finished it, or its time is over.
   *
   * @throws {ThvError} `INVALID_ARGUMENT`, `UNAUTHENTICATED`, `ISSUER_UNAVAILABLE`, `PORT_IN_USE`, `SERVER_NOT_READY`,
   * `LIMIT_REACHED`.
   */
  async begin(name: string, method: SignInMethod = "browser"): Promise<SignInOffer> {
    const entry = this.#require(name);
    const { grant, options, server } = entry;
    if (grant instanceof BearerGrant) {
      throw new ThvError("INVALID_ARGUMENT", `${name} has a bearer token, so that nobody signs in for it.`, {
        hint: "Store another token in place of the one it uses.",
      });
    }
    entry.pending?.stop.abort(new ThvError("UNAUTHENTICATED", "Another sign-in was begun in place of this one."));
    await entry.pending?.signIn[Symbol.asyncDispose]();
    entry.pending = undefined;
    if ([...this.#entries.values()].filter(({ pending }) => pending).length >= MAX_PENDING) {
      throw new ThvError("LIMIT_REACHED", `${MAX_PENDING} sign-ins wait for somebody already.`, {
        hint: "Finish one of them first.",
      });
    }
    const stop = new AbortController();
    const { signal } = stop;
    const challenge = await this.#findChallenge(name, server, grant, options, signal);
    const { beginSignIn } = await import("./protocol/sign-in.ts");
    const signIn = await beginSignIn({
      ...options,
      clientSecret: await options.readClientSecret?.(),
      server,
      challenge,
      missingScopes: grant.grant?.missingScopes,
      timeoutMs: SIGN_IN_TIMEOUT_MS,
      method,
      previous: grant.grant,
      send: this.#options.send,
      now: this.#options.clocks?.wall,
      pollMs: this.#options.pollMs,
      signal,
    });
    entry.pending = { signIn, stop };
    entry.progress = { state: "waiting", offer: signIn.offer };
    void this.#finish(name, entry, grant, signIn);
    return signIn.offer;
  }

  /**
   * Ends the grant at its authorization server and forgets it.
   *
   * @returns Whether it was ended there, too; one that was not ends by its own time.
   * @throws {ThvError} `INVALID_ARGUMENT`, `SECRETS_LOCKED`, `SECRETS_FAILED`.
   */
  async signOut(name: string): Promise<{ readonly isRevoked: boolean }> {
    const entry = this.#require(name);
    entry.pending?.stop.abort(new ThvError("UNAUTHENTICATED", `${name} was signed out.`));
    if (entry.grant instanceof RemoteGrant) return await entry.grant.signOut();
    throw new ThvError("INVALID_ARGUMENT", `${name} has a bearer token, so that nobody is signed in for it.`, {
      hint: "Delete the secret that holds it: thv secret delete",
    });
  }

  /** Checks that a stored sign-in can be read now. @throws {ThvError} `SECRETS_LOCKED`, `SECRETS_FAILED`. */
  async assertReadable(name: string): Promise<void> {
    await this.#store.load(name);
  }

  /** The secrets were opened: what waited for them is read now. */
  onSecretsOpened(): void {
    for (const { grant } of this.#entries.values()) if (grant instanceof RemoteGrant) grant.loadNow();
  }

  /** Of a workload that is removed: its grant ends as by `signOut`, and what fails of that is only logged. */
  async forget(name: string): Promise<void> {
    const entry = this.#entries.get(name);
    try {
      if (entry?.grant instanceof RemoteGrant) await entry.grant.signOut();
      else if (!entry) await this.#store.remove(name);
    } catch (error) {
      this.#options.log.warn({ name, reason: describeError(error) }, "sign-in of removed workload is still kept");
    }
    await entry?.grant[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#entries.values()].map(({ grant }) => grant[Symbol.asyncDispose]()));
  }

  async #finish(name: string, entry: Entry, grant: RemoteGrant, signIn: PendingSignIn): Promise<void> {
    const { offer } = signIn;
    try {
      await signIn.finish(async (made) => await grant.replace(made));
      entry.progress = { state: "done", offer };
      this.#options.log.info({ name, issuer: grant.grant?.endpoints.issuer }, "signed in at remote server");
    } catch (error) {
      const { code, message, hint } =
        error instanceof ThvError ? error : new ThvError("UNAUTHENTICATED", describeError(error));
      // A sign-in that took the place of this one has its own progress.
      if (entry.progress?.offer === offer) entry.progress = { state: "failed", offer, error: { code, message, hint } };
      this.#options.log.warn({ name, reason: message }, "sign-in at remote server failed");
    } finally {
      await signIn[Symbol.asyncDispose]();
      if (entry.pending?.signIn === signIn) entry.pending = undefined;
    }
  }

  /** A workload with a grant received a challenge once; a server may send one for some calls only. */
  async #findChallenge(
    name: string,
    server: URL,
    grant: RemoteGrant,
    options: AuthOptions,
    signal: AbortSignal,
  ): Promise<Challenge | undefined> {
    if (grant.challenge) return grant.challenge;
    const { askForChallenge } = await import("./protocol/challenge.ts");
    const hint = `Check the server's address: ${BRAND.command} export ${name}`;
    const found = await askForChallenge([server], { signal, send: this.#options.send, hint, sendsMessage: true });
    if (found || isWanted(options) || grant.grant !== undefined) return found;
    throw new ThvError("INVALID_ARGUMENT", `${server.origin} asks nobody to sign in.`, {
      hint: `If it does for some calls, say so when the server is started: ${BRAND.command} run --remote-auth`,
    });
  }

  #require(name: string): Entry {
    const entry = this.#entries.get(name);
    if (entry) return entry;
    throw new ThvError("INVALID_ARGUMENT", `${name} is no remote server, so that nobody signs in for it.`, {
      hint: `See which are: ${BRAND.command} auth status`,
    });
  }
}

function readOptions(signIn: RemoteSignIn = {}, readSecret: (name: string) => Promise<string>): AuthOptions {
  const { client_id: id, client_secret: secret, bearer_token: bearer } = signIn;
  // Such a client needs no registration where its address is read, and is none anywhere else.
  const isDocument = id !== undefined && /^https:\/\/[^/]+\/./.test(id);
  return {
    isForced: signIn.required,
    issuer: signIn.issuer,
    authorizeUrl: signIn.authorize_url,
    tokenUrl: signIn.token_url,
    ...(isDocument ? { clientMetadataUrl: id } : { clientId: id }),
    readClientSecret: secret && (() => readSecret(secret.name)),
    readBearerToken: bearer && (() => readSecret(bearer.name)),
    scopes: signIn.scopes,
    resource: signIn.resource,
    parameters: signIn.oauth_params,
    callbackPort: signIn.callback_port,
  };
}

/** Whether the settings say that somebody signs in, before the server does. */
function isWanted({ isForced, issuer, clientId, clientMetadataUrl }: AuthOptions): boolean {
  return isForced === true || [issuer, clientId, clientMetadataUrl].some((each) => each !== undefined);
}
