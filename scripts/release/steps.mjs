/** The steps of a release, in the order in which one builds on another. */
import { CommandFailure } from "../lib/errors.mjs";
import { buildContainerImages } from "./container-image.mjs";
import { buildInstallScripts } from "./install-scripts.mjs";
import { buildLinuxPackages } from "./linux-packages.mjs";
import { buildManifests } from "./manifests.mjs";
import { buildNpmPackage } from "./npm-package.mjs";
import { buildProgram } from "./program.mjs";
import { buildSingleFiles } from "./single-file.mjs";

/** @typedef {import("./context.mjs").ReleaseContext} ReleaseContext */
/** @typedef {import("./context.mjs").Artifact} Artifact */

/**
 * @type {readonly { name: string, title: string, needs: readonly string[], build(release: ReleaseContext): Promise<Artifact[]> }[]}
 */
export const STEPS = [
  { name: "program", title: "Bundle thv", needs: [], build: buildProgram },
  { name: "npm", title: "Pack the npm package", needs: ["program"], build: buildNpmPackage },
  { name: "single", title: "Build the single files", needs: ["program"], build: buildSingleFiles },
  { name: "image", title: "Build the container images", needs: ["single"], build: buildContainerImages },
  { name: "linux-packages", title: "Build deb and rpm", needs: ["single"], build: buildLinuxPackages },
  { name: "install-scripts", title: "Fill in the install scripts", needs: ["single"], build: buildInstallScripts },
  { name: "manifests", title: "Write the manifests of package managers", needs: ["single"], build: buildManifests },
];

/**
 * @param {readonly string[]} names Empty for all.
 * @returns {typeof STEPS} Those named, with what they need, in order.
 * @throws {CommandFailure} For a name that no step has.
 */
export function selectSteps(names) {
  if (names.length === 0) return STEPS;
  const wanted = new Set();
  const add = (/** @type {string} */ name) => {
    const step = STEPS.find((each) => each.name === name);
    if (step === undefined) {
      const hint = `The steps are ${STEPS.map((each) => each.name).join(", ")}.`;
      throw new CommandFailure(`The release has no step "${name}".`, { hint, exitCode: 2 });
    }
    wanted.add(name);
    for (const needed of step.needs) add(needed);
  };
  for (const name of names) add(name);
  return STEPS.filter(({ name }) => wanted.has(name));
}
