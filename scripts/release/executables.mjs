/** Where the single executables for Linux lie while a release is built. */
import { join } from "node:path";

/** Processors as Debian and the names of the archives call them. */
export const PROCESSORS = /** @type {const} */ (["amd64", "arm64"]);

/**
 * @param {import("./context.mjs").ReleaseContext} release
 * @param {typeof PROCESSORS[number]} processor
 * @returns {string} A path; the file exists once the step of the single files is done.
 */
export function findExecutable({ work }, processor) {
  return join(work, "single", `linux-${processor}`, "thv");
}
