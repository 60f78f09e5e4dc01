import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { findRepositoryRoot } from "../repository.ts";
import { findDifference } from "./compare-output.ts";

const ROOT = findRepositoryRoot();

test("the same output but for an address's port is no difference", () => {
  const shown = "everything is running at http://127.0.0.1:49296/mcp";

  expect(findDifference(shown, `everything is running at http://127.0.0.1:31337/mcp\n`)).toBeUndefined();
});

test("empty lines around and spaces behind do not count", () => {
  expect(findDifference("a\n\nb", "\na  \n\nb\n\n")).toBeUndefined();
});

test("no output matches an empty block and nothing else", () => {
  expect(findDifference("", "")).toBeUndefined();
  expect(findDifference("", "oops\n")).toContain("printed: oops");
});

test.each([
  ["another line", "a\nb", "a\nc", "shown:   b\nprinted: c"],
  ["a line too many", "a", "a\nb", "shown:   (the end)\nprinted: b"],
  ["a line too few", "a\nb", "a", "shown:   b\nprinted: (the end)"],
  ["lines in another order", "a\nb", "b\na", "shown:   a\nprinted: b"],
])("%s is a difference, and both lines are named", (_, shown, printed, expected) => {
  expect(findDifference(shown, printed)).toBe(expected);
});

test("what a slow machine prints while it works is no difference, and what a server says is", () => {
  const waiting =
    "Waiting for the server of notes to accept the sign-in: nobody is signed in at https://notes.example.com";
  const slow = `Starting the supervisor\nStarting notes: the image is pulled\nRestarting notes\n${waiting}\nnotes is running`;

  expect(findDifference("notes is running", slow)).toBeUndefined();
  expect(findDifference("notes is running", "Starting default (STDIO) server...\nnotes is running")).toBeDefined();
});

test("every text of a command's progress is left out", () => {
  const sources = execFileSync("git", ["ls-files", "--", "packages/cli/src/**/*.ts"], { cwd: ROOT, encoding: "utf8" })
    .split("\n")
    .filter((path) => path !== "" && !path.endsWith(".test.ts"))
    .map((path) => readFileSync(join(ROOT, path), "utf8"));
  const texts = sources.flatMap((source) =>
    [...source.matchAll(/(?:new Progress\([\w.]+, |doing: )(?:"([A-Z][^"]*)"|`([^`]+)`)/g)].map(([, plain, pattern]) =>
      (plain ?? pattern ?? "").replaceAll(/\$\{[\w.]+\}/g, "notes"),
    ),
  );

  expect(texts.length).toBeGreaterThan(10);
  // "Stopping" and its like get what is stopped.
  const lines = texts.map((text) => (/^\w+$/.test(text) ? `${text} 3 servers: 1 done` : text));
  expect(lines.filter((line) => findDifference("notes is running", `${line}\nnotes is running`) !== undefined)).toEqual(
    [],
  );
});

describe("an ellipsis", () => {
  test.each([
    ["at the end", "a\n…", "a\nb\nc"],
    ["at the start", "…\nc", "a\nb\nc"],
    ["in the middle", "a\n…\nd", "a\nb\nc\nd"],
    ["twice", "a\n…\nc\n…\ne", "a\nb\nc\nd\ne"],
    ["for nothing", "a\n…\nb", "a\nb"],
    ["for everything", "…", "a\nb"],
    ["before lines that come twice", "…\nx\ny", "x\nz\nx\ny"],
  ])("%s leaves lines out", (_, shown, printed) => {
    expect(findDifference(shown, printed)).toBeUndefined();
  });

  test.each([
    ["does not excuse another end", "a\n…\nd", "a\nb\nc"],
    ["does not excuse another start", "a\n…", "b\nc"],
    ["does not excuse a missing middle", "a\n…\nx\n…\nc", "a\nb\nc"],
    ["does not let one line count twice", "a\n…\na", "a"],
  ])("%s", (_, shown, printed) => {
    expect(findDifference(shown, printed)).toBeDefined();
  });
});
