/** A file that follows what is in memory, also over writes that fail. */
import { expect, test } from "vitest";
import { FakeTime } from "../testing/fake-time.ts";
import { KeptWrite } from "./kept-write.ts";

function open(failures: Error[]) {
  const told: string[] = [];
  const changes: (string | undefined)[] = [];
  let value = 0;
  let written = 0;
  const file: KeptWrite = new KeptWrite({
    write: async () => {
      const failure = failures.shift();
      if (failure) throw failure;
      written = value;
    },
    onFailed: (reason) => told.push(reason),
    onChange: () => changes.push(file.unsavedReason),
  });
  return {
    file,
    told,
    changes,
    set: (next: number) => {
      value = next;
      return file.save();
    },
    read: () => written,
  };
}

test("a write that fails is tried again each second, with what is in memory then, and reported once", async () => {
  using time = new FakeTime();
  const kept = open([new Error("full"), new Error("full"), new Error("still full")]);
  await kept.set(1);
  await kept.set(2);
  expect([kept.read(), kept.file.unsavedReason]).toEqual([0, "full"]);

  await time.advance(1_000);
  expect(kept.file.unsavedReason).toBe("still full");
  await time.advance(1_000);

  expect([kept.read(), kept.file.unsavedReason, kept.told]).toEqual([2, undefined, ["full"]]);
  expect(kept.changes).toEqual(["full", undefined]);
});

test("a failed write is reported to its caller, and retried all the same", async () => {
  using time = new FakeTime();
  const kept = open([new Error("full")]);

  await expect(kept.file.saveNow()).rejects.toThrow("full");
  expect(kept.told).toEqual([]);
  await time.advance(1_000);

  expect(kept.file.unsavedReason).toBeUndefined();
});

test("nothing is written any more once it is closed", async () => {
  using time = new FakeTime();
  const kept = open([new Error("full")]);
  await kept.set(1);
  await kept.file.close();

  await time.advance(5_000);
  await kept.set(2);

  expect(kept.read()).toBe(0);
});
