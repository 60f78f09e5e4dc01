/** Remembers the most recently used values up to a total cost. */
export class BoundedCache<Value extends { readonly cost: number }> {
  readonly #entries = new Map<string, Value>();
  readonly #maxCost: number;
  #cost = 0;

  /** @param maxCost In the unit of the values' `cost`, bytes as a rule. 0 remembers nothing. */
  constructor(maxCost: number) {
    this.#maxCost = maxCost;
  }

  get size(): number {
    return this.#entries.size;
  }

  get cost(): number {
    return this.#cost;
  }

  get(key: string): Value | undefined {
    const value = this.#entries.get(key);
    if (value === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, value);
    return value;
  }

  set(key: string, value: Value): void {
    this.#remove(key);
    const cost = value.cost + key.length * 2;
    if (cost > this.#maxCost / 4) return;
    this.#entries.set(key, value);
    this.#cost += cost;
    for (const oldest of this.#entries.keys()) {
      if (this.#cost <= this.#maxCost) break;
      this.#remove(oldest);
    }
  }

  clear(): void {
    this.#entries.clear();
    this.#cost = 0;
  }

  #remove(key: string): void {
    const value = this.#entries.get(key);
    if (value === undefined) return;
    this.#entries.delete(key);
    this.#cost -= value.cost + key.length * 2;
  }
}
