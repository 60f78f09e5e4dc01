/** The single file for this machine alone, and the packages that are made of it, for tests: compressed lightly. */
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Children } from "../../lib/children.mjs";
import { readJson } from "../../lib/inputs.mjs";
import { isInstalled } from "../../lib/system-packages.mjs";
import { describeFiles, writeChecksums } from "../checksums.mjs";
import { LIGHT } from "../compression.mjs";
import { buildContainerImage } from "../container-image.mjs";
import { openContext } from "../context.mjs";
import { buildInstallScripts } from "../install-scripts.mjs";
import { buildDeb } from "../linux-packages/deb.mjs";
import { buildNpmPackage } from "../npm-package.mjs";
import { buildProgram } from "../program.mjs";
import { buildExecutable, prepareBlobs, writeArchive } from "../single-file.mjs";

const PLATFORM = "linux_amd64";

/** @returns {string | undefined} Why it cannot be built here. */
export function findSingleFileObstacle() {
  if (process.platform !== "linux" || process.arch !== "x64") return "it is built on Linux on x64";
  return ["strip", "libdeflate-gzip"]
    .map((each) => (isInstalled(each) ? undefined : `${each} is not installed`))
    .find(Boolean);
}

function open() {
  const root = fileURLToPath(new URL("../../..", import.meta.url));
  const children = new Children();
  const out = mkdtempSync(join(tmpdir(), "thv-release-out-"));
  const { version } = readJson(join(root, "package.json"));
  const release = openContext({ root, children, version, out, downloads: "", compression: LIGHT });
  const close = async () => {
    await children.stopAll();
    release.close();
    rmSync(out, { recursive: true, force: true });
  };
  return { release, close };
}

/**
 * @template Result
 * @param {(file: string) => Promise<Result>} use Receives the executable, which is removed afterwards.
 */
export async function buildOwnSingleFile(use) {
  const { release, close } = open();
  try {
    return await use(await buildExecutable(release, PLATFORM, await prepareBlobs(release)));
  } finally {
    await close();
  }
}

/** Builds the files of a release that this machine can install. */
export async function buildOwnRelease() {
  const { release, close } = open();
  try {
    await buildProgram(release);
    const executable = await buildExecutable(release, PLATFORM, await prepareBlobs(release));
    await writeArchive(release, PLATFORM, executable);
    await buildNpmPackage(release);
    await buildDeb(release, "amd64");
    await buildContainerImage(release, "amd64");
    await buildInstallScripts(release);
    const files = readdirSync(release.out).map((file) => ({ file, kind: "", tried: /** @type {const} */ (true) }));
    writeChecksums(release.out, describeFiles(release.out, files));
    return { out: release.out, close };
  } catch (error) {
    await close();
    throw error;
  }
}
