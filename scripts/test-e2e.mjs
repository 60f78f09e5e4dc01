/**
 * `npm run test:e2e [-- FILE…] [OPTION…]`: the tests with real engines, with a cluster and in a browser, lane by lane. A file is
 * searched for in every lane, and a lane without it is skipped; its name may be a part of the path. Options go to vitest and to
 * Playwright, each with its value behind a `=`. It fails when a lane fails.
 */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ENGINE_LANES } from "./lib/lanes.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const BROWSER_TESTS = "website/e2e";
const PLAYWRIGHT_CONFIG = "--config=website/playwright.config.ts";

const words = process.argv.slice(2);
const options = words.filter((word) => word.startsWith("-"));
const names = words.filter((word) => !word.startsWith("-")).map((name) => name.replace(/^\.\//, ""));

/** Lanes with a file of these names. */
function listLanes() {
  if (names.length === 0) return ENGINE_LANES;
  const args = ["list", "--filesOnly", "--json", ...ENGINE_LANES.map((lane) => `--project=${lane}`), ...names];
  const vitest = join(root, "node_modules/vitest/vitest.mjs");
  const found = JSON.parse(execFileSync(process.execPath, [vitest, ...args], { cwd: root, encoding: "utf8" }));
  const used = new Set(found.map((/** @type {{ projectName: string }} */ { projectName }) => projectName));
  return ENGINE_LANES.filter((lane) => used.has(lane));
}

function hasBrowserTests() {
  const files = readdirSync(join(root, BROWSER_TESTS)).filter((file) => file.endsWith(".e2e.ts"));
  return names.length === 0 || files.some((file) => names.some((name) => `${BROWSER_TESTS}/${file}`.includes(name)));
}

/** @param {string} program @param {readonly string[]} args @returns {Promise<boolean>} Whether it passed. */
async function run(program, args) {
  process.stdout.write(`\n$ ${[program, ...args].join(" ")}\n`);
  const child = spawn(join(root, "node_modules/.bin", program), args, { cwd: root, stdio: "inherit" });
  // Ctrl-C reaches it as well; it ends the engines, and this process has its code.
  const ignore = () => undefined;
  process.on("SIGINT", ignore);
  const [code] = await once(child, "exit");
  process.off("SIGINT", ignore);
  return code === 0;
}

const lanes = listLanes();
const isInBrowser = hasBrowserTests();
if (lanes.length === 0 && !isInBrowser) {
  process.stderr.write(
    `No end-to-end test has "${names.join('" or "')}" in its path. List them: git ls-files "*.e2e.test.ts" "*.e2e.ts"\n`,
  );
  process.exit(1);
}
let isPassed = true;
for (const lane of lanes) {
  if (!(await run("vitest", ["run", `--project=${lane}`, ...options, ...names]))) isPassed = false;
}
if (isInBrowser && !(await run("playwright", ["test", PLAYWRIGHT_CONFIG, ...options, ...names]))) isPassed = false;
process.exitCode = isPassed ? 0 : 1;
