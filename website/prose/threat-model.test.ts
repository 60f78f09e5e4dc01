/** The threat model names tests that exist: each promise has a file and a title in its last column. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

const root = path.join(import.meta.dirname, "../..");
const page = readFileSync(path.join(root, "website/docs/toolhive/concepts/threat-model.mdx"), "utf8");
const section = /^## What stops an attack \{#what-stops-them\}$([\s\S]*?)^## /m.exec(page)?.[1] ?? "";
const rows = section
  .split("\n")
  .filter((line) => line.startsWith("| ") && !line.startsWith("| Threat"))
  .map((line) => {
    const [, threat = "", file = "", title = ""] = /^\| (.+?) \|.*`([^`]+)`: `([^`]+)` \|$/.exec(line) ?? [];
    return { threat, file, title };
  });

const files = readdirSync(path.join(root, "packages"), { recursive: true, encoding: "utf8" }).filter(
  (file) => file.endsWith(".test.ts") && !file.includes("node_modules"),
);

test.each(rows)("$threat: the test that shows what stops it is there", ({ file, title }) => {
  const sources = files
    .filter((candidate) => path.basename(candidate) === `${file}.test.ts`)
    .map((candidate) => readFileSync(path.join(root, "packages", candidate), "utf8"));

  expect(sources.filter((source) => source.includes(`"${title}"`)).length, `${file}: ${title}`).toBeGreaterThan(0);
});

test("every threat of the page has such a test", () => {
  expect(rows.length).toBeGreaterThan(20);
});
