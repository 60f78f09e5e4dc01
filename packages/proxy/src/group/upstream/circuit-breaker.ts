/** Keeps requests away from a server that fails: after some failures in a row it is tried again only now and then. */

export interface CircuitBreakerOptions {
  /** Failures in a row that open it. */
  readonly maxFailures: number;
  readonly firstPauseMs: number;
  readonly maxPauseMs: number;
  /** Milliseconds, monotonic. */
  readonly now: () => number;
}

export class CircuitBreaker {
  readonly #options: CircuitBreakerOptions;
  #failures = 0;
  #reason = "";
  #openUntil = Number.NEGATIVE_INFINITY;

  constructor(options: CircuitBreakerOptions) {
    this.#options = options;
  }

  /** Why the last request failed; `undefined` while all is well. */
  get problem(): string | undefined {
    return this.#failures === 0 ? undefined : this.#reason;
  }

  /** @returns Why a request must not go out now; a call that returns `undefined` admits the request that tries again. */
  refuse(): string | undefined {
    const { maxFailures, now } = this.#options;
    if (this.#failures < maxFailures) return undefined;
    const at = now();
    if (at < this.#openUntil) return this.#reason;
    // Until it has answered, the others keep away.
    this.#openUntil = at + this.#pauseMs();
    return undefined;
  }

  succeed(): void {
    this.#failures = 0;
  }

  fail(reason: string): void {
    this.#failures += 1;
    this.#reason = reason;
    this.#openUntil = this.#options.now() + this.#pauseMs();
  }

  #pauseMs(): number {
    const { maxFailures, firstPauseMs, maxPauseMs } = this.#options;
    const doublings = Math.min(Math.max(0, this.#failures - maxFailures), 30);
    return Math.min(maxPauseMs, firstPauseMs * 2 ** doublings);
  }
}
