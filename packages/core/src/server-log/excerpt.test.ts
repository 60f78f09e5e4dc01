/** Outputs as servers and package managers write them, and the line that says what is wrong. */
import { describe, expect, test } from "vitest";
import { excerptLines, OutputSample } from "./excerpt.ts";

const numbered = (count: number, text = "line") => Array.from({ length: count }, (_, index) => `${text} ${index}`);
/** Only the cause, between what is left out. */
const findCause = (text: string) =>
  excerptLines(["begin", ...text.split("\n"), "end"], { first: 0, last: 0 }).filter((line) => !line.startsWith("…"));

describe("an excerpt of an output", () => {
  test("of few lines is all of them, without blank ones", () => {
    expect(excerptLines(["one", "", "two", "  "])).toEqual(["one", "two"]);
    expect(excerptLines([])).toEqual([]);
    expect(excerptLines(numbered(9))).toEqual(numbered(9));
  });

  test("says how many lines it leaves out", () => {
    const lines = numbered(30);

    expect(excerptLines(lines)).toEqual([...lines.slice(0, 3), "… 21 lines left out …", ...lines.slice(-6)]);
    expect(excerptLines(numbered(10))[3]).toBe("… 1 line left out …");
  });

  test("of a usage text begins with the reason above it", () => {
    const flags = numbered(30, "  --flag string required text");

    const excerpt = excerptLines(["server 1.0", ...numbered(5, "loading"), "Error: ACME_KEY is missing", ...flags]);

    expect(excerpt).toEqual([
      "server 1.0",
      "loading 0",
      "loading 1",
      "… 3 lines left out …",
      "Error: ACME_KEY is missing",
      "… 24 lines left out …",
      ...flags.slice(-6),
    ]);
  });

  test("finds the reason in the middle of an output of any length, and keeps little of it", () => {
    const sample = new OutputSample();
    for (let index = 0; index < 100_000; index += 1) sample.add(index === 50_000 ? "fatal: no key" : `line ${index}`);

    expect(sample.excerpt({ first: 1, last: 1 })).toEqual([
      "line 0",
      "… 49999 lines left out …",
      "fatal: no key",
      "… 49998 lines left out …",
      "line 99999",
    ]);
    expect(sample.lastLines.length).toBeLessThan(130);
  });

  test("cuts a line that is very long", () => {
    expect(excerptLines([`Error: ${"x".repeat(1_000_000)}`])[0]?.length).toBeLessThan(1_000);
  });
});

describe("the line that says what is wrong", () => {
  test.each([
    [
      "of Node.js",
      "Error: EACCES: permission denied, open 'state.db'",
      `node:internal/process/promises:394
      triggerUncaughtException(err, true /* fromPromise */);
      ^

Error: EACCES: permission denied, open 'state.db'
    at async open (node:internal/fs/promises:639:25)
    at async file:///app/server.js:3:1 {
  errno: -13,
  code: 'EACCES',
  syscall: 'open',
  path: 'state.db'
}

Node.js v22.20.0`,
    ],
    [
      "of Python",
      "ImportError: Bad git executable.",
      `Traceback (most recent call last):
  File "/opt/lib/python3.12/site-packages/git/__init__.py", line 296, in <module>
    refresh()
  File "/opt/lib/python3.12/site-packages/git/cmd.py", line 350, in refresh
    raise ImportError(err)
    ^^^^^^^^^^^^^^^^^^^^^^
ImportError: Bad git executable.
The git executable must be specified in one of the following ways:
    - be included in your $PATH
    - be set via $GIT_PYTHON_GIT_EXECUTABLE
This initial message can be silenced or aggravated in the future by setting the
$GIT_PYTHON_REFRESH environment variable. Use one of the following values:
    - quiet|q|silence|s|n|none|0: for no message or exception
    - error|e|exception|raise|r|2: for a raised exception`,
    ],
    [
      "in a group of exceptions",
      "    | ValueError: ACME_URL is not set",
      `  + Exception Group Traceback (most recent call last):
  |   File "/app/server.py", line 9, in main
  | ExceptionGroup: unhandled errors in a TaskGroup (1 sub-exception)
  +-+---------------- 1 ----------------
    | Traceback (most recent call last):
    |   File "/app/server.py", line 5, in run
    | ValueError: ACME_URL is not set
    +------------------------------------`,
    ],
    [
      "of Go",
      "panic: runtime error: invalid memory address or nil pointer dereference",
      `2026/01/31 12:00:00 starting
panic: runtime error: invalid memory address or nil pointer dereference
[signal SIGSEGV: segmentation violation code=0x1 addr=0x0 pc=0x0]

goroutine 1 [running]:
main.main()
	/app/main.go:12 +0x1d`,
    ],
    [
      "of a Go program's log",
      'time=2026-01-31T12:00:00Z level=ERROR msg="no kubeconfig"',
      `time=2026-01-31T12:00:00Z level=INFO msg="required settings are read"
time=2026-01-31T12:00:00Z level=ERROR msg="no kubeconfig"
Usage:
  server [flags]
Flags:
      --config string   required`,
    ],
    [
      "of a log with a time before it",
      "2026-01-31 12:00:00,123 ERROR: connection to the database failed",
      "2026-01-31 12:00:00,100 INFO: reading\n2026-01-31 12:00:00,123 ERROR: connection to the database failed\nbye",
    ],
    [
      "of a sentence without a mark",
      "Please set the required variable ACME_KEY.",
      "Please set the required variable ACME_KEY.",
    ],
    [
      "beside a warning",
      "ACME_KEY must be set",
      "npm warn deprecated glob@7: failed versions\nWarning: cannot use colors\nACME_KEY must be set",
    ],
  ])("%s is found", (_what, cause, text) => {
    expect(findCause(text)).toEqual([cause]);
  });

  test("is not found where no line says it", () => {
    expect(findCause("listening\nserving\n  at work\n--flag error: text")).toEqual([]);
  });
});
