import { expect, test } from "vitest";
import { matchesDesired } from "./match-desired.ts";

test.each([
  ["members of others", { a: 1 }, { a: 1, b: 2 }, true],
  ["another value", { a: 1 }, { a: 2 }, false],
  ["a missing member", { a: { b: "x" } }, { a: {} }, false],
  ["a value that the API server leaves out", { readOnly: false }, {}, true],
  ["quantities that are written differently", { limits: { cpu: "0.5" } }, { limits: { cpu: "500m" } }, true],
  ["quantities of different units", { requests: { memory: "1Gi" } }, { requests: { memory: "1024Mi" } }, true],
  ["other quantities", { limits: { cpu: "1" } }, { limits: { cpu: "500m" } }, false],
  ["items of others in a list with names", [{ name: "a" }], [{ name: "b" }, { name: "a" }], true],
  ["a removed item of a list with names", [{ name: "a" }, { name: "b" }], [{ name: "a" }], false],
  [
    "the same port twice, for two protocols",
    [
      { port: 53, protocol: "UDP" },
      { port: 53, protocol: "TCP" },
    ],
    [
      { protocol: "UDP", port: 53 },
      { protocol: "TCP", port: 53 },
    ],
    true,
  ],
  ["another order of a list without names", ["a", "b"], ["b", "a"], false],
  ["more items of a list without names", ["a"], ["a", "b"], false],
  ["an empty list that is left out", { env: [] }, {}, true],
  ["a list that shall be empty", { ingress: [] }, { ingress: [{}] }, false],
])("%s", (_what, desired, live, expected) => {
  expect(matchesDesired(desired, live)).toBe(expected);
});
