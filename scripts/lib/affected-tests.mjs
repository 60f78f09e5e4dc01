/**
 * Which unit tests a change can break: those that import what has changed, nearest first. The bundler that builds `thv` reads
 * the imports of all tests in a second or two. What tests read as text, such as pages, is found by its folder.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join, posix, relative, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

const IS_UNIT_TEST = /^(?:packages|website|testing|scripts)\/.*(?<!\.e2e)\.test\.tsx?$/;
const IS_CODE = /\.[cm]?[jt]sx?$/;
const OWN_PACKAGE = /^@toolhive\//;
/** `new URL("beside.mjs", import.meta.url)`: a file that a test or a module reads or starts. */
const BESIDE = /new URL\("([^"]+)", import\.meta\.url\)/g;

/** @typedef {ReadonlyMap<string, ReadonlySet<string>>} Importers By file, the files that import it. */

/** @param {string} root @returns {string[]} Paths from the root. */
export function listUnitTests(root) {
  const options = { cwd: root, encoding: /** @type {const} */ ("utf8"), maxBuffer: 64 * 1024 * 1024 };
  const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], options).split("\n");
  return files.filter((file) => IS_UNIT_TEST.test(file) && existsSync(join(root, file)));
}

/** @param {string} root @param {readonly string[]} tests @returns {Promise<Importers>} */
export async function readImporters(root, tests) {
  const { metafile } = await build({
    absWorkingDir: root,
    // One entry that imports all of them: of many, each would be written with all that it imports.
    stdin: { contents: tests.map((test) => `import ${JSON.stringify(`./${test}`)};\n`).join(""), resolveDir: root },
    bundle: true,
    write: false,
    metafile: true,
    outdir: "unused",
    platform: "node",
    format: "esm",
    logLevel: "silent",
    // Styles, pictures and pages are files that something imports, too; what is in them does not matter.
    loader: Object.fromEntries(
      [".css", ".md", ".mdx", ".node", ".png", ".svg", ".wasm", ".webp", ".woff2"].map((ending) => [ending, "empty"]),
    ),
    plugins: [
      {
        name: "own files only",
        setup: ({ onResolve }) => {
          // The site's build has more names than Node; their modules are tested in a browser.
          onResolve({ filter: /^[^./]/ }, ({ path }) =>
            OWN_PACKAGE.test(path) ? undefined : { path, external: true },
          );
        },
      },
    ],
  });
  /** @type {Map<string, Set<string>>} */
  const importers = new Map();
  const add = (/** @type {string} */ file, /** @type {string} */ by) =>
    importers.set(file, (importers.get(file) ?? new Set()).add(by));
  for (const [file, { imports }] of Object.entries(metafile.inputs)) {
    for (const { path, external } of imports) if (external !== true) add(path, file);
    if (!IS_CODE.test(file)) continue;
    const here = pathToFileURL(join(root, file));
    for (const [, beside = ""] of readFileSync(join(root, file), "utf8").matchAll(BESIDE)) {
      add(
        relative(root, fileURLToPath(new URL(beside, here)))
          .split(sep)
          .join("/"),
        file,
      );
    }
  }
  return importers;
}

/**
 * @param {{ changed: readonly string[], tests: readonly string[], importers: Importers }} given
 * @returns {{ file: string, distance: number }[]} Nearest first: 0 is a test that was changed itself, 1 imports what was.
 */
export function findAffectedTests({ changed, tests, importers }) {
  /** @type {Map<string, number>} */
  const distances = new Map(changed.map((file) => [file, 0]));
  // A map gives out what is added while it is read.
  for (const [file, distance] of distances) {
    for (const importer of importers.get(file) ?? []) {
      if (!distances.has(importer)) distances.set(importer, distance + 1);
    }
  }
  for (const file of changed) {
    if (IS_CODE.test(file) && (importers.has(file) || tests.includes(file))) continue;
    // Nothing imports it: its readers are in the nearest folder that has tests.
    for (const test of listNearestTests(file, tests)) distances.set(test, Math.min(distances.get(test) ?? 1, 1));
  }
  return tests
    .flatMap((file) => {
      const distance = distances.get(file);
      return distance === undefined ? [] : [{ file, distance }];
    })
    .sort((one, other) => one.distance - other.distance || (one.file < other.file ? -1 : 1));
}

/** @param {string} file @param {readonly string[]} tests */
function listNearestTests(file, tests) {
  for (let folder = posix.dirname(file); folder !== "."; folder = posix.dirname(folder)) {
    const near = tests.filter((test) => test.startsWith(`${folder}/`));
    if (near.length > 0) return near;
  }
  // The tests of the repository as a whole.
  return tests.filter((test) => test.startsWith("scripts/"));
}
