/** The single file for this machine alone, for tests. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Children } from "../../lib/children.mjs";
import { readJson } from "../../lib/inputs.mjs";
import { isInstalled } from "../../lib/system-packages.mjs";
import { openContext } from "../context.mjs";
import { buildExecutable, prepareBlobs } from "../single-file.mjs";

/** @returns {string | undefined} Why it cannot be built here. */
export function findSingleFileObstacle() {
  if (process.platform !== "linux" || process.arch !== "x64") return "it is built on Linux on x64";
  return isInstalled("strip") ? undefined : "strip is not installed";
}

/**
 * @param {(file: string) => Promise<void>} use Receives the executable, which is removed afterwards.
 */
export async function buildOwnSingleFile(use) {
  const root = fileURLToPath(new URL("../../..", import.meta.url));
  const children = new Children();
  const out = mkdtempSync(join(tmpdir(), "thv-single-"));
  const { version } = readJson(join(root, "package.json"));
  const release = openContext({ root, children, version, out, downloads: "" });
  try {
    await use(await buildExecutable(release, "linux_amd64", await prepareBlobs(release)));
  } finally {
    await children.stopAll();
    release.close();
    rmSync(out, { recursive: true, force: true });
  }
}
