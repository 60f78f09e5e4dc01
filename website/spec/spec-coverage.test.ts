/** The table of the specification (docs/spec-coverage.md) names tests that exist. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";

const websiteDir = path.join(import.meta.dirname, "..");
const table = readFileSync(path.join(websiteDir, "../docs/spec-coverage.md"), "utf8");
const rows = table
  .split("\n")
  .filter((line) => /^\| \d/.test(line))
  .map((line) => line.split("|").map((cell) => cell.trim()));

/** The titles as they stand in the sources, as patterns: what a title takes from a table can be any text. */
const titles = readdirSync(websiteDir, { recursive: true, encoding: "utf8" })
  .filter((file) => /\.(e2e|test)\.tsx?$/.test(file) && !/node_modules|test-results/.test(file))
  .flatMap((file) => [...readFileSync(path.join(websiteDir, file), "utf8").matchAll(/\btest\(\s*(["`])([^\n]*?)\1,/g)])
  .map(([, , title = ""]) => {
    const parts = title.split(/\$\{[^}]*\}/).map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"));
    return new RegExp(`^${parts.join(".+")}$`);
  })
  // A title that is nothing but values would fit everything.
  .filter(({ source }) => !/^\^(\.\+)+\$$/.test(source));

describe("the table of the specification", () => {
  test.each(rows.filter(([, , , shown]) => !shown?.startsWith("_gap_")))(
    "§%s%s: %s is shown by a test that exists",
    (_edge, _section, _statement, shown) => {
      const title = /^`(.+)`$/.exec(shown ?? "")?.[1] ?? "";

      expect(title).not.toBe("");
      expect(titles.filter((pattern) => pattern.test(title))).not.toEqual([]);
    },
  );

  test("a gap says what is missing", () => {
    for (const [, , , shown] of rows.filter(([, , , cell]) => cell?.startsWith("_gap_")))
      expect(shown).toMatch(/^_gap_: .{10,}/);
    expect(rows.length).toBeGreaterThan(45);
  });
});
