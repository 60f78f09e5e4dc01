import { describe, expect, test } from "vitest";
import { BoundedCache } from "../support/bounded-cache.ts";
import { RateLimiter } from "./rate-limiter.ts";

describe("RateLimiter", () => {
  test("a bucket empties, says how long to wait, and fills again", () => {
    let now = 0;
    const limiter = new RateLimiter({ burst: 10, perSecond: 2 }, () => now);
    const taken = Array.from({ length: 11 }, () => limiter.take("10.0.0.1"));
    now = 500;
    const later = limiter.take("10.0.0.1");

    expect(taken).toEqual([...Array(10).fill(0), 1]);
    expect(later).toBe(0);
  });

  test("addresses have buckets of their own; a /64 and an IPv4 in IPv6 form share one", () => {
    const limiter = new RateLimiter({ burst: 1, perSecond: 1 }, () => 0);
    const take = (address: string): boolean => limiter.take(address) === 0;

    expect([take("10.0.0.1"), take("10.0.0.2"), take("::ffff:10.0.0.1")]).toEqual([true, true, false]);
    expect([take("2001:db8::1"), take("2001:db8:0:0:ffff::2"), take("2001:db8:0:1::1")]).toEqual([true, false, true]);
    expect([take("::1"), take("::1")]).toEqual([true, false]);
  });

  test("a request that costs more than the bucket holds passes when it is full, and its whole cost is paid", () => {
    let now = 0;
    const limiter = new RateLimiter({ burst: 10, perSecond: 10 }, () => now);
    const first = limiter.take("a", 50);
    const second = limiter.take("a", 50);
    now = 4_900;
    const early = limiter.take("a", 50);
    now = 5_000;

    expect([first, second, early, limiter.take("a", 50)]).toEqual([0, 5, 1, 0]);
  });

  test("many addresses do not make it forget the limit of the latest", () => {
    const limiter = new RateLimiter({ burst: 1, perSecond: 0.001 }, () => 0);
    for (let at = 0; at < 30_000; at++) limiter.take(`10.${at >> 16}.${(at >> 8) & 255}.${at & 255}`);

    expect(limiter.take("10.0.117.47")).toBeGreaterThan(0);
    expect(limiter.take("10.0.0.0")).toBe(0);
  });
});

describe("BoundedCache", () => {
  const value = (cost: number) => ({ cost });

  test("forgets what was used longest ago when the cost is reached", () => {
    const cache = new BoundedCache<{ cost: number }>(1_000);
    for (const key of ["a", "b", "c", "d"]) cache.set(key, value(240));
    cache.get("a");
    cache.set("e", value(240));

    expect(["a", "b", "c", "d", "e"].filter((key) => cache.get(key) !== undefined)).toEqual(["a", "c", "d", "e"]);
    expect(cache.cost).toBeLessThanOrEqual(1_000);
  });

  test("does not keep a value that would push out most others, and nothing at a size of 0", () => {
    const cache = new BoundedCache<{ cost: number }>(1_000);
    const none = new BoundedCache<{ cost: number }>(0);
    cache.set("large", value(600));
    none.set("small", value(1));

    expect([cache.size, none.size]).toEqual([0, 0]);
  });
});
