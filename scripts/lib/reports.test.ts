import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { countPlaywright, countVitest, readCounts, sum } from "./reports.mjs";

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

describe("readCounts", () => {
  let folder = "";
  const count = (report: { passed: number; failed: number }) => ({ ...report, skipped: 0 });
  const read = (code: number, content?: string) => {
    const reportFile = join(folder, "report.json");
    if (content !== undefined) writeFileSync(reportFile, content);
    return readCounts({ code, reportFile, count });
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
