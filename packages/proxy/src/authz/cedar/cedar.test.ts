/** What policies see of a call, and what happens when they cannot decide. */
import { describe, expect, test } from "vitest";
import { Cedar } from "./cedar.ts";
import { MAX_ARGUMENTS, MAX_ARGUMENTS_LENGTH, MAX_NAME_LENGTH } from "./policy-limits.ts";

const SILENT = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const PERMIT = "permit(principal, action, resource);";

function allows(policies: readonly string[], args: Readonly<Record<string, unknown>>, name = "pay"): boolean {
  const cedar = Cedar.open({ version: "1.0", type: "cedarv1", cedar: { policies: [...policies] } }, SILENT);
  return cedar.isAllowed({ id: "ada", claims: { sub: "ada" } }, { action: "call_tool", name, args });
}

const whenArgument = (condition: string) => `permit(principal, action, resource) when { ${condition} };`;

describe("a policy that cannot be evaluated", () => {
  test.each([
    ["permits nothing", [whenArgument("context.arg_amount <= 100")]],
    ["denies the call that another one permits", [PERMIT, whenArgument("context.arg_amount <= 100")]],
    ["denies it where it forbids", [PERMIT, "forbid(principal, action, resource) when { context.arg_amount > 100 };"]],
  ])("%s", (_what, policies) => {
    expect(allows(policies, { amount: 1 })).toBe(true);
    expect(allows(policies, { amount: "1" })).toBe(false);
    expect(allows(policies, {})).toBe(false);
  });
});

test("of a list or an object policies see only whether it is there", () => {
  const present = whenArgument("context has arg_filter_present");
  const value = whenArgument("context has arg_filter");

  for (const filter of [[], ["a"], {}, { a: 1 }]) {
    expect([allows([present], { filter }), allows([value], { filter })]).toEqual([true, false]);
  }
  expect([allows([present], { filter: "a" }), allows([value], { filter: "a" })]).toEqual([false, true]);
});

describe("a call is denied", () => {
  test("with more arguments, or longer ones, than policies evaluate, of which those that no policy names do not count", () => {
    const names = Array.from({ length: MAX_ARGUMENTS + 1 }, (_, index) => `a${index}`);
    const has = names.map((name) => `context has arg_${name}`);
    const policies = [PERMIT, ...has.map((condition) => whenArgument(condition))];
    const args = (count: number, prefix = "a") =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`${prefix}${index}`, 1]));

    expect(allows(policies, args(MAX_ARGUMENTS))).toBe(true);
    expect(allows(policies, args(MAX_ARGUMENTS + 1))).toBe(false);
    expect(allows(policies, args(MAX_ARGUMENTS * 4, "other"))).toBe(true);
    expect(allows(policies, { a0: "x".repeat(MAX_ARGUMENTS_LENGTH) })).toBe(false);
    expect(allows(policies, { other: "x".repeat(MAX_ARGUMENTS_LENGTH) })).toBe(true);
  });

  test("with a name that is longer than policies evaluate", () => {
    expect(allows([PERMIT], {}, "x".repeat(MAX_NAME_LENGTH))).toBe(true);
    expect(allows([PERMIT], {}, "x".repeat(MAX_NAME_LENGTH + 1))).toBe(false);
  });
});
test("each problem of policies and entities has its place in the request", () => {
  const policies = ["permit(principal, action, resource);", "permit(principal"];
  const open = (entities_json: string) => () =>
    Cedar.open({ version: "1.0", type: "cedarv1", cedar: { policies, entities_json } }, SILENT);

  expect(open('[{"uid":5}]')).toThrow(
    expect.objectContaining({
      code: "INVALID_ARGUMENT",
      problems: expect.arrayContaining([
        {
          path: ["authz_config", "cedar", "policies", "1"],
          sentence: expect.stringMatching(/^cedar\.policies\[1\], line 1, column \d+: /),
        },
        {
          path: ["authz_config", "cedar", "entities_json"],
          sentence: expect.stringMatching(/^cedar\.entities_json\[0\]: /),
        },
      ]),
    }),
  );
});
