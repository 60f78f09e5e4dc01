import { describe, expect, test } from "vitest";
import { Cedar } from "./cedar.ts";
import { findPolicyProblem } from "./find-policy-problem.ts";
import { measureJsonDepth, measurePolicy } from "./policy-bounds.ts";
import { MAX_POLICY_DEPTH, MAX_POLICY_LENGTH } from "./policy-limits.ts";

function configure(policies: readonly string[], entities: unknown = []) {
  const text = typeof entities === "string" ? entities : JSON.stringify(entities);
  return { version: "1.0", type: "cedarv1" as const, cedar: { policies: [...policies], entities_json: text } };
}

function when(condition: string): string {
  return `permit(principal, action, resource) when { ${condition} };`;
}

const SILENT = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const caller = { id: "ada", claims: { sub: "ada" } };
const query = { action: "call_tool" as const, name: "add", args: { a: 1 } };

/** Each makes a policy whose tree has about that many levels. */
const SHAPES: readonly (readonly [string, (levels: number) => string])[] = [
  ["parentheses", (n) => when(`${"(".repeat(n)}true${")".repeat(n)}`)],
  ["parentheses behind alternatives", (n) => when(`${"(false || ".repeat(n)}true${")".repeat(n)}`)],
  ["lists", (n) => when(`[${"[".repeat(n)}${"]".repeat(n)}].contains(1)`)],
  ["records", (n) => when(`${"{a: ".repeat(n)}1${"}".repeat(n)} == 1`)],
  ["negations", (n) => when(`${"!(".repeat(n)}true${")".repeat(n)}`)],
  ["four negations at a time", (n) => when(`${"!!!!(".repeat(n)}true${")".repeat(n)}`)],
  ["signs", (n) => when(`${"----(".repeat(n)}1${")".repeat(n)} == 1`)],
  ["conditions behind else", (n) => when(`${"if false then true else ".repeat(n)}true`)],
  ["conditions behind then", (n) => when(`${"if true then ".repeat(n)}true${" else true".repeat(n)}`)],
  ["conditions in conditions", (n) => when(`${"(if ".repeat(n)}true${" then true else false)".repeat(n)}`)],
  ["attributes of attributes", (n) => when(`context${".a".repeat(n)}`)],
  ["attributes named like operators", (n) => when(`context${".inside.like_this".repeat(n)}`)],
  ["indexes", (n) => when(`context${'["a"]'.repeat(n)}`)],
  ["sums", (n) => when(`1${" + 1".repeat(n)} == 1`)],
  ["differences", (n) => when(`1${" - 1".repeat(n)} == 1`)],
  ["products", (n) => when(`1${" * 1".repeat(n)} == 1`)],
  ["calls in a row", (n) => when(`[1]${".contains(1)".repeat(n)}`)],
  ["calls in calls", (n) => when(`${"[1].contains(".repeat(n)}1${")".repeat(n)}`)],
  ["functions", (n) => when(`${"decimal(".repeat(n)}"1.0"${")".repeat(n)} == 1`)],
  ["many alternatives", (n) => when(`false${" || false".repeat(6 * n)}`)],
  ["many conjunctions", (n) => when(`true${" && true".repeat(6 * n)}`)],
  ["many exceptions", (n) => `permit(principal, action, resource) ${"unless { false } ".repeat(n)};`],
  ["operators behind what is in brackets", (n) => when(`${"(".repeat(n)}1${" + 1 + 1 + 1)".repeat(n)} == 1`)],
  ["all at once", (n) => when(`${"!(if true then [{a: ".repeat(n)}1${"}].isEmpty() else true)".repeat(n)}`)],
];

describe.each(SHAPES)("a policy of %s", (_, build) => {
  test.each([MAX_POLICY_DEPTH, 200, 2_000])(
    "with %i levels is refused, and what is said of it names the depth",
    (levels) => {
      const text = build(levels);

      const problem = findPolicyProblem(configure([text]));

      const expected = text.length > MAX_POLICY_LENGTH ? "characters long, and may be" : "levels deep, and may be 32";
      expect(problem).toContain(`cedar.policies[0] is`);
      expect(problem).toContain(expected);
    },
  );

  test("that is as deep as it may be does not end the engine's stack", () => {
    let levels = MAX_POLICY_DEPTH;
    while (measurePolicy(build(levels)).depth > MAX_POLICY_DEPTH) levels -= 1;
    expect(levels).toBeGreaterThan(3);

    // Some are no valid policies, which the engine says itself.
    expect(findPolicyProblem(configure([build(levels)])) ?? "").not.toMatch(/engine failed/);
    const allowAll = when("true");
    const cedar = (() => {
      try {
        return Cedar.open(configure([allowAll, build(levels)]), SILENT);
      } catch {
        return Cedar.open(configure([allowAll]), SILENT);
      }
    })();
    expect(cedar.decide(caller, query).problem ?? "").not.toMatch(/engine failed/);
  });
});

