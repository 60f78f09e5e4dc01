/** Functions that are called when something has changed. */
export class Listeners {
  readonly #all = new Set<() => void>();

  get size(): number {
    return this.#all.size;
  }

  /** @returns Removes the listener. */
  add(listener: () => void): () => void {
    this.#all.add(listener);
    return () => this.#all.delete(listener);
  }

  /** Calls those who listen now, also when one of them adds or removes listeners meanwhile. */
  notify(): void {
    for (const listener of [...this.#all]) listener();
  }

  clear(): void {
    this.#all.clear();
  }
}
