/** Requests a second by address: a bucket per address that fills at a steady rate. Addresses live in memory only. */

export interface RateLimit {
  /** Requests that may arrive at once. */
  readonly burst: number;
  /** Requests a second in the long run. */
  readonly perSecond: number;
}

/** Typing is under 20 keystrokes a second; an office behind one address stays below this. */
export const DEFAULT_RATE_LIMIT: RateLimit = { burst: 300, perSecond: 60 };

/** Addresses remembered; the least recently seen are forgotten first, which only ever forgives. */
const MAX_ADDRESSES = 10_000;

export class RateLimiter {
  readonly #limit: RateLimit;
  readonly #now: () => number;
  readonly #buckets = new Map<string, { level: number; at: number }>();

  /** @param now Milliseconds, monotonic. */
  constructor(limit: RateLimit, now: () => number) {
    this.#limit = limit;
    this.#now = now;
  }

  /**
   * Counts requests of an address.
   *
   * @param cost Searches in the request. Default 1.
   * @returns 0 when they may pass, otherwise the seconds to wait, rounded up.
   */
  take(address: string, cost = 1): number {
    const { burst, perSecond } = this.#limit;
    const key = groupAddress(address);
    const now = this.#now();
    const bucket = this.#buckets.get(key) ?? { level: burst, at: now };
    const level = Math.min(burst, bucket.level + ((now - bucket.at) / 1000) * perSecond);
    this.#buckets.delete(key);
    if (this.#buckets.size >= MAX_ADDRESSES) {
      for (const oldest of this.#buckets.keys()) {
        this.#buckets.delete(oldest);
        break;
      }
    }
    // One request may cost more than a bucket holds: it needs a full one, and leaves a debt that fills up first.
    const needed = Math.min(cost, burst);
    const isAllowed = level >= needed;
    this.#buckets.set(key, { level: isAllowed ? level - cost : level, at: now });
    return isAllowed ? 0 : Math.max(1, Math.ceil((needed - level) / perSecond));
  }
}

/** One household or host has a whole IPv6 /64. */
function groupAddress(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/, "");
  if (!plain.includes(":")) return plain;
  const [head = "", tail = ""] = plain.split("::");
  const left = head.split(":").filter(Boolean);
  const right = tail.split(":").filter(Boolean);
  const groups = plain.includes("::")
    ? [...left, ...Array(Math.max(0, 8 - left.length - right.length)).fill("0"), ...right]
    : left;
  return groups.slice(0, 4).join(":");
}
