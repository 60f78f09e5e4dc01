import { describe, expect, test } from "vitest";
import { findLabelProblem, pickUserLabels } from "./user-labels.ts";

const LONGEST = "a".repeat(63);

describe("a label", () => {
  test.each([
    ["team", "maps"],
    ["team", ""],
    ["a", "1"],
    ["Team.Of_the-year", "A.b_c-d"],
    ["example.org/team", "maps"],
    [`${LONGEST}.example/${LONGEST}`, LONGEST],
  ])("%s=%s is sound", (key, value) => {
    expect(findLabelProblem(key, value)).toBeUndefined();
  });

  test.each([
    ["", "1", "name"],
    ["-a", "1", "name"],
    ["a.", "1", "name"],
    ["a b", "1", "name"],
    ["ü", "1", "name"],
    ["a\n", "1", "name"],
    ["__proto__", "1", "name"],
    [`${LONGEST}a`, "1", "name"],
    ["example.org/", "1", "name"],
    ["a/b/c", "1", "name"],
    ["/a", "1", "prefix"],
    ["Example.org/a", "1", "prefix"],
    ["example..org/a", "1", "prefix"],
    [`${"a.".repeat(127)}/a`, "1", "prefix"],
    ["a", "-1", "value"],
    ["a", "b c", "value"],
    ["a", "1\n", "value"],
    ["a", `${LONGEST}a`, "value"],
    ["toolhive", "true", "reserved"],
    ["toolhive-name", "x", "reserved"],
    ["ToolHive-instance", "x", "reserved"],
  ])("%j=%j has a problem with its %s", (key, value, what) => {
    const problem = findLabelProblem(key, value);

    expect(problem).toContain(what);
    expect(problem).toContain(key.replace("\n", "?").slice(0, 80));
    expect(problem).not.toContain("\n");
  });
});

describe("userLabels", () => {
  test("leaves out the program's own", () => {
    expect(pickUserLabels({ team: "maps", toolhive: "true", "toolhive-name": "x" })).toEqual({ team: "maps" });
    expect(pickUserLabels()).toEqual({});
  });
});
