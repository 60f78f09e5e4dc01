/** The threat model promises that a test carries out each attack: every row of its tables names one in a comment. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { hasTest, listEvidence, readTestFiles } from "./evidence.ts";

const page = readFileSync(path.join(import.meta.dirname, "../docs/toolhive/concepts/threat-model.mdx"), "utf8");
const rows = ["what-stops-them", "on-kubernetes"].flatMap((anchor) => {
  const [, section = ""] = page.split(`{#${anchor}}\n`);
  return section
    .split(/^## /m, 1)
    .flatMap((text) => text.split("\n"))
    .filter((line) => /^\| (?!Threat \|)/.test(line))
    .map((line) => ({ threat: line.split(" | ")[0]?.slice(2) ?? "", evidence: listEvidence(line) }));
});
const tests = readTestFiles();

test.each(rows)("$threat: a test shows what stops it", ({ evidence }) => {
  expect(evidence).not.toEqual([]);
  expect(evidence.filter((each) => !hasTest(each, tests))).toEqual([]);
});

test("both tables are read", () => {
  expect(rows.length).toBeGreaterThan(70);
});
