/** What a build depends on, as a digest of content: the same files give the same digest on every machine. */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";

/** Folders that hold results, not sources. */
const RESULT_FOLDERS = new Set([
  "node_modules",
  "dist",
  "build",
  ".docusaurus",
  ".cache",
  "test-results",
  "playwright-report",
  "e2e",
]);
const TEST_FILE = /\.test\.tsx?$/;

/** @typedef {{ name: string, directory: string, dependencies: readonly string[] }} Workspace */

/**
 * The workspaces of a root package.json, whose globs are of the form `folder` or `folder/*`.
 * @param {string} root
 * @returns {Workspace[]}
 */
export function listWorkspaces(root) {
  const { workspaces = [] } = readJson(join(root, "package.json"));
  const directories = workspaces.flatMap((/** @type {string} */ glob) => {
    if (!glob.endsWith("/*")) return [glob];
    const parent = glob.slice(0, -2);
    return readdirSync(join(root, parent), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => `${parent}/${entry.name}`);
  });
  return directories.sort().map((/** @type {string} */ directory) => {
    const manifest = readJson(join(root, directory, "package.json"));
    return { name: manifest.name, directory, dependencies: Object.keys(manifest.dependencies ?? {}) };
  });
}

/**
 * A workspace and, transitively, the workspaces it depends on at run time, sorted by name.
 * @param {readonly Workspace[]} workspaces
 * @param {string} name
 */
export function dependencyClosure(workspaces, name) {
  const byName = new Map(workspaces.map((workspace) => [workspace.name, workspace]));
  /** @type {Map<string, Workspace>} */
  const found = new Map();
  const queue = [name];
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    const workspace = byName.get(next);
    if (workspace === undefined || found.has(next)) continue;
    found.set(next, workspace);
    queue.push(...workspace.dependencies);
  }
  return [...found.values()].sort((left, right) => (left.name < right.name ? -1 : 1));
}

/**
 * Source files below a folder, sorted, without results and tests.
 * @param {string} directory
 * @returns {string[]} Absolute paths.
 */
export function listSources(directory) {
  return readdirSync(directory, { withFileTypes: true })
    .flatMap((entry) => {
      const path = join(directory, entry.name);
      if (entry.isDirectory()) return RESULT_FOLDERS.has(entry.name) ? [] : listSources(path);
      return TEST_FILE.test(entry.name) || !entry.isFile() ? [] : [path];
    })
    .sort();
}

/**
 * @param {string} root Paths count relative to it.
 * @param {readonly string[]} files
 * @param {readonly string[]} [extras] Anything else the result depends on.
 */
export function digestFiles(root, files, extras = []) {
  const hash = createHash("sha256");
  for (const extra of extras) hash.update(`${extra}\0`);
  for (const file of files) {
    const content = readFileSync(file);
    hash.update(`${relative(root, file).split(sep).join("/")}\0${content.length}\0`).update(content);
  }
  return hash.digest("hex");
}

/**
 * @param {string} path
 * @returns {any} Whatever the file holds; the caller knows its shape.
 */
export function readJson(path) {
  return JSON.parse(readFileSync(path, "utf8"));
}
