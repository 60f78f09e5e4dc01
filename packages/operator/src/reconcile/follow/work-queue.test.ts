import { expect, test, vi } from "vitest";
import { WorkQueue } from "./work-queue.ts";

test("works on one key once at a time, and once more for what came meanwhile", async () => {
  const ends: (() => void)[] = [];
  const work = vi.fn(() => new Promise<undefined>((resolve) => ends.push(() => resolve(undefined))));
  const queue = new WorkQueue({ concurrency: 4, work, fail: () => undefined });
  queue.add("a", 0);
  queue.add("a", 0);
  await expect.poll(() => work.mock.calls.length).toBe(1);
  queue.add("a");
  queue.add("a");
  ends.shift()?.();
  await expect.poll(() => work.mock.calls.length).toBe(2);
  ends.shift()?.();
  await expect.poll(() => queue.length).toBe(0);
  expect(work).toHaveBeenCalledTimes(2);
  await queue.stop();
});

test("never works on more keys than it may", async () => {
  let now = 0;
  let most = 0;
  const work = async () => {
    now += 1;
    most = Math.max(most, now);
    await new Promise((resolve) => setImmediate(resolve));
    now -= 1;
    return undefined;
  };
  const queue = new WorkQueue({ concurrency: 3, work, fail: () => undefined });
  for (let key = 0; key < 50; key += 1) queue.add(String(key), 0);
  await expect.poll(() => queue.length).toBe(0);
  expect(most).toBe(3);
  await queue.stop();
});

test("tries again what failed, later each time, and ends when it is stopped", async () => {
  const retries: number[] = [];
  const queue = new WorkQueue({
    concurrency: 1,
    work: async () => {
      throw new Error("no");
    },
    fail: (_key, _error, retryMs) => retries.push(retryMs),
  });
  queue.add("a", 0);
  await expect.poll(() => retries.length).toBe(3);
  await queue.stop();
  expect(retries.every((retry, index) => retry >= 150 * 2 ** index && retry <= 250 * 2 ** index)).toBe(true);
});

test("gives everything else a turn while thousands of keys need no request", async () => {
  const worked: number[] = [];
  const queue = new WorkQueue({
    concurrency: 8,
    work: async () => {
      const end = performance.now() + 1;
      while (performance.now() < end);
      worked.push(performance.now());
      return undefined;
    },
    fail: () => undefined,
  });
  let turns = 0;
  const count = () => {
    if (worked.length > 0) turns += 1;
    if (worked.length < 300) setImmediate(count);
  };
  setImmediate(count);
  for (let key = 0; key < 300; key += 1) queue.add(String(key), 0);
  await expect.poll(() => queue.length).toBe(0);

  expect(turns).toBeGreaterThan(3);
  await queue.stop();
});
