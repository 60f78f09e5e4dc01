/** Reads what the test runners report and adds it up. A runner that says nothing, or less than its exit code, failed. */
import { existsSync, readFileSync } from "node:fs";

/** @typedef {{ passed: number, failed: number, skipped: number }} Counts */
/**
 * `where`: the test's file, from the repository's root where the runner knows it. `message`: what the runner printed of it.
 *
 * @typedef {{ where: string, title: string, message: string, passedLater?: boolean }} Failure `passedLater`: it passed when
 *   it was repeated, so it is listed and not counted.
 */
/** @typedef {Counts & { name: string, durationMs: number, failures?: readonly Failure[] }} Row */

/** Lines of a failure's message that the summary repeats: the assertion and the place, not the whole comparison. */
const MESSAGE_LINES = 12;
/** Failures that the summary repeats. More than these have one cause, and the log above has all of them. */
const LISTED_FAILURES = 20;
// biome-ignore lint/suspicious/noControlCharactersInRegex: an escape sequence begins with a control character.
const COLOUR = /\u001B\[[\d;]*m/g;

/**
 * vitest's `json` reporter. A file that could not be run counts as one failed test.
 * @param {any} report
 * @returns {Counts}
 */
export function countVitest(report) {
  const brokenFiles = report.testResults.filter(
    (/** @type {any} */ file) =>
      file.status === "failed" && !file.assertionResults.some((/** @type {any} */ test) => test.status === "failed"),
  );
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + brokenFiles.length,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}

/**
 * @param {any} report of vitest's `json` reporter
 * @returns {Failure[]}
 */
export function listVitestFailures(report) {
  return report.testResults.flatMap((/** @type {any} */ file) => {
    const failed = file.assertionResults.filter(
      // What passed and has messages all the same failed before it was repeated.
      (/** @type {any} */ test) => test.status === "failed" || test.failureMessages?.length > 0,
    );
    if (failed.length === 0 && file.status === "failed") {
      return [{ where: file.name, title: "could not be run", message: file.message ?? "" }];
    }
    return failed.map((/** @type {any} */ test) => ({
      where: file.name,
      title: test.fullName,
      message: (test.failureMessages ?? []).join("\n"),
      ...(test.status !== "failed" && { passedLater: true }),
    }));
  });
}

/**
 * Playwright's `json` reporter. A test that passed only when repeated counts as failed, an error outside tests too.
 * @param {any} report
 * @returns {Counts}
 */
export function countPlaywright(report) {
  const { expected, unexpected, flaky, skipped } = report.stats;
  return { passed: expected, failed: unexpected + flaky + report.errors.length, skipped };
}

/**
 * @param {any} report of Playwright's `json` reporter
 * @returns {Failure[]}
 */
export function listPlaywrightFailures(report) {
  /** @type {Failure[]} */
  const failures = report.errors.map((/** @type {any} */ error) => ({
    where: "",
    title: "outside of every test",
    message: error.message ?? "",
  }));
  const visit = (/** @type {any} */ suite) => {
    for (const inner of suite.suites ?? []) visit(inner);
    for (const spec of suite.specs ?? []) {
      for (const test of spec.tests) {
        if (test.status !== "unexpected" && test.status !== "flaky") continue;
        const error = test.results.find((/** @type {any} */ result) => result.error !== undefined)?.error;
        failures.push({ where: `${spec.file}:${spec.line}`, title: spec.title, message: error?.message ?? "" });
      }
    }
  };
  for (const suite of report.suites ?? []) visit(suite);
  return failures;
}

/**
 * The lines that name each failed test again at the end of a run, where a reader, and a log that was cut off, has them.
 *
 * @param {readonly Row[]} rows
 * @param {string} root is left out of file names
 * @returns {string[]}
 */
export function formatFailures(rows, root) {
  const failures = rows.flatMap(({ name, failures = [] }) => failures.map((failure) => ({ runner: name, ...failure })));
  const lines = failures.slice(0, LISTED_FAILURES).flatMap(({ runner, where, title, message, passedLater }) => [
    `${passedLater ? "↻ passed when repeated:" : "✗"} ${runner} │ ${[where.replace(`${root}/`, ""), title].filter((part) => part !== "").join(" › ")}`,
    ...message
      .replace(COLOUR, "")
      .split("\n")
      .filter((line) => line.trim() !== "")
      .slice(0, MESSAGE_LINES)
      .map((line) => `    ${line.replaceAll(`${root}/`, "").slice(0, 300)}`),
  ]);
  const more = failures.length - LISTED_FAILURES;
  return more > 0 ? [...lines, `and ${more} more, above`] : lines;
}

/**
 * The counts and failures of a runner that ended.
 *
 * @param {{ code: number, reportFile: string, count: (report: any) => Counts, list: (report: any) => Failure[] }} ended
 * @returns {Counts & { failures: Failure[] }}
 */
export function readReport({ code, reportFile, count, list }) {
  const crashed = (/** @type {string} */ message) => ({
    passed: 0,
    failed: 1,
    skipped: 0,
    failures: [{ where: "", title: "did not finish", message }],
  });
  if (!existsSync(reportFile)) return crashed(`It ended with ${code} and wrote no report.`);
  try {
    const report = JSON.parse(readFileSync(reportFile, "utf8"));
    const counts = count(report);
    const failures = list(report);
    if (code === 0 || counts.failed > 0) return { ...counts, failures };
    const title = "failed outside of every test";
    return { ...counts, failed: 1, failures: [{ where: "", title, message: `It ended with ${code}.` }] };
  } catch (error) {
    // The report was cut off, or has an unknown form: either way the runner did not finish.
    return crashed(`Its report cannot be read: ${error}`);
  }
}

/**
 * @param {readonly Counts[]} rows
 * @returns {Counts}
 */
export function sum(rows) {
  return rows.reduce(
    (total, row) => ({
      passed: total.passed + row.passed,
      failed: total.failed + row.failed,
      skipped: total.skipped + row.skipped,
    }),
    { passed: 0, failed: 0, skipped: 0 },
  );
}
