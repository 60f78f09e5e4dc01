import * as cedar from "@cedar-policy/cedar-wasm/nodejs";
import { describe, expect, test } from "vitest";
import { findMentionedAttributes } from "./mentioned-attributes.ts";

const mentioned = (...policies: string[]) => findMentionedAttributes(policies.map((text) => cedar.policyToJson(text)));
const policy = (condition: string) => `permit(principal, action, resource) when { ${condition} };`;

describe("policies ask about", () => {
  test.each([
    "context.arg_a == 1",
    "context has arg_a",
    "context has arg_a.b",
    'context has "arg_a"',
    'context["arg_a"] like "x*"',
    'context["\\u{61}rg_a"] == 1',
    "resource.arg_a == 1",
    "if principal has name then !(context.arg_b == 1) else [1, 2].contains(context.arg_a)",
    "{ x: context.arg_a }.x == 1",
    '{ Var: context.arg_a, ".": 1 }.Var == 1',
    "(if true then resource else principal).arg_a == 1",
  ])("arg_a: %s", (condition) => {
    const names = mentioned(policy("true"), policy(condition));

    expect([names.has("arg_a"), names.has("arg_other")]).toEqual([true, false]);
  });

  test.each([
    "context == { arg_a: 1 }",
    "(if true then context else { arg_a: 1 }).arg_a == 1",
    "[context].contains({ arg_a: 1 })",
    "{ Value: context } == { Value: { arg_a: 1 } }",
  ])("everything, where they use the whole context: %s", (condition) => {
    expect(mentioned(policy(condition)).has("arg_other")).toBe(true);
  });

  test("everything, when one of them cannot be read", () => {
    expect(mentioned("nonsense").has("arg_other")).toBe(true);
  });

  test("no argument that stands only in a text or in the head", () => {
    const names = mentioned('permit(principal == Client::"arg_a", action, resource) when { "arg_a" == "arg_b" };');

    expect(names.has("arg_a")).toBe(false);
  });
});
