import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { dependencyClosure, digestFiles, listSources, listWorkspaces } from "./inputs.mjs";

let root = "";

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "thv-inputs-"));
});

afterEach(() => rmSync(root, { recursive: true }));

function write(files: Record<string, string>) {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
}

test("workspaces are found through folders and globs", () => {
  write({
    "package.json": JSON.stringify({ workspaces: ["packages/*", "website"] }),
    "packages/core/package.json": JSON.stringify({ name: "core" }),
    "website/package.json": JSON.stringify({ name: "site", dependencies: { core: "1.0.0" } }),
  });

  expect(listWorkspaces(root)).toEqual([
    { name: "core", directory: "packages/core", dependencies: [], devDependencies: [] },
    { name: "site", directory: "website", dependencies: ["core"], devDependencies: [] },
  ]);
});

describe("dependencyClosure", () => {
  const workspace = (name: string, ...dependencies: string[]) => ({
    name,
    directory: name,
    dependencies,
    devDependencies: [] as string[],
  });
  const listNames = (found: readonly { name: string }[]) => found.map(({ name }) => name);

  test("dependencies of dependencies count, packages from elsewhere do not", () => {
    const workspaces = [
      workspace("cli", "api", "pino"),
      workspace("api", "core"),
      workspace("core"),
      workspace("site"),
    ];

    expect(listNames(dependencyClosure(workspaces, "cli"))).toEqual(["api", "cli", "core"]);
  });

  test("what a build uses counts for that build only", () => {
    const site = { ...workspace("site"), devDependencies: ["cli"] };
    const cli = { ...workspace("cli", "core"), devDependencies: ["testing"] };
    const workspaces = [site, cli, workspace("core"), workspace("testing")];

    expect(listNames(dependencyClosure(workspaces, "site"))).toEqual(["cli", "core", "site"]);
  });

  test("a cycle ends", () => {
    const workspaces = [workspace("a", "b"), workspace("b", "a")];

    expect(listNames(dependencyClosure(workspaces, "a"))).toEqual(["a", "b"]);
  });
});

describe("digestFiles", () => {
  const digest = () => digestFiles(root, listSources(root));

  test("a change of content changes the digest, writing the same content again does not", () => {
    write({ "a.ts": "1" });
    const first = digest();
    write({ "a.ts": "1" });
    const second = digest();
    write({ "a.ts": "2" });

    expect(second).toBe(first);
    expect(digest()).not.toBe(first);
  });

  test("a file that gets another name changes the digest", () => {
    write({ "a.ts": "1" });
    const first = digest();
    rmSync(join(root, "a.ts"));
    write({ "b.ts": "1" });

    expect(digest()).not.toBe(first);
  });

  test("results and tests are no inputs", () => {
    write({ "a.ts": "1" });
    const first = digest();
    write({ "dist/a.mjs": "x", "node_modules/p/index.js": "x", "a.test.ts": "x", ".data/kept.ndjson": "x" });

    expect(digest()).toBe(first);
  });

  test("files that git ignores are no inputs of a checkout, new files are", () => {
    execFileSync("git", ["init", "--quiet"], { cwd: root });
    write({ ".gitignore": "made/\n", "a.ts": "1" });
    const first = digest();
    write({ "made/b.ts": "x" });
    const second = digest();
    write({ "c.ts": "x" });

    expect(second).toBe(first);
    expect(digest()).not.toBe(first);
  });

  test("where one file ends and the next begins matters", () => {
    write({ "a.ts": "1", "b.ts": "" });
    const first = digest();
    write({ "a.ts": "", "b.ts": "1" });

    expect(digest()).not.toBe(first);
  });
});
