/** A list of unsigned 32-bit numbers that grows by doubling; half the memory and none of the boxes of a plain array. */
export class GrowingUint32 {
  #values: Uint32Array;
  #length = 0;

  constructor(capacity = 1024) {
    this.#values = new Uint32Array(capacity);
  }

  get length(): number {
    return this.#length;
  }

  push(value: number): void {
    if (this.#length === this.#values.length) {
      const larger = new Uint32Array(this.#values.length * 2);
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values[this.#length++] = value;
  }

  /** The values so far; shares memory with the list. */
  view(): Uint32Array {
    return this.#values.subarray(0, this.#length);
  }
}
