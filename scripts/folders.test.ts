/**
 * Folders of product code tell where to look: none holds more than a reader takes in at one look, and dependencies between
 * two folders run one way. A package's `index.ts` is its door and belongs to no folder.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const MAX_FILES = 14;

const files = execFileSync(
  "git",
  ["ls-files", "--cached", "--others", "--exclude-standard", "--", "packages/*/src/**"],
  {
    cwd: ROOT,
    encoding: "utf8",
  },
)
  .split("\n")
  .filter((path) => /\.tsx?$/.test(path) && !/\.test\.tsx?$|\/testing\/|\/src\/index\.ts$/.test(path));
const packages = [...new Set(files.map((path) => path.split("/").slice(0, 2).join("/")))];

/** Folders that a file imports from, other than its own. */
function findImportedFolders(path: string): string[] {
  const source = readFileSync(join(ROOT, path), "utf8");
  const specifiers = [...source.matchAll(/(?:\bfrom|\bimport\()\s*"(\.[^"]+)"/g)].map(
    ([, specifier = ""]) => specifier,
  );
  const folders = specifiers.map((specifier) => posix.dirname(posix.join(posix.dirname(path), specifier)));
  return folders.filter((folder) => folder !== posix.dirname(path));
}

/** @returns Folders that reach themselves through others, each as the way it takes. */
function findCircles(graph: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const circles: string[] = [];
  const done = new Set<string>();
  const visit = (folder: string, way: readonly string[]): void => {
    const at = way.indexOf(folder);
    if (at !== -1) circles.push([...way.slice(at), folder].join(" → "));
    if (at !== -1 || done.has(folder)) return;
    for (const next of graph.get(folder) ?? []) visit(next, [...way, folder]);
    done.add(folder);
  };
  for (const folder of graph.keys()) visit(folder, []);
  return circles;
}

function readGraph(paths: readonly string[]): Map<string, Set<string>> {
  const graph = new Map<string, Set<string>>();
  for (const path of paths) {
    const folder = posix.dirname(path);
    graph.set(folder, new Set([...(graph.get(folder) ?? []), ...findImportedFolders(path)]));
  }
  return graph;
}

test("a circle of folders is found, whatever its length", () => {
  const graph = new Map([
    ["a", new Set(["b"])],
    ["b", new Set(["c", "d"])],
    ["c", new Set(["a"])],
  ]);

  expect(findCircles(graph)).toEqual(["a → b → c → a"]);
});

test("the map in CONTRIBUTING.md has a row for every folder, and no other", () => {
  const [, ...sections] = readFileSync(join(ROOT, "CONTRIBUTING.md"), "utf8").split(/\*\*`(?=packages\/)/);
  const listed = sections.flatMap((section) => {
    const [root] = section.split("`");
    return [...section.matchAll(/^\| `([a-z/-]+)(\/<name>)?` /gm)].map(([, path]) => `${root}/${path}`);
  });
  const folders = new Set(
    execFileSync(
      "git",
      [
        "ls-files",
        "--cached",
        "--others",
        "--exclude-standard",
        "--",
        "packages/*/src/**/*.ts",
        "packages/*/src/**/*.tsx",
      ],
      {
        cwd: ROOT,
        encoding: "utf8",
      },
    )
      .split("\n")
      .map((path) => posix.dirname(path))
      // The folder of a command has one row for all, that of a topic or a test's own fixtures the row of its parent.
      .map((path) => path.replace(/(\/commands)\/(?!shared$).*|(\/(?:topics|testing))\/.*/, "$1$2"))
      .filter((path) => /^packages\/(?!engine|sidecar)[a-z]+\/src\/./.test(path) && !path.endsWith("registry/testing")),
  );

  expect(listed.sort()).toEqual([...folders].sort());
});

describe.each(packages)("%s", (folder) => {
  const own = files.filter((path) => path.startsWith(`${folder}/`));

  test("has no folders that depend on each other", () => {
    expect(findCircles(readGraph(own))).toEqual([]);
  });

  test(`has no folder of more than ${MAX_FILES} files`, () => {
    const counts = new Map<string, number>();
    for (const path of own) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);

    expect([...counts].filter(([, count]) => count > MAX_FILES)).toEqual([]);
  });
});
