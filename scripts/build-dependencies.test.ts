/** `npm start` installs no package that only tests and checks use: what builds and programs import is among `dependencies`. */
import { readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { listSources, listWorkspaces } from "./lib/inputs.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

interface LockedPackage {
  readonly dev?: boolean;
  readonly link?: boolean;
}

/** Folders and files that no build reads. */
const NOT_BUILT =
  /^(?:packages\/[^/]+|website)\/(?:bench|conformance|e2e|soak|tests|prose|playwright\.config)\b|\/(?:testing|bench)\/|draw-pictures/;
/** An import that is left in the program: not of types alone. */
const IMPORT =
  /^(?:import|export)\s+(?!type\b)(?:[^"';]*?\bfrom\s+)?["']([^"']+)["']|\b(?:import|import\.meta\.resolve|require|require\.resolve)\(\s*["']([^"']+)["']/gm;

const { packages } = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8")) as {
  packages: Readonly<Record<string, LockedPackage>>;
};

/** The entry of a package for a workspace: its own one, or that of the root. */
const findLocked = (directory: string, name: string) =>
  packages[`${directory}/node_modules/${name}`] ?? packages[`node_modules/${name}`];

/** Names of packages that a source imports, by their names or by their paths. */
function listImported(source: string): string[] {
  return [...source.matchAll(IMPORT)].flatMap(([, first, second]) => {
    const path = (first ?? second ?? "").replace(/^(?:\.\.\/)+node_modules\//, "");
    const name = /^(?:@[a-z0-9~-][^/]*\/)?[a-z0-9~-][^/]*/.exec(path)?.[0];
    return name === undefined || name.startsWith("node:") || builtinModules.includes(name) ? [] : [name];
  });
}

const built = listWorkspaces(ROOT)
  .filter(({ directory }) => directory !== "testing")
  .flatMap(({ directory }) =>
    listSources(join(ROOT, directory))
      .map((path) => ({ directory, file: relative(ROOT, path).replaceAll("\\", "/"), path }))
      .filter(({ file }) => /\.(?:tsx?|mjs|mdx)$/.test(file) && !file.endsWith(".d.ts") && !NOT_BUILT.test(file)),
  );

test("finds imports of all forms, and none of types", () => {
  const source = [
    'import { build } from "esbuild";',
    'import type { Root } from "mdast";',
    'export * from "@scope/one/part";',
    'import "side-effect";',
    'import {\n  a,\n  b,\n} from "over-lines";',
    'const late = await import("late");',
    'import { x } from "../../node_modules/by-path/dist/index.js";',
    'import { own } from "./own.ts";',
    'import path from "node:path";',
  ].join("\n");

  expect(listImported(source)).toEqual(["esbuild", "@scope/one", "side-effect", "over-lines", "late", "by-path"]);
});

test("no build imports a package that only tests and checks use", () => {
  const imported = built.flatMap(({ directory, file, path }) =>
    listImported(readFileSync(path, "utf8")).map((name) => ({ file, name, locked: findLocked(directory, name) })),
  );
  const known = imported.filter(({ locked }) => locked !== undefined && !locked.link);

  expect(new Set(known.map(({ name }) => name)).size).toBeGreaterThan(40);
  expect(known.filter(({ locked }) => locked?.dev).map(({ file, name }) => `${file} imports ${name}`)).toEqual([]);
});
