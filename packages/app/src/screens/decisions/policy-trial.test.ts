import { expect, test } from "vitest";
import { describeVerdict, parseArguments } from "./policy-trial.tsx";

const verdict = (is_allowed: boolean, policies: number[]) => ({ is_allowed, has_policies: true, policies });

test.each([
  ["one policy that permits", verdict(true, [0]), "Allowed by policy 1."],
  ["several that permit", verdict(true, [0, 2]), "Allowed by policies 1 and 3."],
  ["one that forbids", verdict(false, [1]), "Denied by policy 2."],
  ["none that speaks of it", verdict(false, []), "Denied: no policy permits it."],
  [
    "policies that cannot decide",
    { ...verdict(false, []), problem: "no subject" },
    "Denied, because ToolHive cannot evaluate the policies: no subject",
  ],
  [
    "a server without policies",
    { is_allowed: true, has_policies: false, policies: [] },
    "Allowed: this server has no policies.",
  ],
])("the decision of %s is said in a sentence", (_case, given, sentence) => {
  expect(describeVerdict(given)).toBe(sentence);
});

test.each([
  ["", {}],
  ['{"n": 3}', { n: 3 }],
  ["[1]", undefined],
  ["null", undefined],
  ["{n: 3}", undefined],
])("arguments %j are read as %j", (text, value) => {
  expect(parseArguments(text)).toEqual(value);
});
