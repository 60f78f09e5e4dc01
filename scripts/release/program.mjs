/** The bundle of thv that the npm package and the container image hold. */
import { join } from "node:path";

/** @param {import("./context.mjs").ReleaseContext} release @returns {string} The folder of the bundle. */
export function programFolder({ work }) {
  return join(work, "program");
}

/**
 * @param {import("./context.mjs").ReleaseContext} release
 * @returns {Promise<import("./context.mjs").Artifact[]>} None: other steps put it into theirs.
 */
export async function buildProgram(release) {
  const { root, version, run } = release;
  await run(process.execPath, [
    join(root, "packages/cli/build.mjs"),
    "--version",
    version,
    "--out",
    programFolder(release),
  ]);
  return [];
}
