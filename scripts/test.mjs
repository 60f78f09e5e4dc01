/**
 * `npm test`: installs what is missing and runs everything: types, lint, unused code, unit tests, container tests,
 * browser tests. Goes on after a failure, so that its last line is the whole truth: `N passed, N failed`. One test is about
 * the run itself: that the machine is afterwards as it was before.
 *
 * Files with a failed test run once more at the end, when nothing else does; a test that passes only then is named.
 * `npm test -- --strict` repeats no file, and counts such a test as failed.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { ensureBuilt, linkThv, TARGETS } from "./lib/build.mjs";
import { CommandFailure, describeError } from "./lib/errors.mjs";
import { ensureInstalled } from "./lib/install.mjs";
import { ENGINE_LANES, FIRST_LANES, SHARED_LANES } from "./lib/lanes.mjs";
import { readMachineState } from "./lib/machine-state.mjs";
import { findChanges } from "./lib/own-changes.mjs";
import {
  countPlaywright,
  countStrictly,
  countVitest,
  formatFailures,
  listPlaywrightFailures,
  listRepeatable,
  listVitestFailures,
  mergePlaywright,
  mergeVitest,
  readReport,
  sum,
} from "./lib/reports.mjs";
import { runCommand } from "./lib/run-command.mjs";
import { ensureProgram, installHeadlessShell, isDebian } from "./lib/system-packages.mjs";
import { formatDuration, formatTable } from "./lib/terminal.mjs";
import { runTracks } from "./lib/tracks.mjs";

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

/**
 * `merge`: what the report of a whole run and that of its failed files give together.
 *
 * @typedef {{ file: string, count: (report: any) => import("./lib/reports.mjs").Counts, list: (report: any) => import("./lib/reports.mjs").Failure[], merge?: (first: any, second: any) => any }} Report
 */
/**
 * A program that tests. One that writes no report is a single test, passed when it exits with 0. One whose reports can be
 * merged takes files as further arguments.
 *
 * @typedef {{ name: string, command: readonly [string, ...string[]], env?: Record<string, string>, report?: Report }} Runner
 */
/**
 * Tracks run side by side. Each runs its own runners one after the other, and then the parts of `shared` that no track has begun.
 *
 * @typedef {{ tracks: readonly (readonly Runner[])[], shared: readonly Runner[] }} Plan
 */
/** `site` resolves once it is built, or cannot be. @typedef {{ plan: Plan, site: Promise<void> }} Prepared */

/** @type {readonly Runner[]} */
const CHECKS = [
  { name: "types", command: [bin("tsc"), "--build", "--checkers", "1"] },
  { name: "lint", command: [bin("biome"), "check", "."] },
  { name: "unused code", command: [bin("knip"), "--no-progress"] },
  {
    name: "known holes",
    command: [process.execPath, join(root, "scripts/audit.mjs"), join(reports, "audit.json")],
    report: { file: join(reports, "audit.json"), count: (report) => report, list: () => [] },
  },
  { name: "spelling", command: [bin("cspell"), "--no-progress", "--no-must-find-files"] },
];

/**
 * @param {string} project
 * @returns {Runner}
 */
