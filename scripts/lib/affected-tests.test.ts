import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { findAffectedTests, listUnitTests, readImporters } from "./affected-tests.mjs";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

const IMPORTERS = new Map([
  ["packages/a/src/leaf.ts", new Set(["packages/a/src/middle.ts", "packages/a/src/leaf.test.ts"])],
  ["packages/a/src/middle.ts", new Set(["packages/b/src/middle.test.ts", "packages/a/src/leaf.ts"])],
]);
const TESTS = [
  "packages/a/src/leaf.test.ts",
  "packages/b/src/middle.test.ts",
  "packages/b/src/other.test.ts",
  "scripts/all.test.ts",
];

describe("the tests that a change can break", () => {
  const find = (...changed: string[]) =>
    findAffectedTests({ changed, tests: TESTS, importers: IMPORTERS }).map(({ file, distance }) => [distance, file]);

  test("are those that import it, the nearest first, also where modules import each other", () => {
    expect(find("packages/a/src/leaf.ts")).toEqual([
      [1, "packages/a/src/leaf.test.ts"],
      [2, "packages/b/src/middle.test.ts"],
    ]);
  });

  test("are the changed tests themselves", () => {
    expect(find("packages/b/src/other.test.ts")).toEqual([[0, "packages/b/src/other.test.ts"]]);
  });

  test("are those of the nearest folder for a file that nothing imports", () => {
    expect(find("packages/b/src/texts/page.md")).toEqual([
      [1, "packages/b/src/middle.test.ts"],
      [1, "packages/b/src/other.test.ts"],
    ]);
    expect(find("packages/a/package.json")).toEqual([[1, "packages/a/src/leaf.test.ts"]]);
  });

  test("are those of the repository as a whole for a file beside all packages", () => {
    expect(find("README.md")).toEqual([[1, "scripts/all.test.ts"]]);
  });
});

test("the imports of this repository are read across packages, and so is what modules start beside them", async () => {
  const tests = listUnitTests(ROOT);
  const importers = await readImporters(ROOT, tests);
  const find = (file: string) =>
    findAffectedTests({ changed: [file], tests, importers }).map((affected) => affected.file);

  expect(find("scripts/lib/affected-tests.mjs")).toEqual(["scripts/lib/affected-tests.test.ts"]);
  expect(find("packages/core/src/support/errors.ts")).toEqual(
    expect.arrayContaining(["packages/cli/src/command-line/parse.test.ts", "packages/cli/tests/main.test.ts"]),
  );
  expect(find("packages/proxy/src/testing/modern-server.mjs").length).toBeGreaterThan(0);
});
