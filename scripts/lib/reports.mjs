/** Reads what the test runners report and adds it up. A runner that says nothing, or less than its exit code, failed. */
import { existsSync, readFileSync } from "node:fs";

/** @typedef {{ passed: number, failed: number, skipped: number }} Counts */
/** @typedef {Counts & { name: string, durationMs: number }} Row */

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
 * Playwright's `json` reporter. A test that passed only when repeated counts as failed, an error outside tests too.
 * @param {any} report
 * @returns {Counts}
 */
export function countPlaywright(report) {
  const { expected, unexpected, flaky, skipped } = report.stats;
  return { passed: expected, failed: unexpected + flaky + report.errors.length, skipped };
}

/**
 * The counts of a runner that ended.
 *
 * @param {{ code: number, reportFile: string, count: (report: any) => Counts }} ended
 * @returns {Counts}
 */
export function readCounts({ code, reportFile, count }) {
  const crashed = { passed: 0, failed: 1, skipped: 0 };
  if (!existsSync(reportFile)) return crashed;
  let counts;
  try {
    counts = count(JSON.parse(readFileSync(reportFile, "utf8")));
  } catch {
    return crashed; // cut off in the middle, or of a form nobody knows: either way the runner did not finish
  }
  return code !== 0 && counts.failed === 0 ? { ...counts, failed: 1 } : counts;
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
