/**
 * `npm run test:changed`: types, lint and the unit tests that import what has changed since this branch left main, or since
 * `--base REVISION`. All three run to their ends; it fails when one of them does.
 */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const root = fileURLToPath(new URL("..", import.meta.url));
const { values } = parseArgs({ options: { base: { type: "string" } } });

/** @param {...string} args */
const git = (...args) => execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();

/** On main itself: what is not committed, and the last commit. */
function findBase() {
  const fork = git("merge-base", "HEAD", "main");
  return fork === git("rev-parse", "HEAD") ? git("rev-parse", "HEAD~1") : fork;
}

/** @param {string} program @param {readonly string[]} args @returns {Promise<boolean>} Whether it passed. */
async function run(program, args) {
  process.stdout.write(`\n$ ${[program, ...args].join(" ")}\n`);
  const child = spawn(process.execPath, [join(root, "node_modules/.bin", program), ...args], {
    cwd: root,
    stdio: "inherit",
  });
  const [code] = await once(child, "exit");
  return code === 0;
}

const base = values.base ?? findBase();
const changed = [
  ...git("diff", "--name-only", "--diff-filter=d", base).split("\n"),
  ...git("ls-files", "--others", "--exclude-standard").split("\n"),
].filter((file) => file !== "");
if (changed.length === 0) {
  process.stdout.write(`Nothing has changed since ${base}.\n`);
  process.exit();
}
const passed = [
  await run("tsc", ["--build"]),
  await run("biome", ["check", "--no-errors-on-unmatched", "--files-ignore-unknown=true", ...changed]),
  await run("vitest", ["run", "--project=unit", `--changed=${base}`, "--passWithNoTests"]),
];
process.exitCode = passed.every(Boolean) ? 0 : 1;
