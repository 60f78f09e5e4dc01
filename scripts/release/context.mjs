/** What every step of a release is given: what it builds, from what, and where it puts it. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { CommandFailure } from "../lib/errors.mjs";
import { readJson } from "../lib/inputs.mjs";
import { canInstall, installPackages, isInstalled } from "../lib/system-packages.mjs";
import { STRONG } from "./compression.mjs";

/** Semantic Versioning without build metadata, of which neither Debian's nor npm's names say the same. */
const VERSION = /^(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})(-[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?$/;
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/**
 * A file of the release.
 * @typedef {{ file: string, kind: string, tried: true | string }} Artifact `file` is its name in the folder of the results;
 *   `tried` is `true` when the step started or installed it here, else the reason why it did not, or empty where there is nothing to start.
 */

/**
 * @typedef {{
 *   root: string,
 *   version: string,
 *   out: string,
 *   work: string,
 *   epoch: number,
 *   downloads: string,
 *   compression: import("./compression.mjs").Compression,
 *   run(command: string, args: readonly string[], options?: RunOptions): Promise<string>,
 *   ensureProgram(program: string, packageName: string): Promise<void>,
 *   close(): void,
 * }} ReleaseContext `root` is the repository, `version` has no `v`, `out` is the folder of the results and `work` one for
 *   what lies between, which is removed at the end. `epoch` is the time of the commit in seconds: every time in a result is
 *   this one, so that two builds are the same. `downloads` is the address below which the files will lie, without a slash at
 *   the end, or empty while nobody knows. `compression` is strong for what others download. `run` gives the standard output, or throws with the end of both outputs. `ensureProgram`
 *   installs a missing program from Debian's packages, or throws where it cannot.
 */

/** @typedef {{ cwd?: string, env?: Readonly<Record<string, string | undefined>> }} RunOptions */

/**
 * @param {{ root: string, children: import("../lib/children.mjs").Children, version?: string | undefined, out?: string | undefined, downloads: string, compression?: import("./compression.mjs").Compression }} options `compression`: default strong.
 * @returns {ReleaseContext}
 * @throws {CommandFailure} When the version is none.
 */
export function openContext({
  root,
  children,
  version = readJson(join(root, "package.json")).version,
  out,
  downloads,
  compression = STRONG,
}) {
  if (!isVersion(version)) {
    throw new CommandFailure(`"${version}" is not a version.`, { hint: "Give one as in --version 1.2.3", exitCode: 2 });
  }
  const folder = resolve(root, out ?? join(".cache/release", version));
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const work = mkdtempSync(join(tmpdir(), "thv-release-"));
  const epoch = Number(git(root, "log", "-1", "--format=%ct"));
  const fixed = { ...process.env, SOURCE_DATE_EPOCH: String(epoch), TZ: "UTC", LC_ALL: "C.UTF-8", FORCE_COLOR: "0" };
  return {
    root,
    version,
    out: folder,
    work,
    epoch,
    downloads: downloads.replace(/\/+$/, ""),
    compression,
    run: async (command, args, { cwd = root, env = {} } = {}) => {
      const lines = /** @type {string[]} */ ([]);
      let bytes = 0;
      const { code, excerpt } = await children.run(command, command, args, {
        cwd,
        env: { ...fixed, ...env },
        onLine: (line, stream) => {
          bytes += line.length;
          if (stream === "stdout" && bytes < MAX_OUTPUT_BYTES) lines.push(line);
        },
      });
      if (code !== 0) throw new CommandFailure(`${command} ${args.join(" ")} ended with code ${code}:\n${excerpt}`);
      return lines.join("\n");
    },
    ensureProgram: async (program, packageName) => {
      if (isInstalled(program)) return;
      if (!canInstall()) {
        throw new CommandFailure(`${program} is not installed, and only root on Debian or Ubuntu installs it here.`, {
          hint: `Install it (Debian's package is ${packageName}), or name other steps with --only.`,
        });
      }
      await installPackages([packageName], children);
    },
    close: () => rmSync(work, { recursive: true, force: true }),
  };
}

/**
 * @param {ReleaseContext} release
 * @param {{ allowsChanges: boolean }} options
 * @throws {CommandFailure} When the changelog lacks the version, or the checkout has uncommitted changes.
 */
export function assertReleasable({ root, version }, { allowsChanges }) {
  const [stable = version] = version.split("-");
  const changelog = readFileSync(join(root, "CHANGELOG.md"), "utf8");
  if (!hasEntry(changelog, stable)) {
    throw new CommandFailure(`CHANGELOG.md has no entry for ${stable}.`, {
      hint: `Write what is new below a heading "## ${stable}", then run the release again.`,
    });
  }
  const changes = git(root, "status", "--porcelain");
  if (changes === "" || allowsChanges) return;
  throw new CommandFailure(`The checkout has changes that are no commit:\n${changes}`, {
    hint: "Commit them, or build all the same: npm run release -- --allow-changes",
  });
}

/**
 * @param {string} changelog
 * @param {string} version
 * @returns {boolean} Whether there is a heading of the version, with text below it.
 */
export function hasEntry(changelog, version) {
  const [, ...entries] = changelog.split(/^## /m);
  const entry = entries.find((text) => text.startsWith(version) && !/[\w.-]/.test(text.charAt(version.length)));
  return entry !== undefined && /^- \S/m.test(entry);
}

/** @param {string} root @param {string[]} args */
function git(root, ...args) {
  try {
    return execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();
  } catch {
    throw new CommandFailure(`git ${args.join(" ")} failed in ${root}.`, {
      hint: "A release is built from a checkout.",
    });
  }
}

/** @param {string} text @returns {boolean} */
export function isVersion(text) {
  return VERSION.test(text);
}
