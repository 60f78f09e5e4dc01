/**
 * Back-pressure from the server to its clients: while the server's stdin is full, no further bodies are read, so that
 * data waits in the clients' sockets and not in our memory.
 */

export interface BodyBudgetOptions {
  /** Bytes being received or waiting in the server's stdin above which further bodies wait. */
  readonly maxBytes: number;
  /** Bytes waiting in the server's stdin. */
  readonly backlogBytes: () => number;
}

interface Waiter {
  readonly bytes: number;
  readonly resolve: () => void;
}

export class BodyBudget {
  readonly #options: BodyBudgetOptions;
  readonly #waiters = new Set<Waiter>();
  #receivingBytes = 0;

  constructor(options: BodyBudgetOptions) {
    this.#options = options;
  }

  /** Bodies that wait to be read. */
  get waitingCount(): number {
    return this.#waiters.size;
  }

  /**
   * Reserves room for a body. Call `release` with the same number once the body is handed over.
   *
   * @param bytes Announced length, or a guess.
   * @returns `undefined` when there is room now, else a promise that resolves when there is.
   */
  acquire(bytes: number, onAbandon?: (abandon: () => void) => void): Promise<void> | undefined {
    if (this.#waiters.size === 0 && this.#hasRoom(bytes)) {
      this.#receivingBytes += bytes;
      return undefined;
    }
    return new Promise((resolve, reject) => {
      const waiter: Waiter = { bytes, resolve: resolve };
      this.#waiters.add(waiter);
      onAbandon?.(() => {
        if (this.#waiters.delete(waiter)) reject(new Error("the client went away while it waited"));
      });
    });
  }

  release(bytes: number): void {
    this.#receivingBytes -= bytes;
    this.drain();
  }

  /** Admits waiting bodies as far as there is room. Call it when the backlog has shrunk. */
  drain(): void {
    for (const waiter of this.#waiters) {
      if (!this.#hasRoom(waiter.bytes)) return;
      this.#waiters.delete(waiter);
      this.#receivingBytes += waiter.bytes;
      waiter.resolve();
    }
  }

  /** A body larger than the whole budget is admitted when nothing else is held. */
  #hasRoom(bytes: number): boolean {
    const used = this.#receivingBytes + this.#options.backlogBytes();
    return used === 0 || used + bytes <= this.#options.maxBytes;
  }
}
