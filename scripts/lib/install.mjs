/**
 * Installs the packages of the lockfile once: again only when the lockfile changes. In a checkout with none, `npm start` omits
 * those that only tests and checks use, which are a third of the bytes; commands that need them install everything.
 */
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { linkThv, TARGETS } from "./build.mjs";
import { CommandFailure } from "./errors.mjs";
import { digestFiles, listWorkspaces, readJson } from "./inputs.mjs";

const STAMP = "node_modules/.toolhive-installed";
/** After the digest, in the stamp of an installation without what only tests and checks use. */
const FOR_BUILDS = " for builds";
const INSTALL = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];

/** @typedef {{ name?: string, version?: string, resolved?: string, link?: boolean, dev?: boolean, optional?: boolean, devOptional?: boolean, peer?: boolean }} LockedPackage */
/** @typedef {{ packages: Record<string, LockedPackage> }} Lockfile */

/**
 * Whether what npm installed (its hidden lockfile) is what the lockfile asks for. Packages that this machine may do
 * without (other systems' binaries) do not count.
 *
 * @param {Lockfile} wanted
 * @param {Lockfile} installed
 * @param {{ isForBuilds?: boolean }} [options] `isForBuilds`: what only tests and checks use may be missing.
 */
export function matchesLockfile(wanted, installed, { isForBuilds = false } = {}) {
  return Object.entries(wanted.packages)
    .filter(
      ([path, { dev, optional, devOptional, peer }]) =>
        path.includes("node_modules/") && !optional && !devOptional && !peer && !(dev && isForBuilds),
    )
    .every(([path, { version, link }]) => {
      const found = installed.packages[path];
      return found !== undefined && found.version === version && Boolean(found.link) === Boolean(link);
    });
}

/**
 * The lockfile names no registry, so npm asks the registry about each of 1,900 packages where its archive is: a quarter of
 * the processor time of an installation, and as many bytes again as the archives have. This names them, as registries do.
 *
 * @param {Lockfile} lockfile
 * @param {string} registry For example `https://registry.example/npm/`.
 * @returns {Lockfile}
 */
export function addAddresses(lockfile, registry) {
  const base = registry.replace(/\/+$/, "");
  const packages = Object.entries(lockfile.packages).map(([path, entry]) => {
    const { version, link, resolved } = entry;
    const place = path.lastIndexOf("node_modules/");
    if (place === -1 || link || resolved !== undefined || version === undefined) return [path, entry];
    const name = entry.name ?? path.slice(place + "node_modules/".length);
    return [path, { ...entry, resolved: `${base}/${name}/-/${name.split("/").at(-1)}-${version}.tgz` }];
  });
  return { ...lockfile, packages: Object.fromEntries(packages) };
}

/**
 * Installs into a folder of its own, with the addresses of the archives, and puts the packages in place when all are complete.
 *
 * @param {string} root
 * @param {import("./children.mjs").Children} children
 * @param {readonly string[]} install Arguments of npm.
 * @returns {Promise<boolean>} `false` when it could not: for example, this registry has other addresses.
 */
async function installByAddress(root, children, install) {
  if (process.platform === "win32") return false; // links to the workspaces are absolute there, and would lead to that folder
  const asked = await children.run("npm", "npm", ["config", "get", "registry"], { cwd: root });
  const registry = asked.excerpt.trim();
  if (asked.code !== 0 || !URL.canParse(registry)) return false;

  const folder = join(root, ".cache/install");
  rmSync(folder, { recursive: true, force: true });
  const workspaces = listWorkspaces(root).map(({ directory }) => directory);
  for (const directory of ["", ...workspaces]) {
    mkdirSync(join(folder, directory), { recursive: true });
    copyFileSync(join(root, directory, "package.json"), join(folder, directory, "package.json"));
  }
  if (existsSync(join(root, ".npmrc"))) copyFileSync(join(root, ".npmrc"), join(folder, ".npmrc"));
  const lockfile = addAddresses(readJson(join(root, "package-lock.json")), registry);
  writeFileSync(join(folder, "package-lock.json"), JSON.stringify(lockfile));
  const ended = await children.run("npm ci", "npm", install, { cwd: folder });
  if (ended.code === 0) {
    for (const directory of ["", ...workspaces]) {
      const packages = join(root, directory, "node_modules");
      // Deleted at the end: a program that runs from here does without its packages for no longer than two renamings take.
      if (existsSync(packages)) renameSync(packages, join(folder, directory, "previous"));
      // Links to the workspaces are relative, so they lead to the same folders from here.
      if (existsSync(join(folder, directory, "node_modules")))
        renameSync(join(folder, directory, "node_modules"), packages);
    }
  }
  rmSync(folder, { recursive: true, force: true });
  return ended.code === 0;
}

/** @param {string} root */
function readInstalled(root) {
  const hiddenLockfile = join(root, "node_modules/.package-lock.json");
  return existsSync(hiddenLockfile) ? /** @type {Lockfile} */ (readJson(hiddenLockfile)) : undefined;
}

/** @param {string} root */
function readStamp(root) {
  const stamp = join(root, STAMP);
  return existsSync(stamp) ? readFileSync(stamp, "utf8") : "";
}

/** Whether `npm start` has installed here without what only tests and checks use. @param {string} root */
export const isForBuildsOnly = (root) => readStamp(root).endsWith(FOR_BUILDS);

/**
 * @param {string} root
 * @param {import("./run-command.mjs").Context} context
 * @param {{ isForBuilds?: boolean }} [options] `isForBuilds`: the caller needs nothing that only tests and checks use. What is
 *   installed of that stays.
 */
export async function ensureInstalled(root, { children, terminal, interrupted }, { isForBuilds = false } = {}) {
  const lockfile = join(root, "package-lock.json");
  const stamp = join(root, STAMP);
  const [major] = process.versions.node.split(".");
  const digest = digestFiles(root, [lockfile], [`node ${major}`, process.platform, process.arch]);
  const found = readStamp(root);
  if (found === digest || (isForBuilds && found === digest + FOR_BUILDS)) return;

  const installed = readInstalled(root);
  if (installed !== undefined) {
    const wanted = readJson(lockfile);
    const isWhole = matchesLockfile(wanted, installed);
    if (isWhole || (isForBuilds && matchesLockfile(wanted, installed, { isForBuilds }))) {
      writeFileSync(stamp, isWhole ? digest : digest + FOR_BUILDS);
      return;
    }
  }
  rmSync(stamp, { force: true });
  const isForBuildsStill = isForBuilds && !Object.values(installed?.packages ?? {}).some(({ dev }) => dev);
  const install = isForBuildsStill ? [...INSTALL, "--omit=dev"] : INSTALL;
  await terminal.step("Install packages", async () => {
    const isInstalled = await installByAddress(root, children, install);
    interrupted.throwIfAborted();
    if (!isInstalled) {
      const { code, excerpt } = await children.run("npm ci", "npm", install, { cwd: root });
      if (code !== 0) {
        throw new CommandFailure(`npm ci ended with code ${code}:\n${excerpt}`, {
          hint: "Check the connection to the package registry, then try again.",
        });
      }
    }
    if (TARGETS.cli.outputs.every((output) => existsSync(join(root, output)))) linkThv(root);
    writeFileSync(stamp, isForBuildsStill ? digest + FOR_BUILDS : digest);
  });
}
