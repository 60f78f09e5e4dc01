/**
 * thv as one executable for each system, which needs no Node.js: the official Node.js with thv inside it, as Node's "single
 * executable applications" are made.
 */
import { chmodSync, copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import { DOCS_PACK } from "@toolhive/cli/bundle";
import { CommandFailure } from "../lib/errors.mjs";
import { isInstalled } from "../lib/system-packages.mjs";
import { readBrand } from "./brand.mjs";
import { writeCompletions } from "./completions.mjs";
import { unpackLibraries } from "./debian-libraries.mjs";
import { nameArchive } from "./manifests.mjs";
import { programFolder } from "./program.mjs";
import {
  APP,
  bundleSingleFile,
  DOCS,
  findApp,
  findPolicyEngine,
  KEYRING,
  POLICY_ENGINE,
} from "./single-file/bundle.mjs";
import { removeSignature, signAdHoc } from "./single-file/mach-o.mjs";
import { fetchKeyring, fetchNode, PLATFORMS } from "./single-file/node-binaries.mjs";
import { removeAuthenticode } from "./single-file/pe.mjs";

/** The mark in which Node.js sees whether a program was added to it. */
const FUSE = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2";
/** Programs that remove the symbols for debuggers, which are a seventh of Node.js, and the packages that have them. */
const STRIP = {
  linux_amd64: { program: "strip", packageName: "binutils" },
  linux_arm64: { program: "aarch64-linux-gnu-strip", packageName: "binutils-aarch64-linux-gnu" },
};

/** The program among the common parts. */
const PROGRAM = "thv.cjs";

/** @typedef {import("./context.mjs").ReleaseContext} ReleaseContext */

/**
 * @param {ReleaseContext} release
 * @returns {Promise<import("./context.mjs").Artifact[]>}
 */
export async function buildSingleFiles(release) {
  await release.ensureProgram("libdeflate-gzip", "libdeflate-tools");
  await release.ensureProgram("zip", "zip");
  const blobs = await prepareBlobs(release);
  const build = async (/** @type {string} */ platform) => {
    const executable = await buildExecutable(release, platform, blobs);
    const tried = await tryExecutable(release, platform, executable);
    return { file: await writeArchive(release, platform, executable), kind: "single file", tried };
  };
  return await Promise.all(PLATFORMS.map(build));
}

/**
 * Writes what the programs of all systems have in common.
 *
 * @param {ReleaseContext} release
 * @returns {Promise<string>} The folder.
 */
export async function prepareBlobs({ root, work, version, compression, run }) {
  const folder = join(work, "blobs");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, PROGRAM), await bundleSingleFile(version));
  writeFileSync(join(folder, POLICY_ENGINE), compress(findPolicyEngine(root), compression));
  // Built with the program, of which a test of the single file alone has no need.
  if (!existsSync(findApp(root))) await run("npm", ["run", "build", "--workspace", "@toolhive/app"], { cwd: root });
  copyFileSync(findApp(root), join(folder, APP));
  // Built before the program. A test of the single file alone does without.
  if (existsSync(DOCS_PACK)) copyFileSync(DOCS_PACK, join(folder, DOCS));
  return folder;
}

/**
 * @param {ReleaseContext} release
 * @param {string} platform For example `linux_amd64`.
 * @param {string} blobs Of `prepareBlobs`.
 * @returns {Promise<string>} The executable's path.
 */
export async function buildExecutable(release, platform, blobs) {
  const { work, run } = release;
  const { command } = readBrand();
  const isWindows = platform.startsWith("windows");
  const isMac = platform.startsWith("darwin");
  const file = join(work, "single", platform.replace("_", "-"), isWindows ? `${command}.exe` : command);
  mkdirSync(dirname(file), { recursive: true });
  const { program } = await fetchNode(release, platform);
  if (isMac) writeFileSync(file, removeSignature(readFileSync(program)));
  else if (isWindows) writeFileSync(file, removeAuthenticode(readFileSync(program)));
  else {
    const strip = STRIP[/** @type {keyof typeof STRIP} */ (platform)];
    await release.ensureProgram(strip.program, strip.packageName);
    await run(strip.program, ["-o", file, program]);
  }
  chmodSync(file, 0o755);
  const blob = await writeBlob(release, platform, blobs);
  const segment = isMac ? ["--macho-segment-name", "NODE_SEA"] : [];
  // Its command, because the library writes warnings to our standard error.
  const postject = join(dirname(createRequire(import.meta.url).resolve("postject")), "cli.js");
  await run(process.execPath, [postject, file, "NODE_SEA_BLOB", blob, "--sentinel-fuse", FUSE, ...segment]);
  if (isMac) writeFileSync(file, signAdHoc(readFileSync(file), command));
  return file;
}

/**
 * The program and its assets, in the form that Node.js reads. Compiled code is part of it where the machine that builds is of
 * the same kind: it saves a sixth of the start.
 *
 * @param {ReleaseContext} release
 * @param {string} platform
 * @param {string} folder
 */
