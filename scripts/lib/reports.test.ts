import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
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
} from "./reports.mjs";

interface ReportedTest {
  readonly status: "passed" | "failed" | "skipped" | "pending" | "todo";
  readonly fullName: string;
  readonly failureMessages: readonly string[];
}

const passed = (fullName: string): ReportedTest => ({ status: "passed", fullName, failureMessages: [] });
const failed = (fullName: string, message = "too early"): ReportedTest => ({
  status: "failed",
  fullName,
  failureMessages: [message],
});
const leftOut = (status: "skipped" | "pending" | "todo"): ReportedTest => ({ ...passed(status), status });

const createFile = (name: string, ...assertionResults: ReportedTest[]) => ({
  name,
  status: assertionResults.some(({ status }) => status === "failed") ? "failed" : "passed",
  assertionResults,
});
const broken = (name: string, ...assertionResults: ReportedTest[]) => ({
  ...createFile(name, ...assertionResults),
  status: "failed",
  message: "The engine did not start.",
});

describe("countVitest", () => {
  test("failed tests are counted once, not once more for their file", () => {
    const testResults = [
      createFile("a", failed("one"), passed("two")),
      createFile("b", passed("three"), leftOut("pending"), leftOut("skipped"), leftOut("todo")),
    ];

    expect(countVitest({ testResults })).toEqual({ passed: 2, failed: 1, skipped: 3, repeated: 0 });
  });

  test("a file that could not be run is a failure", () => {
    expect(countVitest({ testResults: [createFile("a", failed("one")), broken("b")] }).failed).toBe(2);
  });
});

describe("a run and then a run of its failed files", () => {
  const merge = (first: readonly object[], second: readonly object[]) => {
    const report = mergeVitest({ testResults: first }, { testResults: second });
    return { counts: countVitest(report), failures: listVitestFailures(report) };
  };

  test("a test that passed in one of them has passed, and is listed with what failed first", () => {
    const { counts, failures } = merge(
      [createFile("a", failed("one", "No answer yet."), passed("two")), createFile("b", passed("three"))],
      [createFile("a", passed("one"), failed("two"))],
    );

    expect(counts).toEqual({ passed: 3, failed: 0, skipped: 0, repeated: 1 });
    expect(failures).toEqual([{ where: "a", title: "one", message: "No answer yet.", passedLater: true }]);
  });

  test("a test that failed twice has failed", () => {
    const { counts, failures } = merge([createFile("a", failed("one"))], [createFile("a", failed("one", "another"))]);

    expect(counts).toEqual({ passed: 0, failed: 1, skipped: 0, repeated: 0 });
    expect(failures).toEqual([{ where: "a", title: "one", message: "too early" }]);
  });

  test("a test that the second run left out has failed", () => {
    expect(merge([createFile("a", failed("one"))], [createFile("a")]).counts.failed).toBe(1);
    expect(
      merge([createFile("a", failed("one"))], [createFile("a", { ...failed("one"), status: "skipped" })]).counts.failed,
    ).toBe(1);
  });

  test("a property that failed has failed, whatever the next cases give", () => {
    const property = failed("holds", "Property failed after 12 tests\n{ seed: 7 }\nCounterexample: [0]");
    const { counts } = merge(
      [createFile("a", property, failed("one"))],
      [createFile("a", passed("holds"), passed("one"))],
    );

    expect(counts).toEqual({ passed: 1, failed: 1, skipped: 0, repeated: 1 });
  });

  test("a test that a failed hook left out counts as the second run has it", () => {
    const first = [createFile("a", failed("one"), leftOut("pending"), { ...failed("three"), status: "pending" })];
    const second = [createFile("a", passed("one"), leftOut("pending"), failed("three"))];

    expect(merge(first, second).counts).toEqual({ passed: 1, failed: 1, skipped: 1, repeated: 1 });
  });

  test("a file that could be run the second time counts with its tests, and is listed", () => {
    const { counts, failures } = merge(
      [broken("a", leftOut("pending"), leftOut("pending"))],
      [createFile("a", passed("one"), passed("two"))],
    );

    expect(counts).toEqual({ passed: 2, failed: 0, skipped: 0, repeated: 1 });
    expect(failures).toEqual([
      { where: "a", title: "could not be run", message: "The engine did not start.", passedLater: true },
    ]);
  });

  test("a file that could not be run twice is a failure, and so is one whose tests fail then", () => {
    expect(merge([broken("a")], [broken("a")]).counts.failed).toBe(1);
    expect(merge([broken("a")], [createFile("a", failed("one"))]).counts.failed).toBe(1);
  });

  test("a browser test that passed in one of them has passed, and is listed", () => {
    const createSpec = (id: string, status: string) => ({
      id,
      file: "search.e2e.ts",
      line: 7,
      title: id,
      tests: [{ status, results: status === "unexpected" ? [{ error: { message: "Timed out" } }] : [{}] }],
    });
    const createReport = (unexpected: number, ...specs: object[]) => ({
      stats: { expected: specs.length - unexpected, unexpected, flaky: 0, skipped: 0 },
      errors: [],
      suites: [{ suites: [{ specs }] }],
    });

    const report = mergePlaywright(
      createReport(
        2,
        createSpec("one", "expected"),
        createSpec("two", "unexpected"),
        createSpec("three", "unexpected"),
      ),
      createReport(1, createSpec("two", "expected"), createSpec("three", "unexpected")),
    );

    expect(countPlaywright(report)).toEqual({ passed: 2, failed: 1, skipped: 0, repeated: 1 });
    expect(listPlaywrightFailures(report)).toEqual([
      { where: "search.e2e.ts:7", title: "two", message: "Timed out", passedLater: true },
      { where: "search.e2e.ts:7", title: "three", message: "Timed out" },
    ]);
  });
});

describe("listRepeatable", () => {
  const createFailure = (where: string, rest = {}) => ({ where, title: "one", message: "too early", ...rest });

  test("each place is run once, without what passed, what has no file, and properties", () => {
    const failures = [
      createFailure("a"),
      createFailure("a"),
      createFailure("b", { passedLater: true }),
      createFailure(""),
      createFailure("c", { message: "Property failed after 1 tests" }),
      createFailure("d"),
    ];

    expect(listRepeatable(failures)).toEqual(["a", "d"]);
  });

  test("of many failed files none is run again", () => {
    const places = ["a", "b", "c", "d", "e", "f"].map((where) => createFailure(where));

    expect(listRepeatable(places.slice(1))).toHaveLength(5);
    expect(listRepeatable(places)).toEqual([]);
  });
});

test("in a strict run a test that passed only when it was repeated has failed", () => {
  const row = { name: "unit tests", durationMs: 1, skipped: 2 };

  expect(countStrictly({ ...row, passed: 5, failed: 1, repeated: 2 })).toMatchObject({
    passed: 3,
    failed: 3,
    skipped: 2,
  });
  expect(countStrictly({ ...row, passed: 1, failed: 0 })).toMatchObject({ passed: 1, failed: 0 });
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
    const { passed, failed, skipped } = readReport({ code, reportFile, count, list: () => [] });
    return { passed, failed, skipped };
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
    { passed: 3, failed: 4, skipped: 0, repeated: 1 },
  ];

  expect(sum(rows)).toEqual({ passed: 4, failed: 4, skipped: 2, repeated: 1 });
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
    expect(countVitest({ testResults })).toMatchObject({ passed: 1, failed: 0, repeated: 1 });
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
