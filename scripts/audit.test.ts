import { expect, test } from "vitest";
import { judgeAudit } from "./lib/audit.mjs";

const vulnerabilities = { info: 0, low: 0, moderate: 0, high: 0, critical: 0, total: 0 };

test.each([
  ["a clean answer", { metadata: { vulnerabilities }, vulnerabilities: {} }, "passed", ""],
  [
    "a moderate hole",
    { metadata: { vulnerabilities }, vulnerabilities: { left: { severity: "moderate" } } },
    "passed",
    "",
  ],
  [
    "a high hole",
    { metadata: { vulnerabilities }, vulnerabilities: { left: { severity: "high" }, right: { severity: "low" } } },
    "failed",
    "left (high)",
  ],
  [
    "a registry without the question",
    { message: "405 Method Not Allowed - POST https://x/y" },
    "skipped",
    "405 Method",
  ],
])("%s", (_what, answer, outcome, why) => {
  expect(judgeAudit(JSON.stringify(answer))).toMatchObject({ outcome, why: expect.stringContaining(why) });
});

test("no answer is skipped, not passed", () => {
  expect(judgeAudit("")).toEqual({ outcome: "skipped", why: "the registry does not say: no answer" });
});

test("the address of the registry is not printed", () => {
  expect(judgeAudit('{"message":"405 Method Not Allowed - POST https://x/y"}').why).not.toContain("https");
});