async function writeBlob(release, platform, folder) {
  const own = ownPlatform();
  const keyring = join(folder, `${platform}.${KEYRING}`);
  writeFileSync(keyring, compress(await fetchKeyring(release, platform), release.compression));
  const output = join(folder, `${platform}.blob`);
  const config = join(folder, `${platform}.json`);
  const hasDocs = existsSync(join(folder, DOCS));
  // Relative, because Node.js writes the program's path into the executable.
  const options = {
    main: PROGRAM,
    output,
    disableExperimentalSEAWarning: true,
    useCodeCache: platform === own,
    assets: { [POLICY_ENGINE]: POLICY_ENGINE, [KEYRING]: keyring, [APP]: APP, ...(hasDocs && { [DOCS]: DOCS }) },
  };
  writeFileSync(config, JSON.stringify(options));
  const { program } = await fetchNode(release, own);
  // The order of compiled code depends on the seed of V8's hashes.
  await release.run(program, ["--random-seed=1", "--experimental-sea-config", config], { cwd: folder });
  return output;
}

/** @returns {string} @throws {CommandFailure} Where none of the files could be started. */
function ownPlatform() {
  const processor = { x64: "amd64", arm64: "arm64" }[process.arch];
  if (process.platform === "linux" && processor !== undefined) return `linux_${processor}`;
  throw new CommandFailure(`The single files cannot be built on ${process.platform}/${process.arch}.`, {
    hint: "Build the release on Linux, with a processor that is called x64 or arm64.",
  });
}

/** @param {string} file @param {import("./compression.mjs").Compression} levels */
function compress(file, { brotli }) {
  const params = { [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_QUALITY]: brotli };
  return brotliCompressSync(readFileSync(file), { params });
}

/**
 * @param {ReleaseContext} release
 * @param {string} platform
 * @param {string} executable
 * @returns {Promise<string>} The archive's name.
 */
export async function writeArchive(release, platform, executable) {
  const { root, work, out, version, epoch, compression, run } = release;
  const { command } = readBrand();
  const folder = join(work, `archive-${platform}`);
  const program = programFolder(release);
  mkdirSync(folder);
  copyFileSync(executable, join(folder, platform.startsWith("windows") ? `${command}.exe` : command));
  cpSync(join(program, "man"), join(folder, "man"), { recursive: true });
  cpSync(join(root, "LICENSE"), join(folder, "LICENSE"));
  cpSync(join(program, "THIRD-PARTY-NOTICES.txt"), join(folder, "THIRD-PARTY-NOTICES.txt"));
  cpSync((await fetchNode(release, "linux_amd64")).license, join(folder, "LICENSE-NODE.txt"));
  await writeCompletions(release, join(folder, "completions"));
  const file = nameArchive(command, version, platform);
  await run("find", [folder, "-exec", "touch", "--no-dereference", `--date=@${epoch}`, "{}", "+"]);
  if (file.endsWith(".zip")) {
    const names = (await run("find", [".", "-type", "f"], { cwd: folder })).split("\n").sort();
    await run("zip", ["-X", "-9", "-q", join(out, file), ...names], { cwd: folder });
    return file;
  }
  const archive = join(work, `${file}.tar`);
  const options = [
    "--format=ustar",
    "--sort=name",
    "--numeric-owner",
    "--owner=0",
    "--group=0",
    "--mode=u+rwX,go+rX,go-w",
  ];
  await run("tar", ["-C", folder, ...options, `--transform=s,^\\./,,`, "-cf", archive, "."]);
  // Smaller than gzip's by a twentieth, and read by every gzip; slim systems have no xz.
  const script = `libdeflate-gzip -${compression.archive} -c < "$1" > "$2"`;
  await run("sh", ["-c", script, "sh", archive, join(out, file)]);
  return file;
}

/**
 * Asks the executable for its version, with an empty home and without Node.js in its PATH.
 *
 * @param {ReleaseContext} release
 * @param {string} platform
 * @param {string} executable
 * @returns {Promise<true | string>}
 */
async function tryExecutable(release, platform, executable) {
  const { work, version, run } = release;
  const home = join(work, `home-${platform}`);
  mkdirSync(home);
  const env = {
    HOME: home,
    PATH: "/usr/bin:/bin",
    WINEPREFIX: home,
    WINEDEBUG: "-all",
    WINEDLLOVERRIDES: "mscoree,mshtml=;winemenubuilder.exe=d",
    NODE_SKIP_PLATFORM_CHECK: "1",
  };
  const ask = async (/** @type {string} */ program, /** @type {string[]} */ args) => {
    const said = await run(program, [...args, "version"], { cwd: home, env });
    if (!said.includes(`v${version}`))
      throw new Error(`${executable} says ${JSON.stringify(said)} and not ${version}.`);
    return /** @type {const} */ (true);
  };
  if (platform === ownPlatform()) return await ask(executable, []);
  if (platform === "linux_arm64") {
    if (!isInstalled("qemu-aarch64")) return "qemu-user is not installed";
    const libraries = join(work, "libraries-arm64");
    await unpackLibraries(release, "arm64", libraries);
    return await ask("qemu-aarch64", ["-L", libraries, executable]);
  }
  if (platform.startsWith("windows")) {
    if (!isInstalled("wine")) return "wine is not installed";
    // Windows' Node.js cannot write into wine's pipes, but into files.
    return await ask("sh", ["-c", 'wine "$0" "$1" </dev/null >said 2>&1; code=$?; cat said; exit $code', executable]);
  }
  return "no such machine here";
}
