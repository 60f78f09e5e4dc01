/** What a build depends on, as a digest of content: the same files give the same digest on every machine. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";

/** Folders that hold results, or what running servers keep, and no sources. */
const RESULT_FOLDERS = new Set([
  "node_modules",
  "dist",
  "build",
  ".docusaurus",
  ".cache",
  ".data",
  "test-results",
  "playwright-report",
  "e2e",
]);
const TEST_FILE = /\.test\.tsx?$/;

/** @typedef {{ name: string, directory: string, dependencies: readonly string[], devDependencies: readonly string[] }} Workspace */

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
    const { name, dependencies = {}, devDependencies = {} } = manifest;
    return { name, directory, dependencies: Object.keys(dependencies), devDependencies: Object.keys(devDependencies) };
  });
}

/**
 * The workspaces that go into the build of one: itself, what its build uses, and what those depend on at run time.
 * Sorted by name.
 * @param {readonly Workspace[]} workspaces
 * @param {string} name
 */
export function dependencyClosure(workspaces, name) {
  const byName = new Map(workspaces.map((workspace) => [workspace.name, workspace]));
  /** @type {Map<string, Workspace>} */
  const found = new Map();
  const queue = [name, ...(byName.get(name)?.devDependencies ?? [])];
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    const workspace = byName.get(next);
    if (workspace === undefined || found.has(next)) continue;
    found.set(next, workspace);
    queue.push(...workspace.dependencies);
  }
  return [...found.values()].sort((left, right) => (left.name < right.name ? -1 : 1));
}

/**
 * Source files below a folder, sorted, without tests and without what builds write: in a checkout that is what git
 * ignores, elsewhere the folders that are known to hold results.
 *
 * @param {string} directory
 * @returns {string[]} Absolute paths.
 */
export function listSources(directory) {
  const paths = listWithGit(directory) ?? walk(directory);
  return paths.filter((path) => !TEST_FILE.test(path)).sort();
}

/** @param {string} directory */
function listWithGit(directory) {
  try {
    const args = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
    const output = execFileSync("git", args, { cwd: directory, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
    const paths = output.split("\0").filter((name) => name !== "" && !name.startsWith("e2e/"));
    return [...new Set(paths)].map((name) => join(directory, name)).filter((path) => existsSync(path));
  } catch {
    return undefined; // no git, or not a checkout
  }
}

/**
 * @param {string} directory
 * @returns {string[]}
 */
function walk(directory) {
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) return RESULT_FOLDERS.has(entry.name) ? [] : walk(path);
    return entry.isFile() ? [path] : [];
  });
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
