/**
 * The sign-in of one remote workload. Renews the token before it ends, once for all requests and for all processes, and saves a new
 * refresh token before the new access token is used. A provider that does not answer costs nothing while the token lasts; only
 * the provider's own word ends the grant. Whether the server accepts the token in use is one state: `token-standing.ts` draws it.
 */

import { Listeners } from "@toolhive/http/listeners";
import type {
  GrantDescription,
  GrantState,
  RemoteAuthorization,
  RemoteRefusal,
} from "../ports/remote-authorization.ts";
import { describeError, ThvError } from "../support/errors.ts";
import { startTimeout } from "../support/timeout-signal.ts";
import { untilAborted } from "../support/until-aborted.ts";
import {
  addMissingScopes,
  createRenewalProblem,
  describeGrant,
  explainMissingToken,
  formatBearer,
  nameIssuer,
  type RemoteGrantOptions,
  renewGrant,
} from "./grant-members.ts";
import type { Challenge } from "./protocol/challenge.ts";
import type { Grant } from "./protocol/grant.ts";
import type { GrantPlace, KeptGrant } from "./store/grant-store.ts";
import { type Clocks, SYSTEM_CLOCKS, TokenLife } from "./token-life.ts";
import { TokenStanding } from "./token-standing.ts";

/** Milliseconds between two readings of the clocks: one of them stops while the machine sleeps. */
const LOOK_EVERY_MS = 60_000;
/** Milliseconds in which a renewal has to end when its workload is removed: its answer may hold the only valid refresh token. */
const CLOSE_TIMEOUT_MS = 5_000;
/** Milliseconds before locked secrets are tried again: each try of a password takes a good part of a second. */
const LOAD_AGAIN_MS = 5_000;

export class RemoteGrant implements RemoteAuthorization {
  readonly #options: RemoteGrantOptions;
  readonly #clocks: Clocks;
  readonly #standing: TokenStanding;
  readonly #listeners = new Listeners();
  readonly #closed = new AbortController();
  #isLoaded = false;
  /** By the steady clock. */
  #loadAgainAt = Number.NEGATIVE_INFINITY;
  #grant: Grant | undefined;
  #keptIn: GrantPlace = "memory";
  #life: TokenLife | undefined;
  /** What the server said when it asked to sign in. */
  #challenge: Challenge | undefined;
  #isAsked: boolean;
  #renewal: Promise<void> | undefined;
  /** Why there is no good token, or why the renewal fails. */
  #problem: ThvError | undefined;
  #timer: NodeJS.Timeout | undefined;
  #shownState: GrantState | undefined;

  private constructor(options: RemoteGrantOptions) {
    this.#options = options;
    this.#clocks = options.clocks ?? SYSTEM_CLOCKS;
    this.#standing = new TokenStanding(this.#clocks, options.restMs);
    this.#isAsked = options.isForced;
  }

  /** Reads the stored grant; secrets that are locked now are read when they are opened. */
  static async open(options: RemoteGrantOptions): Promise<RemoteGrant> {
    const grant = new RemoteGrant(options);
    await grant.#load().catch(() => undefined);
    grant.#look();
    return grant;
  }

  get grant(): Grant | undefined {
    return this.#grant;
  }

  get challenge(): Challenge | undefined {
    return this.#challenge;
  }

