interface Entry<Value> {
  readonly value: Value;
  /** Whether it was asked for since it was last moved. */
  isUsed: boolean;
}

/**
 * Remembers recently used values up to a total cost. What was asked for is moved behind the others when it would be forgotten
 * and not when it is asked for: an answer asks for some hundred texts and forgets none.
 */
export class BoundedCache<Value extends { readonly cost: number }> {
  readonly #entries = new Map<string, Entry<Value>>();
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
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    entry.isUsed = true;
    return entry.value;
  }

  set(key: string, value: Value): void {
    this.#remove(key);
    const cost = value.cost + key.length * 2;
    if (cost > this.#maxCost / 4) return;
    this.#entries.set(key, { value, isUsed: false });
    this.#cost += cost;
    for (const [oldest, entry] of this.#entries) {
      if (this.#cost <= this.#maxCost) break;
      if (entry.isUsed) {
        entry.isUsed = false;
        this.#entries.delete(oldest);
        this.#entries.set(oldest, entry);
      } else this.#remove(oldest);
    }
  }

  clear(): void {
    this.#entries.clear();
    this.#cost = 0;
  }

  #remove(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#cost -= entry.value.cost + key.length * 2;
  }
}
