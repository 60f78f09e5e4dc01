/** Dates of pages in a real repository, and without one. */
import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { readPageDates } from "./page-dates.ts";

let root: string;

beforeEach(async () => {
  root = await realpath(await mkdtemp(path.join(os.tmpdir(), "page-dates-")));
});

afterEach(() => rm(root, { recursive: true, force: true }));

const options = () => ({
  pagesDir: path.join(root, "docs"),
  generatedDir: path.join(root, "docs/reference"),
  sourceDirs: [path.join(root, "tool")],
});

function git(date: string, ...args: string[]): void {
  const identity = ["-c", "user.name=Test", "-c", "user.email=test@example.invalid", "-c", "commit.gpgsign=false"];
  const env = { ...process.env, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date, GIT_CONFIG_GLOBAL: "/dev/null" };
  execFileSync("git", [...identity, ...args], { cwd: root, env, stdio: "ignore" });
}

async function write(file: string, text: string): Promise<void> {
  await mkdir(path.dirname(path.join(root, file)), { recursive: true });
  await writeFile(path.join(root, file), text);
}

async function commit(date: string, ...files: string[]): Promise<void> {
  for (const file of files) await write(file, `${date}\n`);
  git(date, "add", ...files);
  git(date, "commit", "-m", date);
}

describe("the date of a page", () => {
  test("is that of the newest commit that changed it, and of a generated page that of its source", async () => {
    git("2026-01-01T00:00:00Z", "init");
    await commit("2026-01-01T00:00:00Z", "docs/old.mdx", "docs/naïve name.mdx", "tool/flags.ts");
    await commit("2026-02-01T00:00:00Z", "docs/naïve name.mdx");
    await commit("2026-03-01T00:00:00Z", "tool/flags.ts");
    await commit("2026-04-01T00:00:00Z", "elsewhere.ts");
    await write("docs/reference/cli/run.mdx", "made\n");

    const dates = readPageDates(options());

    const of = (file: string) => dates?.find(path.join(root, "docs", file))?.toISOString();
    expect(of("old.mdx")).toBe("2026-01-01T00:00:00.000Z");
    expect(of("naïve name.mdx")).toBe("2026-02-01T00:00:00.000Z");
    expect(of("reference/cli/run.mdx")).toBe("2026-03-01T00:00:00.000Z");
    expect(of("not-committed.mdx")).toBeUndefined();
  });

  test("is unknown outside a repository", async () => {
    await mkdir(path.join(root, "docs"));

    expect(readPageDates(options())).toBeUndefined();
  });
});
