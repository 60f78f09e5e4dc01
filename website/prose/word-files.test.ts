/** Words that are data: each JSON file that names a schema beside it has what the schema says, so that a mistake is found with its place. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { listProblems, listSentences } from "@toolhive/core";
import { describe, expect, test } from "vitest";

type Json = Readonly<Record<string, unknown>>;

const ROOT = path.join(import.meta.dirname, "../..");

const paths = execFileSync(
  "git",
  ["ls-files", "--cached", "--others", "--exclude-standard", "--", "packages/*.json", "website/*.json"],
  { cwd: ROOT, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 },
)
  .split("\n")
  .filter((file) => file.endsWith(".json") && existsSync(path.join(ROOT, file)));
// Schemas that the site publishes are for files of users.
const schemas = paths.filter((file) => file.endsWith(".schema.json") && !file.startsWith("website/static/"));
const described = paths.flatMap((file) => {
  const name = /^\{\s*"\$schema": "(\.\/[^"/]+\.schema\.json)"/.exec(read(file))?.[1];
  return name === undefined ? [] : [{ file, schema: path.posix.join(path.posix.dirname(file), name) }];
});

function read(file: string): string {
  return readFileSync(path.join(ROOT, file), "utf8");
}

function parse(file: string): Json {
  return JSON.parse(read(file)) as Json;
}

describe("words that are data", () => {
  test("have each their schema, and no schema is without its words", () => {
    expect([...new Set(described.map(({ schema }) => schema))].sort()).toEqual(schemas.sort());
  });

  test.each(described)("$file has what its schema says", ({ file, schema }) => {
    expect(listSentences(listProblems(parse(schema), parse(file)))).toEqual([]);
  });

  test.each(described)("a member that the schema of $file does not know is found", ({ file, schema }) => {
    expect(listSentences(listProblems(parse(schema), { ...parse(file), unknown: true }))).toEqual([
      expect.stringContaining("unknown"),
    ]);
  });
});