function vitest(project) {
  const file = join(reports, `${project}.json`);
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${file}`];
  return {
    name: `${project} tests`,
    command: [bin("vitest"), "run", `--project=${project}`, ...reporters],
    report: { file, count: countVitest, list: listVitestFailures, merge: mergeVitest },
  };
}

/** @returns {Runner} */
function playwright() {
  const file = join(reports, "playwright.json");
  return {
    name: "browser tests",
    command: [bin("playwright"), "test", "--config=website/playwright.config.ts", "--reporter=list,json"],
    env: { PLAYWRIGHT_JSON_OUTPUT_FILE: file },
    report: { file, count: countPlaywright, list: listPlaywrightFailures, merge: mergePlaywright },
  };
}

/**
 * What computes: it has the processors whenever tests with an engine or a cluster wait. It needs the site, or would see its files come
 * and go.
 *
 * @type {readonly Runner[]}
 */
const COMPUTING = [...CHECKS, vitest("unit"), playwright()];
/** All tracks end at about the same time, on machines of any speed. @type {Plan} */
const PLAN = {
  tracks: [COMPUTING, ...FIRST_LANES.map((lane) => [vitest(lane)])],
  shared: SHARED_LANES.map(vitest),
};
/** Several lanes would share the engines of the machine, in which each counts what there is. @type {Plan} */
const PLAN_ON_HOST = { tracks: [ENGINE_LANES.map(vitest), COMPUTING], shared: [] };
/** Lines of several programs alternate: each begins with the name of its own. */
const NAME_WIDTH = Math.max(...[...PLAN.tracks.flat(), ...PLAN.shared].map(({ name }) => name.length));

/**
 * A program without a report is one test.
 *
 * @param {{ code: number, excerpt: string }} ended `excerpt`: its last lines
 */
function countProgram({ code, excerpt }) {
  if (code === 0) return { passed: 1, failed: 0, skipped: 0 };
  return { passed: 0, failed: 1, skipped: 0, failures: [{ where: "", title: `ended with ${code}`, message: excerpt }] };
}

/**
 * @param {Context} context
 * @param {Runner} runner
 * @param {readonly string[]} [files] Default: all of them.
 * @returns {Promise<Row & { content?: any }>}
 */
async function run({ children, terminal }, { name, command: [program, ...args], env, report }, files = []) {
  const begin = performance.now();
  const prefix = terminal.style("dim", `${name.padEnd(NAME_WIDTH)} │ `);
  const print = (/** @type {string} */ line) => terminal.line(prefix + line);
  print("begins");
  const colour = terminal.hasColour ? { FORCE_COLOR: "1" } : { NO_COLOR: "1", FORCE_COLOR: undefined };
  const { code, excerpt } = await children.run(name, program, [...args, ...files], {
    cwd: root,
    env: { ...process.env, ...colour, [RUN_VARIABLE]: runId, ...env },
    onLine: print,
  });
  const durationMs = performance.now() - begin;
  const counts =
    report === undefined
      ? countProgram({ code, excerpt })
      : readReport({ code, reportFile: report.file, count: report.count, list: report.list });
  print(`${counts.failed === 0 ? "passed" : "failed"} after ${formatDuration(durationMs)}`);
  return { name, durationMs, ...counts };
}

/**
 * Runs the files with failed tests once more, now that nothing else runs.
 *
 * @param {Context} context
 * @param {Runner} runner
 * @param {Row & { content?: any }} row of the whole run
 * @returns {Promise<Row>}
 */
async function repeatFailed(context, runner, row) {
  const { merge, count, list } = runner.report ?? {};
  const files = listRepeatable(row.failures ?? []);
  if (merge === undefined || count === undefined || list === undefined) return row;
  if (row.content === undefined || files.length === 0) return row;
  const again = await run(context, runner, files);
  if (again.content === undefined) return row;
  const content = merge(row.content, again.content);
  return { ...row, ...count(content), failures: list(content), durationMs: row.durationMs + again.durationMs };
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
    const message = describeError(error);
    terminal.line(message);
    const failures = [{ where: "", title: "preparation", message }];
    rows.push({ name, passed: 0, failed: 1, skipped: 0, durationMs: performance.now() - begin, failures });
  }
}

/**
 * @param {Context} context
 * @param {import("./lib/machine-state.mjs").MachineState} before
 * @returns {Promise<Row>}
 */
async function checkMachine({ terminal }, before) {
  const begin = performance.now();
  const { own, others } = await findChanges(before, () => readMachineState({ runId }));
  for (const [title, changes] of /** @type {const} */ ([
    ["The tests left on this machine:", own],
    ["Changed meanwhile by something else on this machine, which is no failure:", others],
  ])) {
    if (changes.length > 0) terminal.line(title);
    for (const change of changes) terminal.line(`  ${change}`);
  }
  const failed = own.length === 0 ? 0 : 1;
  const failures = failed === 0 ? [] : [{ where: "", title: "differences", message: own.join("\n") }];
  const durationMs = performance.now() - begin;
  return { name: "machine as before", passed: 1 - failed, failed, skipped: 0, durationMs, failures };
}

/** Waits until no process of this run remains: the engines clean up after the runner that used them has exited. */
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

/** @throws {CommandFailure} For an argument that it does not know. */
function readArguments() {
  try {
    return parseArgs({ options: { strict: { type: "boolean", default: false } } }).values;
  } catch (error) {
    throw new CommandFailure(describeError(error), {
      hint: "Run everything: npm test. Run everything and accept no repetition: npm test -- --strict. Run one file: npm run test:e2e -- FILE, or npx vitest run --project unit FILE",
    });
  }
}

/**
 * Programs and the packages of the system that have them, installed where a program is missing.
 *
 * @type {readonly (readonly [string, string])[]}
 */
const PROGRAMS = [
  ["chromium", "chromium"],
  // The site's main ways are tried in other browsers, too. Ubuntu has Firefox as a snap only.
  ...(isDebian() ? [/** @type {const} */ (["firefox-esr", "firefox-esr"])] : []),
  ["WebKitWebDriver", "webkit2gtk-driver"],
  ["Xvfb", "xvfb"],
  // Completion is tested in each shell that it is written for, the manual with what formats it.
  ["zsh", "zsh"],
  ["fish", "fish"],
  ["mandoc", "mandoc"],
  ["man", "man-db"],
  // The configuration that the site's build makes for nginx is tested in it.
  ["nginx", "nginx-light"],
  // What is released for Linux is built, checked and installed with these.
  ["rpmbuild", "rpm"],
  ["shellcheck", "shellcheck"],
  ["libdeflate-gzip", "libdeflate-tools"],
  ["strip", "binutils"],
  ["busybox", "busybox"],
];

/**
 * Installs and builds what the tests need. Builds compute and packages of the system are waited for, so both are made side by side.
 *
 * @param {Context} context
 * @param {Row[]} rows of what could not be prepared
 * @returns {Promise<Prepared>}
 */
async function prepareAll(context, rows) {
  await ensureInstalled(root, context);
  const thv = prepare(context, "build thv", rows, async () => {
    await ensureBuilt(root, TARGETS.cli, context);
    linkThv(root);
  });
  // Nobody waits for a smaller page on this machine.
  const buildSite = () => ensureBuilt(root, TARGETS.website, context, { isLight: true });
  const site = thv.then(() => prepare(context, "build site", rows, buildSite));
  site.catch(() => {}); // whoever waits for it sees the interruption
  const [plan] = await Promise.all([prepareMachine(context, rows), thv]);
  return { plan, site };
}

/**
 * @param {Context} context
 * @param {Row[]} rows of what could not be prepared
 * @returns {Promise<Plan>} How this machine can run the tests.
 */
async function prepareMachine(context, rows) {
  const { children, terminal } = context;
  for (const [program, packageName] of PROGRAMS) {
    await prepare(context, `install ${packageName}`, rows, () => ensureProgram(program, packageName, context));
  }
  await prepare(context, "install chromium-headless-shell", rows, () => installHeadlessShell(context));
  let plan = PLAN;
  await prepare(context, "install engines", rows, async () => {
    const install = [join(root, "testing/engines.mjs"), "--install"];
    const onLine = (/** @type {string} */ line) => {
      terminal.line(line);
      if (line === "engines: host") plan = PLAN_ON_HOST;
    };
    const { code, excerpt } = await children.run("engines", process.execPath, install, { cwd: root, onLine });
    if (code !== 0) throw new Error(`What the engines need could not be installed:\n${excerpt}`);
  });
  await prepare(context, "build the test cluster", rows, async () => {
    const build = [join(root, "testing/engines.mjs"), "--build-cluster"];
    const onLine = (/** @type {string} */ line) => terminal.line(line);
    const { code, excerpt } = await children.run("cluster", process.execPath, build, { cwd: root, onLine });
    if (code !== 0) throw new Error(`The Kubernetes of the tests could not be built:\n${excerpt}`);
  });
  return plan;
}

/**
 * Runs the tracks side by side.
 *
 * @param {Context} context
 * @param {Prepared} prepared
 */
async function runPlan(context, { plan, site }) {
  // Nothing waits for it: its tests are skipped with this reason until it is built, in the next run at the latest.
  const build = [join(root, "testing/engines.mjs"), "--build-newest-docker"];
  const built = context.children.run("newest Docker", process.execPath, build, { cwd: root });
  /** @type {[Runner, Row & { content?: any }][]} */
  const runs = [];
  await runTracks(plan, async (runner) => {
    if (COMPUTING.includes(runner)) await site;
    runs.push([runner, await run(context, runner)]);
  });
  await built;
  return runs;
}

/**
 * @param {Context} context
 * @param {readonly Row[]} rows
 * @param {{ begin: number, isStrict: boolean }} run `begin`: of `performance.now()`
 * @returns {number} The exit code.
 */
function printResults({ terminal }, rows, { begin, isStrict }) {
  const total = sum(rows);
  const cells = rows.map(({ name, passed, failed, skipped, repeated = 0, durationMs }) => [
    name,
    ...[passed, failed, skipped, repeated].map(String),
    formatDuration(durationMs),
  ]);
  terminal.line();
  for (const line of formatTable([["", "passed", "failed", "skipped", "repeated", "time"], ...cells]))
    terminal.line(line);
  terminal.line();
  for (const line of formatFailures(rows, root.replace(/\/$/, ""))) terminal.line(line);
  const repeated = isStrict ? "" : `, ${total.repeated} passed only when repeated`;
  terminal.line(`Ran for ${formatDuration(performance.now() - begin)}, ${total.skipped} skipped${repeated}.`);
  terminal.line(`${total.passed} passed, ${total.failed} failed`);
  return total.failed === 0 ? 0 : 1;
}

await runCommand(async (context) => {
  const { strict: isStrict } = readArguments();
  /** @type {Row[]} */
  const rows = [];
  const begin = performance.now();
  context.onEnd(untilRunIsGone);
  const prepared = await prepareAll(context, rows);
  const before = await readMachineState({ runId });
  rmSync(reports, { recursive: true, force: true });
  mkdirSync(reports, { recursive: true });
  for (const [runner, row] of await runPlan(context, prepared))
    rows.push(isStrict ? countStrictly(row) : await repeatFailed(context, runner, row));
  await untilRunIsGone();
  rows.push(await checkMachine(context, before));
  return printResults(context, rows, { begin, isStrict });
});
