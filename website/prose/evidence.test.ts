/** Claims of pages have something behind them: numbers come from the code, behaviour names its test. */
import { describe, expect, test } from "vitest";
import {
  hasTest,
  listBareNumbers,
  listEvidence,
  listTextSources,
  listUnprovenLimits,
  readTestFiles,
  readWaitingLimits,
} from "./evidence.ts";
import { listWrittenPages } from "./pages.ts";

/** Pages about programs that are not ours, whose numbers no code of ours has. */
const ABOUT_OTHERS = /guides-k8s\/|quickstart-k8s/;
const pages = listWrittenPages().filter(({ file }) => !ABOUT_OTHERS.test(file));
const files = readTestFiles();

describe.each(pages.filter(({ kind }) => kind !== "text"))("$file", ({ source }) => {
  test("has no number with a unit that neither the code nor a test stands behind", () => {
    expect(listBareNumbers(source)).toEqual([]);
  });
});

/**
 * A limit that somebody plans by ("only", "never", "not possible", a table's "No") names its test. Claims that were written
 * before this rule wait in `waiting-limits.json`; the list only gets shorter.
 */
describe.each(listWrittenPages().filter(({ kind }) => kind !== "text"))("$file", ({ file, source }) => {
  const waiting = readWaitingLimits(file);
  const unproven = listUnprovenLimits(source);

  test("claims no limit that a test does not show", () => {
    expect(unproven.filter((claim) => !waiting.includes(claim))).toEqual([]);
  });

  test("has no claim in the list of those that wait for a test, which is gone or shown by now", () => {
    expect(waiting.filter((claim) => !unproven.includes(claim))).toEqual([]);
  });
});

describe.each([...pages, ...listTextSources()])("$file", ({ source }) => {
  test("names tests that are there", () => {
    const missing = listEvidence(source).filter((evidence) => !hasTest(evidence, files));

    expect(missing).toEqual([]);
  });
});

describe("the rules", () => {
  test.each([
    ["A server may take 2 GiB of memory.", ["2 GiB"]],
    ["It is killed after thirty seconds.", ["thirty seconds"]],
    ['It is killed after <Constant name="stopGrace" />.', []],
    ["It takes about ten minutes.", []],
    ["Say `--timeout 5 seconds`.", []],
    ["```bash\nsleep 30 seconds\n```", []],
    ["It is killed after 30 seconds. {/* shown by stop.e2e: `waits` */}", []],
    ["It is killed after 30 seconds.\n\nElsewhere. {/* shown by stop.e2e: `waits` */}", ["30 seconds"]],
    ["- Six times {/* shown by a: `b` */}\n- Seven times", ["Seven times"]],
  ])("%j: bare numbers are %j", (source, numbers) => {
    expect(listBareNumbers(source)).toEqual(numbers);
  });

  test.each([
    ["A server starts. Another one stops.", []],
    ["It only reads files.", ["It only reads files."]],
    ["It only reads files. {/* shown by a.e2e: `reads` */}", []],
    ["## Only files\n\nSay `only`.", []],
    ["<details>\n<summary>It cannot stop</summary>\n\nWait.\n\n</details>", []],
    ["| Only files | And |\n|---|---|\n| a | b |", []],
    ["| Only | And |\n|---|:-:|\n| No | b |", ["| No | b |"]],
    ["| Windows | Yes |", ["| Windows | Yes |"]],
    ["| macOS | — | x |", ["| macOS | — | x |"]],
    ["| It is read | It never is {/* shown by a.e2e: `is not` */} |", []],
    ["- A\n- You cannot\n  go back.", ["- You cannot go back."]],
  ])("%j: limits without a test are %j", (source, limits) => {
    expect(listUnprovenLimits(source)).toEqual(limits);
  });

  test.each([
    "{/* shown by a.e2e: `b` */}",
    "<!-- shown by a.e2e: `b` -->",
    "  // shown by a.e2e: `b`\n  text",
    "| x {/* shown by a.e2e: `b` */} |\n| y |",
  ])("evidence is found in %j", (source) => {
    expect(listEvidence(source)).toEqual([{ file: "a.e2e", title: "b" }]);
  });

  test("a test that is not there is not shown", () => {
    expect(hasTest({ file: "evidence", title: "a test that is not there is not shown" }, files)).toBe(true);
    expect(hasTest({ file: "evidence", title: ["another", "title"].join(" ") }, files)).toBe(false);
    expect(hasTest({ file: "no-such-file", title: "x" }, files)).toBe(false);
  });

  test("a title may go on with the reason why the test is left out, and with nothing else", () => {
    const written = new Map([
      ["a.e2e", [`test(\`reads the file\${needsRoot}\`)`, `test(\`reads the folder\${mode}\`)`]],
    ]);

    expect(hasTest({ file: "a.e2e", title: "reads the file" }, written)).toBe(true);
    expect(hasTest({ file: "a.e2e", title: "reads the folder" }, written)).toBe(false);
  });
});
