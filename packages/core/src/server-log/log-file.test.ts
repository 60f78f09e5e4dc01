import { mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createLogFileOpener, type LogFile } from "./log-file.ts";

let data: string;
let file: LogFile;
let folder: string;
beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), "thv-log-"));
  folder = join(data, "logs", "servers");
  file = createLogFileOpener(data, 100)("echo");
});
afterEach(async () => {
  await rm(data, { recursive: true });
});

const line = (text: string) => Buffer.from(`${text}\n`);
const newest = async (bytes: number) => String(await file.readNewest(bytes));

describe("the file of a server's log", () => {
  test("belongs to its owner alone, and so does its folder", async () => {
    await file.append(line("one"));

    expect((await stat(join(folder, "echo.log"))).mode & 0o777).toBe(0o600);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
  });

  test("gives way to a new one when it is full, so that two bounded ones are kept", async () => {
    for (let count = 10; count < 60; count += 1) await file.append(line(`line ${count}`));

    expect((await readdir(folder)).sort()).toEqual(["echo.log", "echo.log.1"]);
    for (const name of await readdir(folder)) expect((await stat(join(folder, name))).size).toBeLessThanOrEqual(100);
    const kept = (await newest(1_000)).trim().split("\n");
    expect(kept.at(-1)).toBe("line 59");
    expect(kept).toEqual(Array.from({ length: kept.length }, (_, index) => `line ${60 - kept.length + index}`));
    expect(kept.length).toBeGreaterThan(12);
  });

  test("is read from its end, over both files", async () => {
    await file.append(line("a".repeat(89)));
    await file.append(line("b".repeat(19)));

    expect(await newest(5)).toBe("bbbb\n");
    expect(await newest(25)).toBe(`aaaa\n${"b".repeat(19)}\n`);
    expect(await newest(0)).toBe("");
  });

  test("is created again after it was removed", async () => {
    await file.append(line("one"));
    await rm(join(data, "logs"), { recursive: true });

    await file.append(line("two"));

    expect(await newest(100)).toBe("two\n");
  });

  test("is no link that somebody else has placed", async () => {
    await file.append(line("one"));
    const target = join(data, "target");
    await writeFile(target, "mine");
    await rm(join(folder, "echo.log"));
    await symlink(target, join(folder, "echo.log"));

    await expect(file.append(line("two"))).rejects.toMatchObject({ code: "ELOOP" });

    expect(await readFile(target, "utf8")).toBe("mine");
  });

  test("is removed with the older one, and removing it again succeeds", async () => {
    for (let count = 0; count < 30; count += 1) await file.append(line(`line ${count}`));

    await file.remove();
    await file.remove();

    expect(await readdir(folder)).toEqual([]);
    expect(await newest(100)).toBe("");
  });
});
