/**
 * Folders of product code show where things are: none holds more than a reader takes in at once, and dependencies between
 * two folders run one way, also when everything below a folder counts as that folder. A package's `index.ts` is its door and
 * belongs to no folder. Files, tests too, and functions of the product end where a reader still has their beginning in mind.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import type {
  ArrowFunctionExpression,
  Function as FunctionNode,
  MethodDefinition,
  Node,
  ObjectProperty,
} from "oxc-parser";
import { describe, expect, test } from "vitest";
import { indexLines, visitNodes } from "./lib/visit-nodes.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const MAX_FILES = 14;

const MAX_FILE_LINES = 420;
const MAX_FUNCTION_LINES = 80;

/** How long something may be that is longer than the rest, and why. It may become shorter, and its row then says so. */
type LongRows = Readonly<Record<string, readonly [lines: number, reason: string]>>;

const TO_SPLIT = "It is older than this rule. Whoever changes it next splits it along its sections.";

const LONG_FILES: LongRows = {};

/** By file and name of the function; those without a name of one file share a row. */
const LONG_FUNCTIONS: LongRows = {};

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

/** @returns For each folder that has folders: which of these import from which others, where all below a folder counts as it. */
function readSiblingGraphs(paths: readonly string[]): Map<string, Map<string, Set<string>>> {
  const graphs = new Map<string, Map<string, Set<string>>>();
  for (const [from, targets] of readGraph(paths)) {
    for (const to of targets) {
      const [own, other] = [from.split("/"), to.split("/")];
      const depth = own.findIndex((name, at) => name !== other[at]);
      // One of the two is below the other.
      if (depth === -1 || depth >= other.length) continue;
      const parent = own.slice(0, depth).join("/");
      const graph = graphs.get(parent) ?? new Map<string, Set<string>>();
      const [sibling, imported] = [own, other].map((names) => names.slice(0, depth + 1).join("/")) as [string, string];
      graphs.set(parent, graph.set(sibling, new Set([...(graph.get(sibling) ?? []), imported])));
    }
  }
  return graphs;
}

test("a circle of folders is found, whatever its length", () => {
  const graph = new Map([
    ["a", new Set(["b"])],
    ["b", new Set(["c", "d"])],
    ["c", new Set(["a"])],
  ]);

  expect(findCircles(graph)).toEqual(["a → b → c → a"]);
});

const trackedFiles = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
  cwd: ROOT,
  encoding: "utf8",
})
  .split("\n")
  .filter((path) => /\.(tsx?|mjs|css)$/.test(path) && !/\.d\.ts$/.test(path))
  .flatMap((path) => {
    // One that was removed is listed until the removal is committed.
    const whole = join(ROOT, path);
    return existsSync(whole) ? [{ path, text: readFileSync(whole, "utf8") }] : [];
  });
const productFiles = trackedFiles.filter(
  ({ path }) => !/\.test\.|(^|\/)(e2e|testing|tests|bench|soak|conformance|fixtures)\//.test(path),
);

/** @returns The lines of each function, by its name; the longest where several have one name. */
function measureFunctions(path: string, text: string): Map<string, number> {
  const lines = new Map<string, number>();
  const lineAt = indexLines(text);
  visitNodes(path, text, (node, parent) => {
    if (!isFunction(node) || !node.body) return;
    // A method is a function within a node that has its name.
    const whole = isMethod(parent) ? parent : node;
    const named = isMethod(parent) ? parent.key : node.id;
    const name = named ? text.slice(named.start, named.end) : "(without a name)";
    lines.set(name, Math.max(lines.get(name) ?? 0, lineAt(whole.end) - lineAt(whole.start) + 1));
  });
  return lines;
}

function isFunction(node: Node): node is ArrowFunctionExpression | FunctionNode {
  return (
    node.type === "FunctionDeclaration" || node.type === "FunctionExpression" || node.type === "ArrowFunctionExpression"
  );
}

/** Getters and setters, too. */
function isMethod(node: Node | undefined): node is MethodDefinition | ObjectProperty {
  if (node?.type === "Property") return "method" in node && (node.method || node.kind !== "init");
  return node?.type === "MethodDefinition";
}

/** @returns A sentence for each that is longer than its bound, and for each row of an exception that has no use any more. */
function judgeLengths(found: readonly (readonly [string, number])[], bound: number, exceptions: LongRows): string[] {
  const tooLong = found.filter(([what, lines]) => lines > (exceptions[what]?.[0] ?? bound));
  const inUse = new Set(found.filter(([, lines]) => lines > bound).map(([what]) => what));
  return [
    ...tooLong.map(
      ([what, lines]) =>
        `${what} has ${lines} lines, but at most ${exceptions[what]?.[0] ?? bound} are allowed: split it`,
    ),
    ...Object.keys(exceptions)
      .filter((what) => !inUse.has(what))
      .map((what) => `${what} has no more than ${bound} lines: delete its row in this file`),
  ];
}

test("what is too long is named, and so is an exception that nothing needs", () => {
  const exceptions: LongRows = { "b.ts": [12, TO_SPLIT], "c.ts": [12, TO_SPLIT], "gone.ts": [12, TO_SPLIT] };

  expect(
    judgeLengths(
      [
        ["a.ts", 11],
        ["b.ts", 12],
        ["c.ts", 10],
      ],
      10,
      exceptions,
    ),
  ).toEqual([
    "a.ts has 11 lines, but at most 10 are allowed: split it",
    "c.ts has no more than 10 lines: delete its row in this file",
    "gone.ts has no more than 10 lines: delete its row in this file",
  ]);
});

test("functions are measured from their first word to their last bracket, inner ones too", () => {
  const text = "/** What it does. */\nexport function outer() {\n  return [].map(() => {\n    return 1;\n  });\n}\n";

  expect([...measureFunctions("a.ts", text)]).toEqual([
    ["outer", 5],
    ["(without a name)", 3],
  ]);
});

test(`no file of the product or its tests has more than ${MAX_FILE_LINES} lines`, () => {
  const found = trackedFiles.map(({ path, text }) => [path, text.split("\n").length - 1] as const);

  expect(judgeLengths(found, MAX_FILE_LINES, LONG_FILES)).toEqual([]);
});

test(`no function of the product has more than ${MAX_FUNCTION_LINES} lines`, () => {
  // A file that is no longer than a function may be has none that is.
  const long = productFiles.filter(
    ({ path, text }) => !path.endsWith(".css") && text.split("\n").length > MAX_FUNCTION_LINES,
  );
  const found = long.flatMap(({ path, text }) =>
    [...measureFunctions(path, text)].map(([name, lines]) => [`${path} ${name}`, lines] as const),
  );

  expect(judgeLengths(found, MAX_FUNCTION_LINES, LONG_FUNCTIONS)).toEqual([]);
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

  test("has no folders that depend on each other by what is below them", () => {
    const circles = [...readSiblingGraphs(own).values()].flatMap(findCircles);

    expect(circles.sort()).toEqual([]);
  });

  test(`has no folder of more than ${MAX_FILES} files`, () => {
    const counts = new Map<string, number>();
    for (const path of own) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);

    expect([...counts].filter(([, count]) => count > MAX_FILES)).toEqual([]);
  });
});
