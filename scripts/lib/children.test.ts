import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Children } from "./children.mjs";

let folder = "";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "thv-children-"));
});

afterEach(() => rmSync(folder, { recursive: true }));

const isAlive = (pid: number) => {
  // A process that nobody collects yet has ended all the same.
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  return stat.slice(stat.lastIndexOf(")") + 2, stat.lastIndexOf(")") + 3) !== "Z";
};

const isGone = (pid: number) => {
  try {
    return !isAlive(pid);
  } catch {
    return true;
  }
};

test("a child's lines, its code and the end of its output are its result", async () => {
  const lines: string[] = [];
  const script = "process.stdout.write('one\\ntw'); process.stdout.write('o\\nthree'); process.exitCode = 4";

  const result = await new Children().run("test", process.execPath, ["-e", script], {
    cwd: folder,
    onLine: (line) => lines.push(line),
  });

  expect(lines).toEqual(["one", "two", "three"]);
  expect(result).toEqual({ code: 4, signal: null, excerpt: "one\ntwo\nthree" });
});

test.runIf(process.platform === "linux")("ending a child ends what it started", async () => {
  const children = new Children();
  const pids: number[] = [];
  const child = children.start("test", "sh", ["-c", "sleep 600 & echo $!; echo $$; wait"], {
    cwd: folder,
    onLine: (line) => pids.push(Number(line)),
  });
  await vi.waitFor(() => expect(pids).toHaveLength(2));

  await children.stopAll();

  expect((await child.ended).signal).toBe("SIGTERM");
  await vi.waitFor(() => expect(pids.every(isGone)).toBe(true));
});

test("no child is started once all children were stopped", async () => {
  const children = new Children();

  await children.stopAll();

  expect(() => children.start("test", process.execPath, ["-e", ""], { cwd: folder })).toThrow("is ending");
});

test("a program that is not there fails with the child's name", async () => {
  const running = new Children().run("The site's server", "no-such-program-anywhere", [], { cwd: folder });

  await expect(running).rejects.toThrow("The site's server could not be started");
});
