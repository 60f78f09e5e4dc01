/** Installs the packages of the lockfile once: again only when the lockfile changes. */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CommandFailure } from "./errors.mjs";
import { digestFiles, readJson } from "./inputs.mjs";

const STAMP = "node_modules/.toolhive-installed";

/** @typedef {{ version?: string, resolved?: string, link?: boolean, optional?: boolean, devOptional?: boolean, peer?: boolean }} LockedPackage */
/** @typedef {{ packages: Record<string, LockedPackage> }} Lockfile */

/**
 * Whether what npm installed (its hidden lockfile) is what the lockfile asks for. Packages that this machine may do
 * without (other systems' binaries) do not count.
 *
 * @param {Lockfile} wanted
 * @param {Lockfile} installed
 */
export function matchesLockfile(wanted, installed) {
  return Object.entries(wanted.packages)
    .filter(
      ([path, { optional, devOptional, peer }]) => path.includes("node_modules/") && !optional && !devOptional && !peer,
    )
    .every(([path, { version, link }]) => {
      const found = installed.packages[path];
      return found !== undefined && found.version === version && Boolean(found.link) === Boolean(link);
    });
}

/**
 * @param {string} root
 * @param {import("./run-command.mjs").Context} context
 */
export async function ensureInstalled(root, { children, terminal }) {
  const lockfile = join(root, "package-lock.json");
  const stamp = join(root, STAMP);
  const [major] = process.versions.node.split(".");
  const digest = digestFiles(root, [lockfile], [`node ${major}`, process.platform, process.arch]);
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === digest) return;

  const hiddenLockfile = join(root, "node_modules/.package-lock.json");
  if (existsSync(hiddenLockfile) && matchesLockfile(readJson(lockfile), readJson(hiddenLockfile))) {
    writeFileSync(stamp, digest);
    return;
  }
  rmSync(stamp, { force: true });
  await terminal.step("Install packages", async () => {
    const { code, excerpt } = await children.run(
      "npm ci",
      "npm",
      ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"],
      {
        cwd: root,
      },
    );
    if (code !== 0) {
      throw new CommandFailure(`npm ci ended with code ${code}:\n${excerpt}`, {
        hint: "Check the connection to the package registry, then try again.",
      });
    }
    writeFileSync(stamp, digest);
  });
}
