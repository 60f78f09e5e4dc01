import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, readlink, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createTextEntry, type TarEntry, writeTar } from "./tar.ts";

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "thv-tar-"));
});

afterEach(async () => {
  await rm(directory, { recursive: true });
});

async function collectBytes(entries: readonly TarEntry[]): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of writeTar(entries)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

test("the system's tar unpacks what was written, long and foreign names included", async () => {
  const long = `${"folder/".repeat(20)}file.txt`;
  const entries: TarEntry[] = [
    { kind: "directory", path: "app" },
    createTextEntry("app/a.txt", "content"),
    createTextEntry("empty", ""),
    { ...createTextEntry("run.sh", "x".repeat(512)), isExecutable: true } as TarEntry,
    createTextEntry("naïve – 名.txt", "unicode"),
    createTextEntry(long, "deep"),
    { kind: "link", path: "link", target: "app/a.txt" },
    { kind: "link", path: "long-link", target: long },
  ];
  await writeFile(join(directory, "x.tar"), await collectBytes(entries));

  const { status, stderr } = spawnSync("tar", ["-xf", "x.tar"], { cwd: directory, encoding: "utf8" });

  expect([status, stderr]).toEqual([0, ""]);
  const text = (path: string) => readFile(join(directory, path), "utf8");
  expect(await Promise.all(["app/a.txt", "empty", "naïve – 名.txt", long].map(text))).toEqual([
    "content",
    "",
    "unicode",
    "deep",
  ]);
  expect((await stat(join(directory, "run.sh"))).mode & 0o777).toBe(0o755);
  expect([await readlink(join(directory, "link")), await readlink(join(directory, "long-link"))]).toEqual([
    "app/a.txt",
    long,
  ]);
});

test("equal entries give equal bytes, in whole blocks", async () => {
  const entries = [createTextEntry("a", "1"), createTextEntry("b", "2")];

  const bytes = await collectBytes(entries);

  expect(bytes.equals(await collectBytes(entries))).toBe(true);
  expect(bytes.length % 512).toBe(0);
});

test.each([
  ["less", "ab"],
  ["more", "abcd"],
])("a file that yields %s than its size fails the archive", async (_what, content) => {
  const entry: TarEntry = { kind: "file", path: "f", size: 3, content: () => [Buffer.from(content)] };

  await expect(collectBytes([entry])).rejects.toThrow("f changed while it was read");
});
