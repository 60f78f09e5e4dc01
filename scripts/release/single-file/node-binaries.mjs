/**
 * Node.js for every system, from npm packages that hold its official builds. The newest version that all five have is the one
 * of `node-binaries.json`; each download is checked against the digest there.
 */
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { CommandFailure } from "../../lib/errors.mjs";
import { readJson } from "../../lib/inputs.mjs";

const { version, platforms } = readJson(new URL("node-binaries.json", import.meta.url).pathname);

/** The version of Node.js inside the single files. @type {string} */
export const NODE_VERSION = version;
/** Systems and processors as in the names of the files. @type {readonly string[]} */
export const PLATFORMS = Object.keys(platforms);

/** @typedef {{ program: string, license: string }} NodeBinary Paths of files. */

/**
 * @param {import("../context.mjs").ReleaseContext} release
 * @param {string} platform
 * @returns {Promise<NodeBinary>}
 */
export async function fetchNode(release, platform) {
  const { package: name, integrity, program } = platforms[platform];
  const folder = await fetchPackage(release, { name, version, integrity, members: ["bin/node", "LICENSE"] });
  return { program: join(folder, program), license: join(folder, "LICENSE") };
}

/**
 * @param {import("../context.mjs").ReleaseContext} release
 * @param {string} platform
 * @returns {Promise<string>} The path of the keyring's library for a system, of the version that the lockfile has.
 */
export async function fetchKeyring(release, platform) {
  const { keyring } = platforms[platform];
  const name = `@napi-rs/keyring-${keyring}`;
  const { packages } = readJson(join(release.root, "package-lock.json"));
  const locked = packages[`node_modules/${name}`];
  const folder = await fetchPackage(release, {
    name,
    version: locked.version,
    integrity: locked.integrity,
    members: [],
  });
  return join(folder, `keyring.${keyring}.node`);
}

/** What is being unpacked or was, by folder. @type {Map<string, Promise<string>>} */
const unpacked = new Map();

/**
 * Downloads a package once, and unpacks it once.
 *
 * @param {import("../context.mjs").ReleaseContext} release
 * @param {Wanted} wanted
 * @returns {Promise<string>} The folder of its files.
 * @throws {CommandFailure} When the download is not what it was when its digest was noted.
 */
function fetchPackage(release, wanted) {
  const file = `${wanted.name.replace(/^@/, "").replaceAll("/", "-")}-${wanted.version}.tgz`;
  const folder = join(release.work, "packages", file.replace(/\.tgz$/, ""));
  const found = unpacked.get(folder) ?? unpack(release, wanted, file, folder);
  unpacked.set(folder, found);
  return found;
}

/**
 * @typedef {{ name: string, version: string, integrity: string, members: readonly string[] }} Wanted `members` are beginnings
 *   of names in the archive; all are unpacked when there are none.
 */

/**
 * @param {import("../context.mjs").ReleaseContext} release
 * @param {Wanted} wanted
 * @param {string} file
 * @param {string} folder
 */
async function unpack({ work, run }, { name, version, integrity, members }, file, folder) {
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "toolhive-release");
  const path = join(cache, file);
  if (!existsSync(path)) {
    const download = join(work, "downloads");
    mkdirSync(download, { recursive: true });
    mkdirSync(cache, { recursive: true });
    await run("npm", ["pack", "--silent", "--pack-destination", download, `${name}@${version}`], { cwd: work });
    copyFileSync(join(download, file), `${path}.${process.pid}`);
    renameSync(`${path}.${process.pid}`, path);
  }
  const found = `sha512-${createHash("sha512").update(readFileSync(path)).digest("base64")}`;
  if (found !== integrity) {
    rmSync(path);
    throw new CommandFailure(`The digest of ${name}@${version} is ${found}, not ${integrity}.`, {
      hint: "The download was removed. If a second try says the same, the package was changed: do not build with it.",
    });
  }
  mkdirSync(folder, { recursive: true });
  const all = (await run("tar", ["-tzf", path])).split("\n");
  const wanted = all.filter(
    (member) => members.length === 0 || members.some((begin) => member.startsWith(`package/${begin}`)),
  );
  await run("tar", ["-C", folder, "-xzf", path, ...wanted]);
  return join(folder, "package");
}
