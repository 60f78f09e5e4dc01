/**
 * The life of one supervisor process in a test. What a killed process has not done yet never happens: each of its calls to
 * the outside goes through here and, once it is dead, never settles.
 */

/** Whether the call during which the process is killed has reached the outside. */
export type DeathMoment = "before" | "after";

export class Life {
  #steps = 0;
  #deathAt = Number.POSITIVE_INFINITY;
  #moment: DeathMoment = "before";
  #isDead = false;
  readonly #onDeath: (() => void)[] = [];

  get isDead(): boolean {
    return this.#isDead;
  }

  /** Calls to the outside so far. */
  get steps(): number {
    return this.#steps;
  }

  /** Kills it during the call with this number, counted from 1 over its whole life. */
  dieAt(step: number, moment: DeathMoment): void {
    this.#deathAt = step;
    this.#moment = moment;
  }

  /** Calls back once it is dead; right after this when it already is. */
  onDeath(listener: () => void): void {
    if (this.#isDead) queueMicrotask(listener);
    else this.#onDeath.push(listener);
  }

  kill(): void {
    if (this.#isDead) return;
    this.#isDead = true;
    for (const listener of this.#onDeath) listener();
  }

  async step<T>(call: () => Promise<T>): Promise<T> {
    if (this.#isDead) return await never();
    this.#steps += 1;
    const step = this.#steps;
    const isLast = () => step === this.#deathAt;
    if (isLast() && this.#moment === "before") this.kill();
    if (this.#isDead) return await never();
    try {
      return await call();
    } finally {
      if (isLast()) this.kill();
      if (this.#isDead) await never();
    }
  }
}

function never(): Promise<never> {
  return new Promise(() => undefined);
}
