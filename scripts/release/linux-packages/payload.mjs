/** The files that a package for Linux puts on a system, in a folder that represents its root. */
import {
  chmodSync,
  copyFileSync,
  lutimesSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { readJson } from "../../lib/inputs.mjs";
import { COMPLETIONS, renderCompletion } from "../completions.mjs";
import { findExecutable } from "../executables.mjs";
import { loadSource } from "../load-source.mjs";
import { programFolder } from "../program.mjs";

/** What lists of packages show of it. */
export const SUMMARY = "run MCP servers in containers";
export const DESCRIPTION = [
  "thv runs servers of the Model Context Protocol in containers of Docker or",
  "Podman, gives each an address on this machine and connects clients to them.",
  "Servers get only the files, addresses and secrets that they were given.",
];

/**
 * @param {string} version
 * @returns {string} As deb and rpm compare them: a release follows its candidates, which have a hyphen elsewhere.
 */
export function toPackageVersion(version) {
  return version.replace("-", "~").replaceAll("-", ".");
}

/**
 * What differs between deb and rpm.
 * @typedef {{
 *   channel: "deb" | "rpm",
 *   completions: Readonly<Record<keyof typeof COMPLETIONS, string>>,
 *   documents: Readonly<Record<string, string | Buffer>>,
 * }} Flavour `completions` are folders by shell, and `documents` contents by path; both below the root, without a slash before.
 */

/**
 * @param {import("../context.mjs").ReleaseContext} release
 * @param {typeof import("../executables.mjs").PROCESSORS[number]} processor
 * @param {Flavour} flavour
 * @returns {Promise<string>} The folder. Every time in it is that of the commit.
 */
export async function makePayload(release, processor, { channel, completions, documents }) {
  const { work, epoch } = release;
  const folder = join(work, `${channel}-${processor}`);
  const program = programFolder(release);
  rmSync(folder, { recursive: true, force: true });
  const put = (/** @type {string} */ path, /** @type {string | Buffer} */ content) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
    chmodSync(join(folder, path), 0o644);
  };

  // Beside the executable, which expects it there.
  put("usr/lib/thv/installation.json", `${JSON.stringify({ channel })}\n`);
  copyFileSync(findExecutable(release, processor), join(folder, "usr/lib/thv/thv"));
  chmodSync(join(folder, "usr/lib/thv/thv"), 0o755);
  mkdirSync(join(folder, "usr/bin"));
  symlinkSync("../lib/thv/thv", join(folder, "usr/bin/thv"));

  for (const page of readdirSync(join(program, "man"))) {
    put(`usr/share/man/man1/${page}.gz`, gzip(readFileSync(join(program, "man", page))));
  }
  for (const [shell, file] of Object.entries(COMPLETIONS)) {
    const name = /** @type {keyof typeof COMPLETIONS} */ (shell);
    put(`${completions[name]}/${file}`, await renderCompletion(release, name));
  }
  const { describeUnit, UNIT } = readUnit();
  const origin = `Part of the package thv. To start it with your session: systemctl --user enable --now ${UNIT}`;
  // An executable with Node.js inside reads these from nowhere else.
  const flags = readJson(join(release.root, "packages/cli/src/installation/node-flags.json"));
  const unit = describeUnit({ command: ["/usr/bin/thv", "serve"], env: { NODE_OPTIONS: flags.join(" ") } }, origin);
  put(`usr/lib/systemd/user/${UNIT}`, unit);
  for (const [path, content] of Object.entries(documents)) put(path, content);

  for (const path of listTree(folder)) {
    lutimesSync(join(folder, path), epoch, epoch);
  }
  return folder;
}

/** @returns {typeof import("../../../packages/cli/src/commands/service/systemd.ts")} */
function readUnit() {
  return loadSource("cli/src/commands/service/systemd.ts");
}

/** As `gzip -9 -n`: without a name and a time. @param {string | Buffer} content */
export function gzip(content) {
  return gzipSync(content, { level: 9 });
}

/**
 * @param {string} folder
 * @returns {string[]} Every path below it, files before the folders that hold them.
 */
export function listTree(folder) {
  return readdirSync(folder, { recursive: true }).map(String).sort().reverse();
}
