import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { atomicWrite } from "./atomic-write.ts";

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "thv-atomic-"));
});
afterEach(async () => {
  await rm(directory, { recursive: true, force: true });
});

describe("atomicWrite", () => {
  test("replaces the whole content and leaves no other file", async () => {
    const path = join(directory, "state.json");
    await writeFile(path, "a much longer text than the new one");

    await atomicWrite(path, "new");

    expect(await readFile(path, "utf8")).toBe("new");
    expect(await readdir(directory)).toEqual(["state.json"]);
  });

  test("keeps the file and new directories private to the user", async () => {
    const path = join(directory, "a/b/state.json");

    await atomicWrite(path, "secret");

    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await stat(join(directory, "a"))).mode & 0o777).toBe(0o700);
    expect((await stat(join(directory, "a/b"))).mode & 0o777).toBe(0o700);
  });

  test("makes a file that others could read private when it replaces it", async () => {
    const path = join(directory, "state.json");
    await writeFile(path, "old", { mode: 0o644 });

    await atomicWrite(path, "new");

    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  test("takes another mode when asked", async () => {
    const path = join(directory, "public.txt");

    await atomicWrite(path, "text", { mode: 0o644 });

    expect((await stat(path)).mode & 0o777).toBe(0o644);
  });

  test("fails without a trace where a file stands in place of the directory", async () => {
    await writeFile(join(directory, "a"), "a file");

    await expect(atomicWrite(join(directory, "a/state.json"), "new")).rejects.toMatchObject({
      code: "FILE_FAILED",
      message: expect.stringContaining("a file exists where a folder is expected"),
      cause: { code: "EEXIST" },
    });

    expect(await readdir(directory)).toEqual(["a"]);
  });

  test("fails at the rename without a trace where a directory stands in place of the file", async () => {
    await mkdir(join(directory, "state.json"));

    await expect(atomicWrite(join(directory, "state.json"), "new")).rejects.toMatchObject({
      code: "FILE_FAILED",
      message: expect.stringContaining("a file exists where a folder is expected"),
      cause: { code: "EISDIR" },
    });

    expect(await readdir(directory)).toEqual(["state.json"]);
  });

  test("writers at the same time leave the content of one of them", async () => {
    const path = join(directory, "state.json");
    const contents = Array.from({ length: 20 }, (_, index) => String(index).repeat(10_000));

    await Promise.all(contents.map((content) => atomicWrite(path, content)));

    expect(contents).toContain(await readFile(path, "utf8"));
    expect(await readdir(directory)).toEqual(["state.json"]);
  });

  test.skipIf(process.platform !== "linux" || process.getuid?.() !== 0)(
    "keeps the old content when the disk is full (needs Linux and root for a disk of its own)",
    async () => {
      execFileSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", directory]);
      try {
        const path = join(directory, "state.json");
        await atomicWrite(path, "old");

        await expect(atomicWrite(path, "x".repeat(200_000))).rejects.toMatchObject({
          code: "FILE_FAILED",
          message: expect.stringContaining("the disk is full"),
          cause: { code: "ENOSPC" },
        });

        expect(await readFile(path, "utf8")).toBe("old");
        expect(await readdir(directory)).toEqual(["state.json"]);
      } finally {
        execFileSync("umount", [directory]);
      }
    },
  );
});
