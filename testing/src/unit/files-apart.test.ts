import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findRepositoryRoot } from "../repository.ts";
import { isFileApart, listFilesApart } from "./files-apart.ts";

const ROOT = findRepositoryRoot();

const unitTests = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
  cwd: ROOT,
  encoding: "utf8",
})
  .split("\n")
  .filter((path) => /\.test\.tsx?$/.test(path) && !path.endsWith(".e2e.test.ts") && existsSync(join(ROOT, path)));

test("every file that has a process of its own exists", () => {
  expect(listFilesApart().filter((path) => !unitTests.includes(path))).toEqual([]);
});

test.each([
  ["replaces a module", /^vi\.(?:do)?[mM]ock\(/m],
  ["compares costs", /\bcompare(?:Costs|Growth)\(|\bprocess\.(?:cpuUsage|memoryUsage)\(/],
  ["fakes timers", /\bnew FakeTime\(|\buseFakeTimers\(/],
])("every file that %s has a process of its own", (_, pattern) => {
  const found = unitTests.filter((path) => pattern.test(readFileSync(join(ROOT, path), "utf8")));

  expect(found.length).toBeGreaterThan(0);
  expect(found.filter((path) => !isFileApart(join(ROOT, path)))).toEqual([]);
});