  async authorize(signal: AbortSignal): Promise<string | undefined> {
    signal.throwIfAborted();
    try {
      await this.#load();
    } catch (error) {
      // Most servers require no sign-in, and requests to them do not wait for the secrets. One that requires it answers with 401.
      if (!this.#isAsked) return undefined;
      throw error;
    }
    const token = this.#grant?.tokens;
    if (!token) {
      if (this.#state() === "open") return undefined;
      throw this.#createUnauthenticated();
    }
    if (this.#isUsable) {
      const canRenew = token.refresh !== undefined && !this.#standing.isResting;
      if (!this.#life?.isDoubtful || !canRenew) {
        if (this.#life?.isDue && canRenew) void this.#renew().catch(() => undefined);
        return formatBearer(token.access);
      }
      // The token may have expired while the machine slept. When a renewal cannot find out, the server's answer does.
      await untilAborted(this.#renew(), signal).catch(() => signal.throwIfAborted());
    } else {
      if (token.refresh === undefined) throw this.#createUnauthenticated();
      await untilAborted(this.#renew(), signal);
    }
    const renewed = this.#grant?.tokens;
    if (!renewed) throw this.#createUnauthenticated();
    return formatBearer(renewed.access);
  }

  async onRefused(refusal: RemoteRefusal, signal: AbortSignal): Promise<boolean> {
    const { parseChallenge } = await import("./protocol/challenge.ts");
    const challenge = parseChallenge(refusal.wwwAuthenticate ?? "");
    const token = this.#grant?.tokens;
    const isOld = token !== undefined && refusal.usedAuthorization !== formatBearer(token.access);
    if (refusal.status === 403) {
      if (challenge.error !== "insufficient_scope") return false;
      if (isOld) return true;
      // A server that names a missing scope has accepted the token as valid.
      this.#standing.accept();
      await this.#rememberScopes(challenge.scopes ?? []);
      return false;
    }
    this.#challenge = challenge;
    if (!token) {
      this.#isAsked = true;
      // Without the secrets, it is not known yet whether there was a sign-in.
      if (!this.#isLoaded) await this.#load().catch(() => undefined);
      this.#announce();
      return this.#grant?.tokens !== undefined;
    }
    if (isOld) return true;
    if (token.refresh === undefined) this.#standing.end();
    if (token.refresh === undefined || !this.#standing.refuse()) {
      this.#problem = this.#createError(
        `${this.#options.server.origin} does not take the token of ${nameIssuer(this.#grant)}.`,
      );
      this.#announce();
      return false;
    }
    try {
      await untilAborted(this.#renew(), signal);
    } catch {
      this.#announce();
      return false;
    }
    return this.#grant?.tokens !== undefined;
  }

  onAccepted(usedAuthorization: string): void {
    const access = this.#grant?.tokens?.access;
    if (access === undefined || usedAuthorization !== formatBearer(access) || !this.#standing.accept()) return;
    this.#problem = undefined;
    this.#announce();
  }

  describe(): GrantDescription {
    const state = this.#state();
    const isWaiting = state === "open" && !this.#isLoaded;
    const problem = state === "unauthenticated" ? this.#createUnauthenticated() : isWaiting ? undefined : this.#problem;
    return describeGrant(this.#grant, { state, expiresAt: this.#life?.endsAt, keptIn: this.#keptIn, problem });
  }

  onChange(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }

  /** The result of a sign-in replaces the earlier grant. */
  async replace(grant: Grant): Promise<void> {
    await this.#options.store.withLock(this.#options.name, async () => {
      await this.#save(grant);
      this.#adopt(grant);
    });
    this.#standing.reset();
    this.#settle();
  }

  /** A renewal that waits is tried now: the network is back. */
  hasten(): void {
    this.#standing.hasten();
    this.#look();
  }

  /** What was locked is read now: the secrets are open. */
  loadNow(): void {
    this.#loadAgainAt = Number.NEGATIVE_INFINITY;
    this.#look();
  }

  /** Ends the grant at its authorization server, and forgets it. @returns Whether it was ended there. */
  async signOut(): Promise<{ readonly isRevoked: boolean }> {
    await this.#load();
    const { store, name, send, log } = this.#options;
    return await store
      .withLock(name, async () => {
        const grant = (await store.load(name))?.grant ?? this.#grant;
        const { revokeTokens } = await import("./protocol/token-requests.ts");
        const isRevoked = await (grant ? revokeTokens(grant, { signal: this.#closed.signal, send }) : false);
        await store.remove(name);
        this.#isAsked = true;
        this.#adopt(undefined);
        this.#standing.reset();
        this.#settle();
        return { isRevoked };
      })
      .catch((error: unknown) => {
        log.warn({ name, reason: describeError(error) }, "sign-in could not be ended");
        throw error;
      });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#timer);
    this.#listeners.clear();
    const renewal = this.#renewal?.catch(() => undefined);
    if (renewal) await untilAborted(renewal, startTimeout(CLOSE_TIMEOUT_MS)).catch(() => undefined);
    this.#closed.abort();
    this.#options.onClose?.();
  }

  /** @throws {ThvError} `SECRETS_LOCKED`, `SECRETS_FAILED`. */
  async #load(): Promise<void> {
    if (this.#isLoaded) return;
    if (this.#problem && this.#clocks.steady() < this.#loadAgainAt) throw this.#problem;
    const { store, name, server, log } = this.#options;
    try {
      const kept = await store.load(name);
      if (this.#isLoaded) return;
      this.#isLoaded = true;
      this.#problem = undefined;
      if (!kept) return;
      // A token goes to the server that it was made for, and to no other one that took its name.
      if (kept.grant.server === server.href) this.#adopt(kept.grant, kept.keptIn);
      else log.warn({ name }, "sign-in was for another address and is not used");
    } catch (error) {
      this.#loadAgainAt = this.#clocks.steady() + LOAD_AGAIN_MS;
      this.#problem = error instanceof ThvError ? error : this.#createError(describeError(error));
      throw this.#problem;
    }
  }

  /** A token whose time is over although it is new may still be good: its provider may count otherwise than it says. */
  get #isUsable(): boolean {
    if (this.#standing.isRefused) return false;
    return !this.#life?.hasEnded || (this.#grant?.tokens?.refresh !== undefined && this.#standing.isResting);
  }

  #state(): GrantState {
    const token = this.#grant?.tokens;
    if (!token) return this.#isAsked || this.#grant ? "unauthenticated" : "open";
    if (this.#grant?.missingScopes !== undefined || this.#problem?.code === "UNAUTHENTICATED") return "unauthenticated";
    if (this.#isUsable) return "valid";
    if (token.refresh === undefined) return "unauthenticated";
    return this.#standing.failures > 0 ? "renewing" : "valid";
  }

  async #renew(): Promise<void> {
    if (this.#renewal) return await this.#renewal;
    if (this.#problem && this.#standing.isWaiting) throw this.#problem;
    this.#renewal = this.#renewOnce().finally(() => {
      this.#renewal = undefined;
      this.#look();
    });
    await this.#renewal;
  }

  async #renewOnce(): Promise<void> {
    const { store, name, log } = this.#options;
    try {
      await store.withLock(name, () => this.#renewUnderLock());
    } catch (error) {
      if (this.#closed.signal.aborted) throw error;
      this.#standing.fail();
      this.#problem = createRenewalProblem(this.#grant, name, error);
      log.warn({ name, attempt: this.#standing.failures, reason: describeError(error) }, "renewal of sign-in failed");
      this.#announce();
      throw this.#problem;
    }
    // Not a failure of the renewal but its answer: no call gets a token any more.
    if (!this.#grant?.tokens) throw this.#createUnauthenticated();
  }

  async #renewUnderLock(): Promise<void> {
    const { store, name, send, log } = this.#options;
    const mine = this.#grant;
    if (!mine) return;
    // Another process may have renewed it, or signed out, while this one waited for its turn.
    const stored = await store.load(name).catch((error: unknown): KeptGrant => {
      // The store is locked meanwhile: this process continues with the grant in its memory, which is as good.
      log.warn({ name, reason: describeError(error) }, "stored sign-in cannot be read");
      return { grant: mine, keptIn: "memory" };
    });
    if (!stored && this.#keptIn === "secrets") {
      this.#isAsked = true;
      this.#adopt(undefined);
      this.#standing.reset();
      this.#settle();
      return;
    }
    if (stored && stored.grant.tokens?.access !== mine.tokens?.access && stored.grant.server === mine.server) {
      this.#adopt(stored.grant, stored.keptIn);
      this.#standing.renew();
      this.#settle();
      if (!stored.grant.tokens || !this.#life?.isDue || this.#standing.isResting) return;
    }
    const base = this.#grant;
    if (!base) return;
    const steadyAt = this.#clocks.steady();
    const renewed = await renewGrant(base, { signal: this.#closed.signal, send, now: this.#clocks.wall });
    // First saved, then used: the old refresh token may be good for nothing any more.
    await this.#save(renewed);
    this.#adopt(renewed, this.#keptIn, steadyAt);
    if (renewed.tokens) {
      this.#standing.renew();
      log.debug({ name }, "sign-in renewed");
    } else {
      this.#standing.reset();
      log.warn({ name, reason: renewed.endedBecause }, "sign-in has ended");
    }
    this.#settle();
  }

  /** The next sign-in asks for the scopes that a call lacked; calls that need less continue. */
  async #rememberScopes(scopes: readonly string[]): Promise<void> {
    const { store, name } = this.#options;
    await store.withLock(name, async () => {
      const grant = (await store.load(name))?.grant ?? this.#grant;
      if (!grant) return;
      const wider = addMissingScopes(grant, scopes);
      await this.#save(wider);
      this.#grant = wider;
    });
    this.#announce();
  }

  async #save(grant: Grant): Promise<void> {
    this.#keptIn = await this.#options.store.save(this.#options.name, grant);
  }

  #adopt(grant: Grant | undefined, keptIn: GrantPlace = this.#keptIn, steadyAt?: number): void {
    this.#isLoaded = true;
    this.#grant = grant;
    this.#keptIn = keptIn;
    this.#life = grant?.tokens && new TokenLife(grant.tokens, this.#clocks, steadyAt);
  }

  /** After a new grant or token: the earlier problem is over. */
  #settle(): void {
    this.#problem = undefined;
    this.#look();
    this.#announce();
  }

  /** Does what is due, and schedules the next check. */
  #look(): void {
    clearTimeout(this.#timer);
    if (this.#closed.signal.aborted) return;
    const token = this.#grant?.tokens;
    const { isRefused, isResting, isWaiting, msToNextChange } = this.#standing;
    const isDue = token !== undefined && (isRefused || (this.#life?.isDue === true && !isResting));
    if (isDue && token.refresh !== undefined && !isWaiting && !this.#renewal) {
      void this.#renew().catch(() => undefined);
    }
    if (!this.#isLoaded) void this.#loadLater();
    if (token && this.#keptIn === "memory" && this.#options.store.isDurable) void this.#keepLater();
    const state = this.#state();
    if (state !== this.#shownState) this.#announce();
    const next = [LOOK_EVERY_MS, this.#life?.msToNextChange ?? 0, msToNextChange].filter((ms) => ms > 0);
    this.#timer = setTimeout(() => this.#look(), Math.min(...next) + 5);
    this.#timer.unref();
  }

  /** Secrets that were locked may be open now. */
  async #loadLater(): Promise<void> {
    await this.#load().catch(() => undefined);
    if (this.#isLoaded) this.#announce();
  }

  /** The same, for a sign-in that could not be kept. */
  async #keepLater(): Promise<void> {
    const { store, name } = this.#options;
    const grant = this.#grant;
    if (!grant || this.#renewal) return;
    await store
      .withLock(name, async () => {
        if (this.#grant !== grant) return;
        await this.#save(grant);
        if (this.#keptIn === "secrets") this.#announce();
      })
      .catch(() => undefined);
  }

  #announce(): void {
    this.#shownState = this.#state();
    this.#listeners.notify();
  }

  #createUnauthenticated(): ThvError {
    const { name, server } = this.#options;
    if (this.#problem && this.#problem.code !== "ISSUER_UNAVAILABLE") return this.#problem;
    return this.#createError(explainMissingToken(this.#grant, name, server));
  }

  #createError(message: string): ThvError {
    return new ThvError("UNAUTHENTICATED", message, { hint: this.#options.signInHint });
  }
}
