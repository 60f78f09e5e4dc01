/**
 * Back-pressure from the server to its clients: while the server's stdin is full, no further bodies are read, so that
 * the waiting is done in the clients' sockets and not in our memory.
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
   * Asks to read a body. Whoever enters calls `leave` with the same number when the body was handed on.
   *
   * @param bytes Announced length, or a guess.
   * @returns `undefined` when it may be read now, else a promise for that moment.
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

  /** Lets in whom there is room for; to be called when the backlog has shrunk. */
  drain(): void {
    for (const waiter of this.#waiters) {
      if (!this.#hasRoom(waiter.bytes)) return;
      this.#waiters.delete(waiter);
      this.#receivingBytes += waiter.bytes;
      waiter.resolve();
    }
  }

  /** A body larger than everything allowed gets its turn when it is alone. */
  #hasRoom(bytes: number): boolean {
    const used = this.#receivingBytes + this.#options.backlogBytes();
    return used === 0 || used + bytes <= this.#options.maxBytes;
  }
}
