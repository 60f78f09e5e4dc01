/**
 * The repository's own rules of the linter. A package is imported by its name, so that its `exports` say all that others use of
 * it; Biome refuses ways around.
 */
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const BIOME = join(ROOT, "node_modules/@biomejs/biome/bin/biome");

const REFUSED = [
  ["website/src/from-source.ts", 'export { SERVE } from "../../packages/cli/src/commands/serve/definition.ts";'],
  ["website/src/by-alias.ts", 'export { SERVE } from "@site/../packages/cli/src/commands/serve/definition.ts";'],
  ["website/reference/type.ts", 'export type { Limits } from "../../packages/proxy/src/options/limits.ts";'],
  ["website/reference/json.ts", 'import results from "../../packages/proxy/bench/results.json";\nresults;'],
  ["website/reference/dynamic.ts", 'await import("../../packages/core/src/index.ts");'],
  ["website/reference/a.test.ts", 'import { parsePage } from "../../testing/src/docs/parse-page.ts";\nparsePage();'],
  ["packages/cli/src/sibling.ts", 'import { BRAND } from "../../core/src/support/brand.ts";\nBRAND;'],
  ["packages/cli/bench/sibling.ts", 'import results from "../../proxy/bench/results.json";\nresults;'],
] as const;
const ACCEPTED = [
  ["website/src/by-name.ts", 'export { SERVE } from "@toolhive/cli/facts";'],
  ["packages/proxy/src/facts/own.ts", 'import results from "../../bench/results.json";\nresults;'],
  ["packages/search/src/facts/own.ts", 'export { plotCurve } from "../bench/plot.ts";'],
  ["packages/core/src/registry/own.test.ts", 'export { TEST_CA } from "./testing/https-server.ts";'],
] as const;

const LOST_TIMEOUT = ["packages/core/src/limit.ts", "export const limit = () => AbortSignal.timeout(1_000);"] as const;

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "thv-lint-"));
  for (const path of ["biome.json", "scripts/lint"]) cpSync(join(ROOT, path), join(folder, path), { recursive: true });
  for (const [path, statement] of [...REFUSED, ...ACCEPTED, LOST_TIMEOUT]) {
    mkdirSync(join(folder, dirname(path)), { recursive: true });
    writeFileSync(join(folder, path), `${statement}\n`);
  }
});
afterAll(() => rmSync(folder, { recursive: true }));

/** What Biome says with the rules of this repository, at the level that fails a check. */
function lint(path: string): string {
  const args = ["lint", "--vcs-enabled=false", "--diagnostic-level=error", path];
  const { stdout, stderr } = spawnSync(process.execPath, [BIOME, ...args], { cwd: folder, encoding: "utf8" });
  return stdout + stderr;
}

test.each(REFUSED)("%s may not: %s", (path) => {
  expect(lint(path)).toContain("Import another package by its name");
});

test.each(ACCEPTED)("%s may: %s", (path) => {
  const report = lint(path);

  expect(report).toContain("Checked 1 file");
  expect(report).not.toContain("Import another package by its name");
});

test("a limit of time may not be a signal that Node 20 loses", () => {
  expect(lint(LOST_TIMEOUT[0])).toContain("Node 20 may lose this timeout");
});
