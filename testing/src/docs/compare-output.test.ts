import { describe, expect, test } from "vitest";
import { findDifference } from "./compare-output.ts";

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
  const slow = "Starting the supervisor\nStarting notes: the image is pulled\nRestarting notes\nnotes is running";

  expect(findDifference("notes is running", slow)).toBeUndefined();
  expect(findDifference("notes is running", "Starting default (STDIO) server...\nnotes is running")).toBeDefined();
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
