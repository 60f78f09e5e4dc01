/**
 * How long an access token lasts, by two clocks. The wall clock may be moved, and the other one stops while the machine sleeps: a
 * token is renewed when it is due by either, and given up only when it has ended by both.
 */
import type { GrantTokens } from "./protocol/grant.ts";

/** Milliseconds before its end at which a token is renewed; shorter ones half way. */
const RENEW_BEFORE_MS = 60_000;
/** Milliseconds by which renewals are spread, so that many grants of one moment are not renewed at one moment. */
const MAX_JITTER_MS = 30_000;

/** Milliseconds. */
export interface Clocks {
  /** Since 1970. */
  readonly wall: () => number;
  /** Never moved. */
  readonly steady: () => number;
  /** 0 to 1. */
  readonly random: () => number;
}

export const SYSTEM_CLOCKS: Clocks = {
  wall: () => Date.now(),
  steady: () => performance.now(),
  random: () => Math.random(),
};

export class TokenLife {
  readonly #clocks: Clocks;
  readonly #lastsMs: number;
  readonly #renewAfterMs: number;
  readonly #obtainedWall: number;
  readonly #obtainedSteady: number;
  /** The clock was moved back since the token was stored, so that its age is unknown. */
  readonly #isAgeUnknown: boolean;

  /** @param steadyAt When the token was asked for, by the steady clock; absent for one that was stored. */
  constructor({ obtainedAt, lastsSeconds }: GrantTokens, clocks: Clocks, steadyAt?: number) {
    this.#clocks = clocks;
    // Some providers write 0 where they do not say.
    this.#lastsMs = lastsSeconds === undefined || lastsSeconds <= 0 ? Number.POSITIVE_INFINITY : lastsSeconds * 1000;
    this.#obtainedWall = Date.parse(obtainedAt);
    const age = clocks.wall() - this.#obtainedWall;
    this.#isAgeUnknown = steadyAt === undefined && age < 0;
    this.#obtainedSteady = steadyAt ?? clocks.steady() - Math.max(0, age);
    const isShort = this.#lastsMs <= 2 * RENEW_BEFORE_MS;
    const margin = isShort ? this.#lastsMs / 2 : RENEW_BEFORE_MS;
    const jitter = Math.min(this.#lastsMs * 0.1, MAX_JITTER_MS) * clocks.random();
    this.#renewAfterMs = this.#lastsMs === Number.POSITIVE_INFINITY ? this.#lastsMs : this.#lastsMs - margin - jitter;
  }

  /** By the wall clock; absent when no lifetime was given. */
  get endsAt(): Date | undefined {
    return Number.isFinite(this.#lastsMs) ? new Date(this.#obtainedWall + this.#lastsMs) : undefined;
  }

  /** Whether it is time to renew the token. */
  get isDue(): boolean {
    return this.#isAgeUnknown || Math.max(...this.#ages) >= this.#renewAfterMs;
  }

  /** Whether one clock says that it has ended and the other one does not. */
  get isDoubtful(): boolean {
    return !this.hasEnded && (this.#isAgeUnknown || Math.max(...this.#ages) >= this.#lastsMs);
  }

  get hasEnded(): boolean {
    return Math.min(...this.#ages) >= this.#lastsMs;
  }

  /** Milliseconds until one of the answers above may change; 0 when all have. */
  get msToNextChange(): number {
    const age = Math.max(...this.#ages);
    const next = [this.#renewAfterMs, this.#lastsMs].find((at) => at > age);
    return next === undefined ? 0 : next - age;
  }

  get #ages(): readonly [wall: number, steady: number] {
    return [this.#clocks.wall() - this.#obtainedWall, this.#clocks.steady() - this.#obtainedSteady];
  }
}
