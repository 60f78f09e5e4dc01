/**
 * The server's verdict on the token in use, and when the next renewal may begin:
 *
 *     untried      the token comes from a sign-in, from the store, or from a renewal that nobody asked for
 *     accepted     the server answered a call with it
 *     refused      the server answered 401: the token is renewed now and is not sent any more
 *     replacement  the token replaced a refused one, and no call was answered yet
 *     useless      the server refused the replacement, too; it stays in use, because another call may be answered
 *
 *     untried, accepted     -- 401 -->             refused
 *     replacement, useless  -- 401 within 30 s of the token --> useless, and later: refused
 *     refused               -- a new token -->     replacement
 *     untried, replacement, useless -- an answer --> accepted
 *     each                  -- a sign-in -->       untried
 *
 * The 30 s become twice as long, up to ten minutes, each time that a useless token was replaced and no call was answered since.
 * However often the server refuses tokens that it accepted before, no more than ten renewals begin within 30 s. A renewal that no
 * refusal asked for begins 30 s after the last token at the earliest; one that failed is tried again after a growing time.
 */
import { computeBackoffMs } from "../support/backoff.ts";
import type { Clocks } from "./token-life.ts";

const RETRY = { firstMs: 1_000, maxMs: 60_000 };
/** Milliseconds between a token and a renewal that no refusal asks for. */
const REST_MS = 30_000;
/** Milliseconds in which the refusal of a replacement says that another token is as bad; twice as long after each one that was. */
const TRIAL_MS = 30_000;
const MAX_TRIAL_MS = 10 * 60_000;
/** Renewals that refusals may ask for within the time of a trial. */
const MAX_REFUSALS = 10;

type Standing = "untried" | "accepted" | "refused" | "replacement" | "useless";

export class TokenStanding {
  readonly #clocks: Clocks;
  readonly #restMs: number;
  #standing: Standing = "untried";
  #failures = 0;
  #trialMs = TRIAL_MS;
  /** These three by the steady clock. */
  #retryAt = Number.NEGATIVE_INFINITY;
  #gotAt = Number.NEGATIVE_INFINITY;
  #refusedAt: readonly number[] = [];

  /** @param restMs Only tests make it shorter. */
  constructor(clocks: Clocks, restMs = REST_MS) {
    this.#clocks = clocks;
    this.#restMs = restMs;
  }

  get isRefused(): boolean {
    return this.#standing === "refused";
  }

  /** How many renewals failed since the last token. */
  get failures(): number {
    return this.#failures;
  }

  /** Whether the last renewal failed so short a time ago that the next one waits. */
  get isWaiting(): boolean {
    return this.#clocks.steady() < this.#retryAt;
  }

  /** Whether the token is so new that only a refusal begins a renewal. */
  get isResting(): boolean {
    return this.#clocks.steady() < this.#gotAt + this.#restMs;
  }

  /** Milliseconds until one of the two above ends; 0 when neither holds. */
  get msToNextChange(): number {
    const now = this.#clocks.steady();
    const waits = [this.#retryAt, this.#gotAt + this.#restMs].map((at) => at - now).filter((ms) => ms > 0);
    return waits.length === 0 ? 0 : Math.min(...waits);
  }

  /** The server answered 401. @returns Whether another token may help. */
  refuse(): boolean {
    if (this.#standing === "refused") return true;
    const now = this.#clocks.steady();
    this.#refusedAt = this.#refusedAt.filter((at) => now - at < TRIAL_MS);
    const isTried = this.#standing === "replacement" || this.#standing === "useless";
    if ((isTried && now - this.#gotAt < this.#trialMs) || this.#refusedAt.length >= MAX_REFUSALS) {
      this.#standing = "useless";
      return false;
    }
    if (isTried) this.#trialMs = Math.min(this.#trialMs * 2, MAX_TRIAL_MS);
    this.#refusedAt = [...this.#refusedAt, now];
    this.#standing = "refused";
    return true;
  }

  /** The server answered 401, and nothing can renew the token. */
  end(): void {
    this.#standing = "refused";
  }

  /** The server answered a call. @returns Whether that is news after a refusal. */
  accept(): boolean {
    const wasUseless = this.#standing === "useless";
    if (this.#standing !== "refused") this.#standing = "accepted";
    this.#trialMs = TRIAL_MS;
    return wasUseless;
  }

  /** A renewal brought another token, here or in another process. */
  renew(): void {
    this.#standing = this.#standing === "refused" ? "replacement" : "untried";
    this.#start();
  }

  /** A sign-in replaced the token, or the token was removed. */
  reset(): void {
    this.#standing = "untried";
    this.#trialMs = TRIAL_MS;
    this.#start();
  }

  /** A renewal failed. */
  fail(): void {
    this.#failures += 1;
    const waitMs = computeBackoffMs(this.#failures, RETRY) * (0.75 + this.#clocks.random() / 2);
    this.#retryAt = this.#clocks.steady() + waitMs;
  }

  /** The next renewal need not wait for the last failure. */
  hasten(): void {
    this.#retryAt = Number.NEGATIVE_INFINITY;
  }

  #start(): void {
    this.#failures = 0;
    this.#retryAt = Number.NEGATIVE_INFINITY;
    this.#gotAt = this.#clocks.steady();
  }
}
