import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createNewFile } from "./create-new-file.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "new-file-"));
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

test("of many that create a file at once, one does", async () => {
  const path = join(folder, "lock");

  const results = await Promise.all(Array.from({ length: 20 }, (_, index) => createNewFile(path, `${index}`)));

  expect(results.filter(Boolean)).toHaveLength(1);
  expect(await readFile(path, "utf8")).toBe(String(results.indexOf(true)));
  if (process.platform !== "win32") expect((await stat(path)).mode & 0o777).toBe(0o600);
});

test("one that cannot be written is not there (a text that is none stands for a full disk)", async () => {
  await expect(createNewFile(join(folder, "lock"), {} as string)).rejects.toThrow();

  expect(await readdir(folder)).toEqual([]);
});

test("one that cannot be created is an error that names it", async () => {
  const path = join(folder, "absent", "lock");

  await expect(createNewFile(path, "")).rejects.toMatchObject({
    code: "FILE_FAILED",
    message: expect.stringContaining(path),
  });
});
