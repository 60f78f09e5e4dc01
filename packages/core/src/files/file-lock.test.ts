import { existsSync } from "node:fs";
import { mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { withFileLock } from "./file-lock.ts";

const onTimeout = (lock: string) => new Error(`no turn: ${lock}`);
/** Larger than any process id. */
const NOBODY = 2 ** 30;

let directory: string;
let path: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "file-lock-"));
  path = join(directory, "deep", "file");
});
afterEach(async () => {
  await rm(directory, { recursive: true });
});

test("work under one lock never overlaps", async () => {
  let inside = 0;
  let most = 0;
  const work = async () => {
    inside += 1;
    most = Math.max(most, inside);
    await new Promise((resolve) => setImmediate(resolve));
    inside -= 1;
  };

  await Promise.all(Array.from({ length: 20 }, () => withFileLock(path, { onTimeout }, work)));

  expect(most).toBe(1);
  expect(existsSync(`${path}.lock`)).toBe(false);
});

test("the lock is given back when the work fails", async () => {
  const failing = withFileLock(path, { onTimeout }, async () => {
    throw new Error("broken");
  });

  await expect(failing).rejects.toThrow("broken");
  expect(await withFileLock(path, { onTimeout }, async () => "next")).toBe("next");
});

test("a caller that gets no turn in time receives an error that names the lock's file", async () => {
  await withFileLock(path, { onTimeout }, async () => {
    const second = withFileLock(path, { onTimeout, timeoutMs: 30 }, async () => "never");
    await expect(second).rejects.toThrow(`no turn: ${path}.lock`);
  });
});

test.each([
  ["whose process has ended", String(NOBODY), 0],
  ["that is older than any work", String(process.pid), 60],
])("a lock %s is taken over by exactly one at a time", async (_what, holder, ageSeconds) => {
  const target = join(directory, "file");
  await writeFile(`${target}.lock`, holder);
  const then = Date.now() / 1000 - ageSeconds;
  await utimes(`${target}.lock`, then, then);
  let inside = 0;
  let most = 0;

  await Promise.all(
    Array.from({ length: 10 }, () =>
      withFileLock(target, { onTimeout }, async () => {
        inside += 1;
        most = Math.max(most, inside);
        await new Promise((resolve) => setImmediate(resolve));
        inside -= 1;
      }),
    ),
  );

  expect(most).toBe(1);
});
