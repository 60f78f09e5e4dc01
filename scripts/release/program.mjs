/** The bundle of thv that the npm package and the container image hold. */
import { copyFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import { DOCS_PACK } from "@toolhive/cli/bundle";
import { readBrand } from "./brand.mjs";

/** @param {import("./context.mjs").ReleaseContext} release @returns {string} The folder of the bundle. */
export function programFolder({ work }) {
  return join(work, "program");
}

/**
 * @param {import("./context.mjs").ReleaseContext} release
 * @returns {Promise<import("./context.mjs").Artifact[]>} What it contains of other people's work. The bundle itself goes into
 *   what other steps build.
 */
export async function buildProgram(release) {
  const { root, version, run } = release;
  await ensureDocs(release);
  await run(process.execPath, [
    join(root, "packages/cli/build.mjs"),
    "--version",
    version,
    "--out",
    programFolder(release),
  ]);
  const { command } = readBrand();
  return [
    { name: "sbom.cdx.json", kind: "bill of materials" },
    { name: "THIRD-PARTY-NOTICES.txt", kind: "licenses" },
  ].map(({ name, kind }) => {
    const file = `${command}_${version}_${name}`;
    copyFileSync(join(programFolder(release), name), join(release.out, file));
    return { file, kind, tried: "" };
  });
}

/**
 * Builds the site where there is none: its build writes the documentation that thv reads.
 *
 * @param {Pick<import("./context.mjs").ReleaseContext, "root" | "run">} release
 */
export async function ensureDocs({ root, run }) {
  if (!existsSync(DOCS_PACK)) await run("npm", ["run", "build", "--workspace", "@toolhive/website"], { cwd: root });
}
