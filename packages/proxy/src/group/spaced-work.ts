/**
 * Work that is asked for again and again, and needs to be done once for all that have asked: at once when it was not done a moment
 * ago, else after that moment, or as soon as somebody needs its result.
 */
export class SpacedWork {
  readonly #run: () => void;
  readonly #spaceMs: number;
  readonly #now: () => number;
  #doneAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  /** @param now Milliseconds, monotonic. */
  constructor(run: () => void, spaceMs: number, now: () => number) {
    this.#run = run;
    this.#spaceMs = spaceMs;
    this.#now = now;
  }

  request(): void {
    if (this.#timer !== undefined) return;
    const restMs = this.#doneAt + this.#spaceMs - this.#now();
    if (restMs <= 0) this.#do();
    else this.#timer = setTimeout(() => this.#do(), restMs).unref();
  }

  /** Does now what was asked for and waits. */
  settle(): void {
    if (this.#timer !== undefined) this.#do();
  }

  /** What waits is not done any more. */
  cancel(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #do(): void {
    this.cancel();
    this.#run();
    this.#doneAt = this.#now();
  }
}
