/** Work by key: one at a time for a key, some at a time in all, again after a mistake, later each time. */

const FIRST_RETRY_MS = 200;
const MAX_RETRY_MS = 60_000;
/** Milliseconds in which several reasons for one key become one piece of work. */
const GATHER_MS = 20;
/**
 * Milliseconds of work after which everything else has a turn. Thousands of objects that need no request would otherwise be
 * compared without a pause, in which the lease is not renewed and no probe is answered.
 */
const SLICE_MS = 20;

export interface WorkQueueOptions {
  readonly concurrency: number;
  /** @returns Milliseconds after which the key is worked on again without a reason; `undefined`: only for a reason. */
  readonly work: (key: string) => Promise<number | undefined>;
  readonly fail: (key: string, error: unknown, retryMs: number) => void;
}

export class WorkQueue {
  readonly #options: WorkQueueOptions;
  /** Timers of keys that wait for their time. */
  readonly #waiting = new Map<string, { readonly at: number; readonly timer: NodeJS.Timeout }>();
  readonly #ready = new Set<string>();
  readonly #working = new Set<string>();
  /** Keys with a new reason while they are worked on. */
  readonly #again = new Set<string>();
  readonly #failures = new Map<string, number>();
  #stopped = false;
  /** When everything else had a turn last. */
  #sliceBegan = 0;
  #isPausing = false;
  #idle: (() => void)[] = [];

  constructor(options: WorkQueueOptions) {
    this.#options = options;
  }

  /** Keys that are to be worked on now or in `delayMs`. */
  add(key: string, delayMs = GATHER_MS): void {
    if (this.#stopped || this.#ready.has(key)) return;
    if (this.#working.has(key)) {
      this.#again.add(key);
      return;
    }
    const at = Date.now() + delayMs;
    const waiting = this.#waiting.get(key);
    if (waiting !== undefined && waiting.at <= at) return;
    clearTimeout(waiting?.timer);
    const timer = setTimeout(() => {
      this.#waiting.delete(key);
      this.#ready.add(key);
      this.#next();
    }, delayMs);
    this.#waiting.set(key, { at, timer });
  }

  /** Forgets a key; work on it that is under way is not repeated. */
  forget(key: string): void {
    clearTimeout(this.#waiting.get(key)?.timer);
    this.#waiting.delete(key);
    this.#ready.delete(key);
    this.#again.delete(key);
    this.#failures.delete(key);
  }

  /** Pieces of work that are begun or due. */
  get length(): number {
    const soon = Date.now() + GATHER_MS;
    const due = [...this.#waiting.values()].filter(({ at }) => at <= soon);
    return due.length + this.#ready.size + this.#working.size;
  }

  /** Begins no more work. @returns When the work under way has ended. */
  async stop(): Promise<void> {
    this.#stopped = true;
    for (const { timer } of this.#waiting.values()) clearTimeout(timer);
    this.#waiting.clear();
    this.#ready.clear();
    if (this.#working.size === 0) return;
    await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  #next(): void {
    for (const key of this.#ready) {
      if (this.#isPausing || this.#working.size >= this.#options.concurrency) return;
      if (performance.now() - this.#sliceBegan > SLICE_MS) {
        this.#pause();
        return;
      }
      this.#ready.delete(key);
      this.#working.add(key);
      void this.#run(key);
    }
  }

  #pause(): void {
    this.#isPausing = true;
    setImmediate(() => {
      this.#isPausing = false;
      this.#sliceBegan = performance.now();
      this.#next();
    });
  }

  async #run(key: string): Promise<void> {
    let again: number | undefined;
    try {
      again = await this.#options.work(key);
      this.#failures.delete(key);
    } catch (error) {
      const failures = (this.#failures.get(key) ?? 0) + 1;
      this.#failures.set(key, failures);
      again = Math.min(FIRST_RETRY_MS * 2 ** (failures - 1), MAX_RETRY_MS) * (0.75 + Math.random() / 2);
      if (!this.#stopped) this.#options.fail(key, error, again);
      // A reason that arrived meanwhile does not make the failed work succeed earlier.
      this.#again.delete(key);
    }
    this.#working.delete(key);
    if (this.#again.delete(key)) this.add(key);
    else if (again !== undefined) this.add(key, again);
    if (this.#stopped && this.#working.size === 0) for (const resolve of this.#idle.splice(0)) resolve();
    this.#next();
  }
}
