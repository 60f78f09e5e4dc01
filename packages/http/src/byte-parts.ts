/**
 * Collects bytes that arrive in parts. Copies each byte at most twice, and stores tiny parts without overhead, because
 * a sender chooses how it cuts its data.
 */

/** Parts below are gathered; each kept part costs an object of about a hundred bytes. */
const SMALL_BYTES = 4 * 1024;
const BLOCK_BYTES = 64 * 1024;
const NOTHING = Buffer.alloc(0);

export class ByteParts {
  #parts: Buffer[] = [];
  #length = 0;
  /** Memory for small parts; from `#from` to `#to` is the newest one, which is no part yet, and what follows is free. */
  #block = NOTHING;
  #from = 0;
  #to = 0;

  get length(): number {
    return this.#length;
  }

  /** @param part Is kept and must not change. */
  add(part: Buffer): void {
    if (part.length === 0) return;
    const isFirst = this.#length === 0;
    this.#length += part.length;
    if (isFirst || part.length >= SMALL_BYTES) {
      this.#endSmall();
      this.#parts.push(part);
      return;
    }
    if (this.#block.length - this.#to < part.length) {
      this.#endSmall();
      // Whatever is short stays short: most lines in several parts are a few kilobytes.
      this.#block = Buffer.allocUnsafe(Math.min(BLOCK_BYTES, Math.max(SMALL_BYTES, this.#length)));
      this.#from = 0;
      this.#to = 0;
    }
    this.#to += part.copy(this.#block, this.#to);
  }

  /** @returns The bytes in one piece; afterwards there are none. */
  take(): Buffer {
    this.#endSmall();
    const [only] = this.#parts;
    const whole = this.#parts.length === 1 && only !== undefined ? only : Buffer.concat(this.#parts, this.#length);
    this.clear();
    return whole;
  }

  /** A copy of the first bytes. */
  first(count: number): Buffer {
    this.#endSmall();
    return Buffer.concat(this.#parts, Math.min(count, this.#length));
  }

  /** A copy of the last bytes. */
  last(count: number): Buffer {
    this.#endSmall();
    const found: Buffer[] = [];
    let missing = Math.min(count, this.#length);
    for (let index = this.#parts.length - 1; missing > 0; index--) {
      const part = this.#parts[index]?.subarray(-missing) ?? NOTHING;
      found.unshift(part);
      missing -= part.length;
    }
    return Buffer.concat(found);
  }

  clear(): void {
    this.#parts = [];
    this.#length = 0;
    this.#block = NOTHING;
    this.#from = 0;
    this.#to = 0;
  }

  #endSmall(): void {
    if (this.#to === this.#from) return;
    this.#parts.push(this.#block.subarray(this.#from, this.#to));
    this.#from = this.#to;
  }
}
