/**
 * The repository's own rules of the linter. A package is imported by its name, so that its `exports` say all that others use of
 * it; Biome refuses ways around. A small reader that every package needs has one home.
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

const SECOND_HOMES = [
  ["packages/core/src/a.ts", "export function parseJson(text: string) {\n  return text;\n}"],
  ["packages/search/src/a.ts", "const isRecord = (value: unknown) => value !== null;\nisRecord(1);"],
  ["packages/app/src/a.tsx", "export const shorten = (text: string) => text;"],
  ["packages/cli/src/a.test.ts", "async function readText() {\n  return 1;\n}\nvoid readText();"],
  ["website/server/a.ts", "const describeError = function () {\n  return 1;\n};\ndescribeError();"],
  ["scripts/lib/a.mjs", "export async function untilAborted() {}"],
] as const;
const OWN_NAMES = [
  ["packages/core/src/b.ts", 'const quote = "";\nexport const values = [quote].map((each) => each);'],
  ["packages/core/src/c.ts", "export class Reader {\n  readText(): string {\n    return JSON.stringify(this);\n  }\n}"],
  ["packages/core/src/d.ts", 'export { parseJson } from "@toolhive/http/values";'],
  ["packages/http/src/values/own.ts", "export function parseJson(text: string): unknown {\n  return text;\n}"],
  ["scripts/lib/errors.mjs", "export function describeError() {}"],
] as const;

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "thv-lint-"));
  for (const path of ["biome.json", "scripts/lint"]) cpSync(join(ROOT, path), join(folder, path), { recursive: true });
  for (const [path, statement] of [...REFUSED, ...ACCEPTED, ...SECOND_HOMES, ...OWN_NAMES, LOST_TIMEOUT]) {
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

test.each(SECOND_HOMES)("%s may not declare a function that has its home elsewhere: %s", (path) => {
  expect(lint(path)).toContain("This name has one home");
});

test.each(OWN_NAMES)("%s may: %s", (path) => {
  const report = lint(path);

  expect(report).toContain("Checked 1 file");
  expect(report).not.toContain("This name has one home");
});
