/**
 * `npm test`: installs what is missing and runs everything: types, lint, unused code, unit tests, container tests,
 * browser tests. Goes on after a failure, so that its last line is the whole truth: `N passed, N failed`.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { ensureBuilt, linkThv, TARGETS } from "./lib/build.mjs";
import { messageOf } from "./lib/errors.mjs";
import { ensureInstalled } from "./lib/install.mjs";
import { countPlaywright, countVitest, readCounts, sum } from "./lib/reports.mjs";
import { runCommand } from "./lib/run-command.mjs";
import { ensureProgram } from "./lib/system-packages.mjs";
import { formatDuration, formatTable } from "./lib/terminal.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const reports = join(root, ".cache/reports");
const bin = (/** @type {string} */ name) => join(root, "node_modules/.bin", name);

/** Marks every process of this run, so that its end can be waited for. */
const RUN_VARIABLE = "TOOLHIVE_TEST_RUN";
const runId = `${process.pid}-${Date.now()}`;
/** Milliseconds that the engines have to clean up after an interruption. */
const CLEAN_UP_MS = 60_000;

/** @typedef {import("./lib/reports.mjs").Row} Row */
/** @typedef {import("./lib/run-command.mjs").Context} Context */

/** @type {readonly { name: string, command: readonly [string, ...string[]] }[]} */
const CHECKS = [
  { name: "types", command: [bin("tsc"), "--build"] },
  { name: "lint", command: [bin("biome"), "check", "."] },
  { name: "unused code", command: [bin("knip"), "--no-progress"] },
  { name: "spelling", command: [bin("cspell"), "--no-progress", "--no-must-find-files"] },
];

/** @type {readonly { name: string, report: string, command: readonly [string, ...string[]], count: (report: any) => import("./lib/reports.mjs").Counts, env?: Record<string, string>, needs?: string }[]} */
const RUNNERS = [
  ...["unit", "e2e"].map((project) => ({
    name: `vitest ${project}`,
    report: `${project}.json`,
    command: /** @type {[string, ...string[]]} */ ([
      bin("vitest"),
      "run",
      `--project=${project}`,
      "--reporter=default",
      "--reporter=json",
      `--outputFile.json=${join(reports, `${project}.json`)}`,
    ]),
    count: countVitest,
  })),
  {
    name: "playwright",
    report: "playwright.json",
    command: [bin("playwright"), "test", "--config=website/playwright.config.ts", "--reporter=list,json"],
    count: countPlaywright,
    env: { PLAYWRIGHT_JSON_OUTPUT_FILE: join(reports, "playwright.json") },
    needs: "website/playwright.config.ts",
  },
];

/**
 * @param {Context} context
 * @param {string} name
 * @param {readonly [string, ...string[]]} command
 * @param {Readonly<Record<string, string>>} [env]
 */
async function runVisibly({ children, terminal }, name, [program, ...args], env = {}) {
  terminal.line();
  terminal.line(terminal.style("bold", `── ${name}`));
  const begin = performance.now();
  const plain = terminal.hasColour ? {} : { NO_COLOR: "1", FORCE_COLOR: undefined };
  const { code } = await children.run(name, program, args, {
    cwd: root,
    env: { ...process.env, ...plain, [RUN_VARIABLE]: runId, ...env },
    inherit: true,
  });
  return { code, durationMs: performance.now() - begin };
}

/**
 * A preparation that fails counts as one failed check, and what does not need it is run all the same.
 *
 * @param {Context} context
 * @param {string} name
 * @param {Row[]} rows
 * @param {() => Promise<unknown>} run
 */
async function prepare({ terminal, interrupted }, name, rows, run) {
  const begin = performance.now();
  try {
    await run();
  } catch (error) {
    interrupted.throwIfAborted();
    terminal.line(messageOf(error));
    rows.push({ name, passed: 0, failed: 1, skipped: 0, durationMs: performance.now() - begin });
  }
}

/** Waits until no process of this run is left: the engines clean up after the runner that used them is gone. */
async function untilRunIsGone() {
  const entry = `${RUN_VARIABLE}=${runId}`;
  const isOurs = (/** @type {string} */ pid) => {
    try {
      return readFileSync(`/proc/${pid}/environ`, "utf8").split("\0").includes(entry);
    } catch {
      return false; // ended, or of another user
    }
  };
  const deadline = performance.now() + CLEAN_UP_MS;
  while (existsSync("/proc/self/environ") && performance.now() < deadline) {
    if (!readdirSync("/proc").some((name) => /^\d+$/.test(name) && isOurs(name))) return;
    await delay(100);
  }
}

await runCommand(async (context) => {
  const { terminal, onEnd } = context;
  /** @type {Row[]} */
  const rows = [];
  const begin = performance.now();
  onEnd(untilRunIsGone);

  await ensureInstalled(root, context);
  await prepare(context, "build thv", rows, async () => {
    await ensureBuilt(root, TARGETS.cli, context);
    linkThv(root);
  });
  await prepare(context, "build site", rows, () => ensureBuilt(root, TARGETS.website, context));
  await prepare(context, "install chromium", rows, () => ensureProgram("chromium", "chromium", context));
  // Completion is tested in each shell that it is written for, the manual with what formats it.
  for (const [program, packageName] of [
    ["zsh", "zsh"],
    ["fish", "fish"],
    ["mandoc", "mandoc"],
    ["man", "man-db"],
    // The configuration that the site's build makes for nginx is tested in it.
    ["nginx", "nginx-light"],
  ]) {
    await prepare(context, `install ${packageName}`, rows, () => ensureProgram(program, packageName, context));
  }

  rmSync(reports, { recursive: true, force: true });
  mkdirSync(reports, { recursive: true });
  for (const { name, command } of CHECKS) {
    const { code, durationMs } = await runVisibly(context, name, command);
    rows.push({ name, passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1, skipped: 0, durationMs });
  }
  for (const { name, report, command, count, env, needs } of RUNNERS) {
    if (needs !== undefined && !existsSync(join(root, needs))) continue;
    const { code, durationMs } = await runVisibly(context, name, command, env);
    rows.push({ name, durationMs, ...readCounts({ code, reportFile: join(reports, report), count }) });
  }

  const total = sum(rows);
  const cells = rows.map(({ name, passed, failed, skipped, durationMs }) => [
    name,
    String(passed),
    String(failed),
    String(skipped),
    formatDuration(durationMs),
  ]);
  terminal.line();
  for (const line of formatTable([["", "passed", "failed", "skipped", "time"], ...cells])) terminal.line(line);
  terminal.line();
  terminal.line(`Ran for ${formatDuration(performance.now() - begin)}, ${total.skipped} skipped.`);
  terminal.line(`${total.passed} passed, ${total.failed} failed`);
  return total.failed === 0 ? 0 : 1;
});
