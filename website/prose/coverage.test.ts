import { expect, test } from "vitest";
import { measureCoverage } from "./coverage.ts";

/** Share that has to be explained, in percent: all of it was reached. */
const GOALS: Readonly<Record<string, number>> = {
  commands: 100,
  flags: 100,
  "API operations": 100,
  settings: 100,
  errors: 100,
  statuses: 100,
};

test.each(measureCoverage())("guides explain the $what of the program", ({ what, all, missing }) => {
  const share = (100 * (all - missing.length)) / all;

  expect(share, `not explained: ${missing.join(", ")}`).toBeGreaterThanOrEqual(GOALS[what] ?? 100);
});

test("a name within a longer one does not count", () => {
  const missing = new Map(measureCoverage(["thv logs-of-old"]).map((part) => [part.what, part.missing]));

  expect(missing.get("commands")).toContain("thv logs");
});
