/** A value that is made again only when something that it is made from is another one. */
export class Remembered<Value> {
  #last: { readonly sources: readonly unknown[]; readonly value: Value } | undefined;

  /**
   * @param sources All that the value depends on. Objects among them are compared by identity: of one that may change, what it
   *   holds is given.
   */
  get(sources: readonly unknown[], make: () => Value): Value {
    if (this.#last !== undefined && isSame(this.#last.sources, sources)) return this.#last.value;
    const value = make();
    this.#last = { sources, value };
    return value;
  }
}

function isSame(left: readonly unknown[], right: readonly unknown[]): boolean {
  if (left.length !== right.length) return false;
  for (let index = 0; index < left.length; index += 1) if (left[index] !== right[index]) return false;
  return true;
}
