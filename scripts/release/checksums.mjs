/** Sizes and digests of what a release built, and the file by which a download is verified. */
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** As `sha256sum --check` reads it. */
export const CHECKSUMS_FILE = "SHA256SUMS";

/** @typedef {import("./context.mjs").Artifact & { bytes: number, sha256: string }} ReleasedFile */

/**
 * @param {string} folder
 * @param {readonly import("./context.mjs").Artifact[]} artifacts
 * @returns {ReleasedFile[]} Sorted by name.
 */
export function describeFiles(folder, artifacts) {
  return artifacts
    .map((artifact) => {
      const content = readFileSync(join(folder, artifact.file));
      return { ...artifact, bytes: content.length, sha256: createHash("sha256").update(content).digest("hex") };
    })
    .sort((left, right) => (left.file < right.file ? -1 : 1));
}

/** @param {string} folder @param {readonly ReleasedFile[]} files */
export function writeChecksums(folder, files) {
  writeFileSync(join(folder, CHECKSUMS_FILE), files.map(({ file, sha256 }) => `${sha256}  ${file}\n`).join(""));
}
