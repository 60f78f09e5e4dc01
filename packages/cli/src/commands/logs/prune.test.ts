/** Which log files go, and which stay. */
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ServedThv } from "../../testing/served-thv.ts";

let context: ServedThv;

beforeEach(async () => {
  context = await ServedThv.start();
});
afterEach(async () => {
  await context[Symbol.asyncDispose]();
});

const thv: ServedThv["call"] = (argv, options) => context.call(argv, options);

describe("logs prune", () => {
  const logFolder = () => dirname(context.files.log);
  const write = async (...names: string[]) => {
    await mkdir(logFolder(), { recursive: true });
    for (const name of names) await writeFile(join(logFolder(), name), "line\n");
  };
  const keepConfig = async (name: string) => {
    await mkdir(context.files.runConfigs, { recursive: true });
    await writeFile(join(context.files.runConfigs, `${name}.json`), "{}");
  };

  test("deletes logs of nothing, and keeps those of servers, of the supervisor, and other files", async () => {
    await write("gone.log", "live.log", "live-1752750000.log", "lively.log", "supervisor.log", "notes.txt");
    await keepConfig("live");

    const result = await thv(["logs", "prune"]);

    expect(result).toEqual({
      code: 0,
      stdout: ["gone.log", "lively.log"].map((name) => `Removed: ${join(logFolder(), name)}\n`).join(""),
      stderr: "",
    });
    expect((await readdir(logFolder())).sort()).toEqual([
      "live-1752750000.log",
      "live.log",
      "notes.txt",
      "supervisor.log",
    ]);
  });

  test("shows the files and asks first on a terminal", async () => {
    await write("gone.log");
    const prune = async (answer: string) =>
      await thv(["logs", "prune"], { isTty: true, answers: [["Delete this file?", answer]] });

    const refused = await prune("n");

    expect([refused.code, refused.stderr]).toEqual([130, expect.stringContaining(join(logFolder(), "gone.log"))]);
    expect(await readdir(logFolder())).toContain("gone.log");
    expect((await prune("y")).stdout).toBe(`Removed: ${join(logFolder(), "gone.log")}\n`);
  });

  test("deletes both files of a server that is gone, by its whole name", async () => {
    const folder = context.files.serverLogs;
    await mkdir(folder, { recursive: true });
    const names = ["gone.log", "gone.log.1", "live.log", "live.log.1", "live.1.log", "lively.log.1"];
    for (const name of names) await writeFile(join(folder, name), "line\n");
    await keepConfig("live");

    const { stdout } = await thv(["logs", "prune"]);

    expect(stdout.match(/[^/\n]+$/gm)).toEqual(["gone.log", "gone.log.1", "live.1.log", "lively.log.1"]);
    expect((await readdir(folder)).sort()).toEqual(["live.log", "live.log.1"]);
  });

  test("shows what it would delete with --dry-run, and has a form for scripts", async () => {
    await write("gone.log");
    const path = join(logFolder(), "gone.log");

    expect((await thv(["logs", "prune", "--dry-run"])).stdout).toBe(`Would remove: ${path}\n`);
    expect(JSON.parse((await thv(["logs", "prune", "--dry-run", "--format", "json"])).stdout)).toEqual({
      removed: [path],
      failed: [],
    });
    expect(await readdir(logFolder())).toEqual(["gone.log"]);
  });

  test("without a folder of logs has nothing to do", async () => {
    expect(await thv(["logs", "prune"])).toMatchObject({
      code: 0,
      stdout: "",
      stderr: expect.stringMatching(/^Every/),
    });
  });

  test("exits 16 and names what cannot be deleted, after deleting the rest", async () => {
    await write("gone.log");
    await mkdir(join(logFolder(), "folder.log"));

    const { code, stdout, stderr } = await thv(["logs", "prune"]);

    expect([code, stdout]).toEqual([16, `Removed: ${join(logFolder(), "gone.log")}\n`]);
    expect(stderr).toContain(`1 of 2 log files could not be removed: ${join(logFolder(), "folder.log")}: `);
  });
});
