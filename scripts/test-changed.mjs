/**
 * `npm run test:changed`: types, lint and the unit tests that import what has changed since this branch left main, or since
 * `--base REVISION`. All three run to their ends; it fails when one of them does. Of a module that most tests import, the
 * nearest tests run, and the last lines say how many did not: `--all` runs them, too.
 */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { findAffectedTests, listUnitTests, readImporters } from "./lib/affected-tests.mjs";

/** Test files that take about a minute on two cores. */
const MAX_TEST_FILES = 100;
/** They measure processor time for minutes: of what was changed itself, or with `--all`. */
const IS_SLOW = /\/worst-[a-z]+\.test\.ts$/;

const root = fileURLToPath(new URL("..", import.meta.url));
const { values } = parseArgs({ options: { base: { type: "string" }, all: { type: "boolean", default: false } } });

/** @param {...string} args */
const git = (...args) => execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();

/** On main itself: what is not committed, and the last commit. */
function findBase() {
  const fork = git("merge-base", "HEAD", "main");
  return fork === git("rev-parse", "HEAD") ? git("rev-parse", "HEAD~1") : fork;
}

/**
 * @param {string} program
 * @param {readonly string[]} args
 * @param {{ isShown?: boolean }} [options] `isShown`: its lines appear as it writes them, not all at its end.
 * @returns {Promise<boolean>} Whether it passed.
 */
async function run(program, args, { isShown = false } = {}) {
  const begin = performance.now();
  const child = spawn(join(root, "node_modules/.bin", program), args, {
    cwd: root,
    stdio: ["ignore", isShown ? "inherit" : "pipe", isShown ? "inherit" : "pipe"],
  });
  /** @type {Buffer[]} */
  const output = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => output.push(chunk));
  const [code] = await once(child, "close");
  const seconds = ((performance.now() - begin) / 1000).toFixed(1);
  process.stdout.write(Buffer.concat(output));
  process.stdout.write(`${program} ${code === 0 ? "passed" : "failed"} after ${seconds} s\n`);
  return code === 0;
}

const base = values.base ?? findBase();
const tests = listUnitTests(root);
/** Renamed and removed files count under their old names, too: tests that import them have to fail. */
const changed = [
  ...git("diff", "--name-only", "--no-renames", base).split("\n"),
  ...git("ls-files", "--others", "--exclude-standard").split("\n"),
].filter((file) => file !== "");
if (changed.length === 0) {
  process.stdout.write(`Nothing has changed since ${base}.\n`);
  process.exit();
}
const affected = findAffectedTests({ changed, tests, importers: await readImporters(root, tests) });
const isChosen = (/** @type {{ file: string, distance: number }} */ { file, distance }, /** @type {number} */ index) =>
  values.all || distance === 0 || (index < MAX_TEST_FILES && !IS_SLOW.test(file));
const chosen = affected.filter(isChosen).map(({ file }) => file);
process.stdout.write(
  `${changed.length} changed files since ${base.slice(0, 12)}; ${affected.length} of ${tests.length} test files import them\n`,
);

const checks = (async () => [
  await run("biome", [
    ...["check", "--no-errors-on-unmatched", "--files-ignore-unknown=true"],
    ...changed.filter((file) => existsSync(join(root, file))),
  ]),
  await run("tsc", ["--build", "--checkers", "1"]),
])();
const passed = [
  chosen.length === 0 || (await run("vitest", ["run", "--project=unit", ...chosen], { isShown: true })),
  ...(await checks),
];
const left = affected.length - chosen.length;
if (left > 0) {
  process.stdout.write(
    `${left} more test files import what has changed, less directly or measuring costs. All: npm run test:changed -- --all\n`,
  );
}
process.exitCode = passed.every(Boolean) ? 0 : 1;
