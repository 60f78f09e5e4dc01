/**
 * Reads what the test runners report and adds it up. A runner without a report, or with one that contradicts its exit code,
 * failed.
 */
import { existsSync, readFileSync } from "node:fs";

/** @typedef {{ passed: number, failed: number, skipped: number, repeated?: number }} Counts `repeated`: of those that passed, how many failed first */
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
/** Failed files that are run once more. */
const REPEATED_PLACES = 5;
// biome-ignore lint/suspicious/noControlCharactersInRegex: an escape sequence begins with a control character.
const COLOUR = /\u001B\[[\d;]*m/g;

/**
 * vitest's `json` reporter. A file that could not be run counts as one failed test.
 * @param {any} report
 * @returns {Counts}
 */
export function countVitest(report) {
  const tests = report.testResults.flatMap((/** @type {any} */ file) => file.assertionResults);
  const failedTests = tests.filter(hasFailed).length;
  return {
    passed: tests.filter(hasPassed).length,
    failed: failedTests + report.testResults.filter(couldNotBeRun).length,
    skipped: tests.filter((/** @type {any} */ test) => !hasPassed(test) && !hasFailed(test)).length,
    repeated:
      tests.filter((/** @type {any} */ test) => hasPassed(test) && hasMessages(test)).length +
      report.testResults.filter((/** @type {any} */ file) => file.couldNotBeRunFirst).length,
  };
}

const hasFailed = (/** @type {any} */ test) => test.status === "failed";
const hasPassed = (/** @type {any} */ test) => test.status === "passed";
/** What passed and has messages all the same failed before it was repeated. */
const hasMessages = (/** @type {any} */ test) => test.failureMessages?.length > 0;
const couldNotBeRun = (/** @type {any} */ file) => file.status === "failed" && !file.assertionResults.some(hasFailed);

/**
 * @param {any} report of vitest's `json` reporter
 * @returns {Failure[]}
 */
export function listVitestFailures(report) {
  return report.testResults.flatMap((/** @type {any} */ file) => {
    const failed = file.assertionResults.filter((/** @type {any} */ test) => hasFailed(test) || hasMessages(test));
    if (couldNotBeRun(file)) {
      return [{ where: file.name, title: "could not be run", message: file.message ?? "" }];
    }
    const first = file.couldNotBeRunFirst
      ? [{ where: file.name, title: "could not be run", message: file.message ?? "", passedLater: true }]
      : [];
    const others = failed.map((/** @type {any} */ test) => ({
      where: file.name,
      title: test.fullName,
      message: (test.failureMessages ?? []).join("\n"),
      ...(!hasFailed(test) && { passedLater: true }),
    }));
    return [...first, ...others];
  });
}

/**
 * What the whole run and then a run of its failed files give together: a test has passed when it passed in one of them.
 *
 * @param {any} first report of vitest's `json` reporter
 * @param {any} second of some of the same files
 */
export function mergeVitest(first, second) {
  const repeated = new Map(second.testResults.map((/** @type {any} */ file) => [file.name, file]));
  const testResults = first.testResults.map((/** @type {any} */ file) => {
    const later = repeated.get(file.name);
    if (later === undefined) return file;
    if (couldNotBeRun(file)) {
      return couldNotBeRun(later) ? file : { ...later, message: file.message, couldNotBeRunFirst: true };
    }
    const laterByName = new Map(later.assertionResults.map((/** @type {any} */ test) => [test.fullName, test]));
    const assertionResults = file.assertionResults.map((/** @type {any} */ test) => {
      const again = laterByName.get(test.fullName);
      // Left out because a hook before it failed.
      if (!hasPassed(test) && !hasFailed(test)) return again ?? test;
      const isFinal = hasPassed(test) || isProperty(test.failureMessages.join("\n"));
      if (isFinal || again === undefined || !hasPassed(again)) return test;
      return { ...test, status: "passed" };
    });
    return { ...file, assertionResults, status: assertionResults.some(hasFailed) ? "failed" : "passed" };
  });
  return { ...first, testResults };
}

/** A property's failure names a case that fails each time, so the next run's other cases prove nothing about it. */
const isProperty = (/** @type {string} */ message) => message.includes("Property failed after");

/**
 * The files, and of a browser test the line, that may pass when they run once more and by themselves.
 *
 * @param {readonly Failure[]} failures
 * @returns {string[]} None when there are many: then they have one cause, which is not the moment.
 */
export function listRepeatable(failures) {
  const candidates = failures.filter(
    ({ where, message, passedLater }) => !passedLater && where !== "" && !isProperty(message),
  );
  const places = [...new Set(candidates.map(({ where }) => where))];
  return places.length <= REPEATED_PLACES ? places : [];
}

/**
 * Playwright's `json` reporter. An error outside of tests counts as a failure.
 * @param {any} report
 * @returns {Counts}
 */
export function countPlaywright(report) {
  const { expected, unexpected, flaky, skipped } = report.stats;
  return { passed: expected + flaky, failed: unexpected + report.errors.length, skipped, repeated: flaky };
}

/**
 * As {@link mergeVitest}, of Playwright's `json` reporter.
 *
 * @param {any} first
 * @param {any} second
 */
export function mergePlaywright(first, second) {
  const passedLater = new Set(
    listSpecs(second).flatMap((spec) =>
      spec.tests.every((/** @type {any} */ test) => test.status === "expected") ? [spec.id] : [],
    ),
  );
  const merged = structuredClone(first);
  for (const spec of listSpecs(merged)) {
    if (!passedLater.has(spec.id)) continue;
    for (const test of spec.tests) {
      if (test.status !== "unexpected") continue;
      test.status = "flaky";
      merged.stats.unexpected -= 1;
      merged.stats.flaky += 1;
    }
  }
  return merged;
}

/**
 * @param {any} report of Playwright's `json` reporter, or a suite of it
 * @returns {any[]}
 */
function listSpecs({ suites = [], specs = [] }) {
  return [...specs, ...suites.flatMap(listSpecs)];
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
  for (const { file, line, title, tests } of listSpecs({ suites: report.suites })) {
    for (const test of tests) {
      if (test.status !== "unexpected" && test.status !== "flaky") continue;
      const error = test.results.find((/** @type {any} */ result) => result.error !== undefined)?.error;
      const passedLater = test.status === "flaky" && { passedLater: true };
      failures.push({ where: `${file}:${line}`, title, message: error?.message ?? "", ...passedLater });
    }
  }
  return failures;
}

/**
 * The lines that name each failed test again at the end of a run, where a reader, and a log that was cut off, has them.
 *
 * @param {readonly Row[]} rows
 * @param {string} root is omitted from file names
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
 * @returns {Counts & { failures: Failure[], content?: any }} `content`: the report, of a runner that finished
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
    const content = JSON.parse(readFileSync(reportFile, "utf8"));
    const counts = count(content);
    const failures = list(content);
    if (code === 0 || counts.failed > 0) return { ...counts, failures, content };
    const title = "failed outside of every test";
    return { ...counts, failed: 1, failures: [{ where: "", title, message: `It ended with ${code}.` }] };
  } catch (error) {
    // The report was cut off, or has an unknown form: either way the runner did not finish.
    return crashed(`Its report cannot be read: ${error}`);
  }
}

/**
 * A strict run's counts: a test that passed only when it was repeated has failed.
 *
 * @template {Row} R
 * @param {R} row
 * @returns {R}
 */
export function countStrictly(row) {
  const { passed, failed, repeated = 0 } = row;
  return { ...row, passed: Math.max(0, passed - repeated), failed: failed + repeated };
}

/**
 * @param {readonly Counts[]} rows
 * @returns {Required<Counts>}
 */
export function sum(rows) {
  return rows.reduce(
    (total, row) => ({
      passed: total.passed + row.passed,
      failed: total.failed + row.failed,
      skipped: total.skipped + row.skipped,
      repeated: total.repeated + (row.repeated ?? 0),
    }),
    /** @type {Required<Counts>} */ ({ passed: 0, failed: 0, skipped: 0, repeated: 0 }),
  );
}
