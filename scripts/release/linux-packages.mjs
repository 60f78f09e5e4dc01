/** deb and rpm: the single file with what a package of the system has beside it, for each processor. */
import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { PROCESSORS } from "./executables.mjs";
import { buildDeb } from "./linux-packages/deb.mjs";
import { buildRpm } from "./linux-packages/rpm.mjs";

/** How this machine's processor is called there. */
const OWN_PROCESSOR = process.arch === "x64" ? "amd64" : process.arch;

/**
 * @param {import("./context.mjs").ReleaseContext} release
 * @returns {Promise<import("./context.mjs").Artifact[]>}
 */
export async function buildLinuxPackages(release) {
  await release.ensureProgram("dpkg-deb", "dpkg");
  await release.ensureProgram("rpmbuild", "rpm");
  /** @type {import("./context.mjs").Artifact[]} */
  const artifacts = [];
  for (const processor of PROCESSORS) {
    const deb = await buildDeb(release, processor);
    artifacts.push({ file: deb, kind: "deb", tried: await tryPackage(release, deb, processor) });
    const rpm = await buildRpm(release, processor);
    artifacts.push({ file: rpm, kind: "rpm", tried: await tryPackage(release, rpm, processor) });
  }
  return artifacts;
}

/**
 * Unpacks a package into an empty folder and asks its thv for the version. That it is installed, upgraded and removed
 * as a package is shown by the end-to-end tests.
 *
 * @param {import("./context.mjs").ReleaseContext} release
 * @param {string} file
 * @param {typeof PROCESSORS[number]} processor
 * @returns {Promise<true | string>}
 */
async function tryPackage({ out, work, version, run }, file, processor) {
  if (process.platform !== "linux" || processor !== OWN_PROCESSOR) return "this machine has another processor";
  const folder = join(work, `unpacked-${file}`);
  mkdirSync(folder);
  if (file.endsWith(".deb")) await run("dpkg-deb", ["--extract", join(out, file), folder]);
  else {
    // It writes beside what it reads.
    copyFileSync(join(out, file), join(folder, file));
    await run("rpm2archive", [join(folder, file)]);
    await run("tar", ["-xzf", join(folder, `${file}.tgz`), "-C", folder]);
  }
  const said = await run(join(folder, "usr/bin/thv"), ["--version"], { env: { HOME: folder } });
  if (!said.includes(version)) throw new Error(`The thv of ${file} says ${JSON.stringify(said)} and not ${version}.`);
  return true;
}
