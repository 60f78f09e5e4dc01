import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  countPlaywright,
  countVitest,
  formatFailures,
  listPlaywrightFailures,
  listVitestFailures,
  readReport,
  sum,
} from "./reports.mjs";

const VITEST = { numPassedTests: 5, numFailedTests: 1, numPendingTests: 2, numTodoTests: 1 };

describe("countVitest", () => {
  test("failed tests are counted once, not once more for their file", () => {
    const testResults = [{ status: "failed", assertionResults: [{ status: "failed" }, { status: "passed" }] }];

    expect(countVitest({ ...VITEST, testResults })).toEqual({ passed: 5, failed: 1, skipped: 3 });
  });

  test("a file that could not be run is a failure", () => {
    const testResults = [
      { status: "failed", assertionResults: [{ status: "failed" }] },
      { status: "failed", assertionResults: [] },
    ];

    expect(countVitest({ ...VITEST, testResults }).failed).toBe(2);
  });
});

test("a browser test that passes only when repeated is a failure", () => {
  const report = { stats: { expected: 7, unexpected: 1, flaky: 2, skipped: 3 }, errors: [] };

  expect(countPlaywright(report)).toEqual({ passed: 7, failed: 3, skipped: 3 });
});

test("an error outside every browser test is a failure", () => {
  const report = { stats: { expected: 7, unexpected: 0, flaky: 0, skipped: 0 }, errors: [{ message: "no server" }] };

  expect(countPlaywright(report).failed).toBe(1);
});

describe("readReport", () => {
  let folder = "";
  const count = (report: { passed: number; failed: number }) => ({ ...report, skipped: 0 });
  const read = (code: number, content?: string) => {
    const reportFile = join(folder, "report.json");
    if (content !== undefined) writeFileSync(reportFile, content);
    const { failures, ...counts } = readReport({ code, reportFile, count, list: () => [] });
    return counts;
  };

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "thv-report-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  test("a runner that wrote no report counts as one failure", () => {
    expect(read(0)).toEqual({ passed: 0, failed: 1, skipped: 0 });
  });

  test("a report that was cut off counts as one failure", () => {
    expect(read(1, '{"passed": 3')).toEqual({ passed: 0, failed: 1, skipped: 0 });
  });

  test("a runner that fails without a failed test counts as one failure beside what passed", () => {
    expect(read(1, '{"passed": 3, "failed": 0}')).toEqual({ passed: 3, failed: 1, skipped: 0 });
  });

  test("a runner's own failures are not raised by its exit code", () => {
    expect(read(1, '{"passed": 3, "failed": 2}')).toEqual({ passed: 3, failed: 2, skipped: 0 });
  });
});

test("rows add up", () => {
  const rows = [
    { passed: 1, failed: 0, skipped: 2 },
    { passed: 3, failed: 4, skipped: 0 },
  ];

  expect(sum(rows)).toEqual({ passed: 4, failed: 4, skipped: 2 });
});

describe("formatFailures", () => {
  const row = { name: "unit tests", passed: 1, failed: 1, skipped: 0, durationMs: 1 };

  test("a failed test of vitest is named with its file, title and message, from the repository's root", () => {
    const assertionResults = [
      { status: "passed", fullName: "sums" },
      {
        status: "failed",
        fullName: "adds two",
        failureMessages: ["\u001B[31mexpected 3\u001B[0m\n\n  at /home/a/x.test.ts:3"],
      },
    ];
    const failures = listVitestFailures({
      testResults: [{ name: "/home/a/x.test.ts", status: "failed", assertionResults }],
    });

    expect(formatFailures([{ ...row, failures }], "/home/a")).toEqual([
      "✗ unit tests │ x.test.ts › adds two",
      "    expected 3",
      "      at x.test.ts:3",
    ]);
  });

  test("a test that passed only when it was repeated is named, and is not a failure", () => {
    const assertionResults = [{ status: "passed", fullName: "waits", failureMessages: ["too early"] }];
    const testResults = [{ name: "/a/x.e2e.test.ts", status: "passed", assertionResults }];

    expect(formatFailures([{ ...row, failures: listVitestFailures({ testResults }) }], "/a")).toEqual([
      "↻ passed when repeated: unit tests │ x.e2e.test.ts › waits",
      "    too early",
    ]);
    expect(countVitest({ ...VITEST, numFailedTests: 0, testResults })).toMatchObject({ failed: 0 });
  });

  test("a file that could not be run is named with what stopped it", () => {
    const failures = listVitestFailures({
      testResults: [{ name: "/a/x.test.ts", status: "failed", message: "SyntaxError", assertionResults: [] }],
    });

    expect(formatFailures([{ ...row, failures }], "/a")).toEqual([
      "✗ unit tests │ x.test.ts › could not be run",
      "    SyntaxError",
    ]);
  });

  test("a browser test in a group, and an error outside of them, are named", () => {
    const results = [{ error: { message: "Timed out" } }];
    const spec = { file: "search.e2e.ts", line: 7, title: "finds", tests: [{ status: "unexpected", results }] };
    const failures = listPlaywrightFailures({
      errors: [{ message: "no server" }],
      suites: [{ suites: [{ specs: [spec] }] }],
    });

    expect(formatFailures([{ ...row, name: "browser tests", failures }], "/a")).toEqual([
      "✗ browser tests │ outside of every test",
      "    no server",
      "✗ browser tests │ search.e2e.ts:7 › finds",
      "    Timed out",
    ]);
  });

  test("of many failures the first are named and the others counted", () => {
    const failures = Array.from({ length: 25 }, (_, index) => ({ where: "", title: `test ${index}`, message: "" }));
    const lines = formatFailures([{ ...row, failures }], "/a");

    expect(lines).toHaveLength(21);
    expect(lines.at(-1)).toBe("and 5 more, above");
  });
});
