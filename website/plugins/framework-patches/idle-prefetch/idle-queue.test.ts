import { describe, expect, test } from "vitest";
import { createIdleQueue } from "./client/idle-queue.ts";

/** An idle moment comes when the test says so. */
function manualIdle() {
  const waiting: (() => void)[] = [];
  return {
    whenIdle: (work: () => void) => void waiting.push(work),
    async nextMoment(): Promise<void> {
      waiting.shift()?.();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

describe("the idle queue", () => {
  test("does one job in an idle moment, in the order they came", async () => {
    const idle = manualIdle();
    const queue = createIdleQueue(idle.whenIdle);
    const done: string[] = [];

    for (const name of ["a", "b"]) void queue.add(name, async () => void done.push(name));

    expect(done).toEqual([]);
    await idle.nextMoment();
    expect(done).toEqual(["a"]);
    await idle.nextMoment();
    expect(done).toEqual(["a", "b"]);
  });

  test("does a job once, however often it is added", async () => {
    const idle = manualIdle();
    const queue = createIdleQueue(idle.whenIdle);
    let runs = 0;
    const job = async () => void runs++;

    void queue.add("a", job);
    await idle.nextMoment();
    void queue.add("a", job);
    await idle.nextMoment();

    expect(runs).toBe(1);
  });

  test("goes on after a job that failed, and when jobs come after it was empty", async () => {
    const idle = manualIdle();
    const queue = createIdleQueue(idle.whenIdle);
    const done: string[] = [];
    void queue.add("broken", () => Promise.reject(new Error("offline")));
    await idle.nextMoment();

    void queue.add("later", async () => void done.push("later"));
    await idle.nextMoment();

    expect(done).toEqual(["later"]);
  });
});