test("policies that are too deep are a mistake of the request, with what to do about it", () => {
  const open = () => Cedar.open(configure([when(`${"(".repeat(1_000)}true${")".repeat(1_000)}`)]), SILENT);

  expect(open).toThrow(
    expect.objectContaining({
      code: "INVALID_ARGUMENT",
      status: 400,
      message: expect.stringMatching(/is nested 100\d levels deep, and may be 32/),
      hint: expect.stringContaining("at most 32 levels"),
    }),
  );
});

test.each([
  ["a string", when('context.a == "((((((((((((((((((((((((((((((((((((((((((((((("')],
  ["a string with an escaped quote", when(`context.a == "\\"${"(".repeat(60)}"`)],
  ["a comment", `// ${"(".repeat(100)}\n${when("true")}`],
  ["a comment that a carriage return ends", `// ${"(".repeat(100)}\r${when("true")}`],
])("brackets in %s do not count", (_, text) => {
  expect(measurePolicy(text).depth).toBeLessThan(6);
});

test("brackets behind a comment that a carriage return ended count", () => {
  expect(measurePolicy(`//\r${when(`${"(".repeat(60)}true${")".repeat(60)}`)}`).depth).toBeGreaterThan(60);
});

test("a long policy that people write is not deep", () => {
  const tools = Array.from({ length: 100 }, (_, index) => `resource == Tool::"tool${index}"`).join(" || ");
  const text = `permit(principal, action == Action::"call_tool", resource) when { (${tools}) && context.arg_a.b.c <= 1 + 2 * 3 };`;

  expect(measurePolicy(text).depth).toBeLessThanOrEqual(MAX_POLICY_DEPTH);
  expect(findPolicyProblem(configure([text]))).toBeUndefined();
});

test.each([
  ["objects", `[{"uid":{"type":"A","id":"a"},"attrs":${'{"a":'.repeat(40)}1${"}".repeat(40)}}]`],
  ["lists", `[{"uid":{"type":"A","id":"a"},"attrs":{"a":${"[".repeat(40)}${"]".repeat(40)}}}]`],
  [
    "lists in a member that the engine does not know",
    `[{"uid":{"type":"A","id":"a"},"x":${"[".repeat(5_000)}${"]".repeat(5_000)}}]`,
  ],
])("entities of deep %s are refused with their depth", (_, text) => {
  expect(findPolicyProblem(configure([when("true")], text))).toMatch(
    /entities_json is nested \d+ levels deep, and may be 32/,
  );
});

test("entities as deep as they may be are read", () => {
  const levels = MAX_POLICY_DEPTH - 3;
  const text = `[{"uid":{"type":"A","id":"a"},"attrs":{"a":${"[".repeat(levels)}${"]".repeat(levels)}}}]`;

  expect(measureJsonDepth(text)).toBe(MAX_POLICY_DEPTH);
  expect(findPolicyProblem(configure([when("true")], text))).toBeUndefined();
});

test.each([
  ["a chain", 1_200, (index: number) => [index + 1]],
  ["a circle", 1_200, (index: number) => [(index + 1) % 1_200]],
  ["layers", 400, (index: number) => Array.from({ length: 20 }, (_, each) => (Math.floor(index / 20) + 1) * 20 + each)],
])("entities whose parents are %s are refused before the engine works out who is above whom", (_, count, list) => {
  const entities = Array.from({ length: count }, (_each, index) => ({
    uid: { type: "T", id: `${index}` },
    parents: list(index).map((id) => ({ type: "T", id: `${id}` })),
  }));

  expect(findPolicyProblem(configure([when("true")], entities))).toContain("steps from entities to those above them");
});

test("patterns that would be compared with each character of an argument are bounded together", () => {
  const policy = when(`context has arg_a && context.arg_a like "*${"a".repeat(3_000)}b"`);

  expect(findPolicyProblem(configure([policy]))).toBeUndefined();
  expect(findPolicyProblem(configure([policy, policy]))).toContain("patterns of like");
});

test.each([
  ["one policy", configure([when(`context.a == "${"x".repeat(MAX_POLICY_LENGTH)}"`)])],
  ["all policies", configure(Array.from({ length: 5 }, () => when(`context.a == "${"x".repeat(60_000)}"`)))],
  ["the entities", configure([when("true")], `["${"x".repeat(300_000)}"]`)],
])("the length of %s is bounded", (_, config) => {
  expect(findPolicyProblem(config)).toContain("characters long");
});
