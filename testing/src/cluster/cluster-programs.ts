/**
 * The programs of a Kubernetes cluster for tests: built from their published Go modules, once, into the user's folder of caches.
 * One program holds every component; `testing/kubernetes` has its sources and the scripts that run it.
 */
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { mustRun } from "../command.ts";
import { findObstacle, installPackages, isInstalled } from "../engines/packages.ts";
import { findRepositoryRoot } from "../repository.ts";

/** Programs by the package that has them, beside those of private engines. */
const NEEDED = [
  { program: "containerd", packageName: "containerd" },
  { program: "/usr/lib/cni/bridge", packageName: "containernetworking-plugins" },
  { program: "openssl", packageName: "openssl" },
  { program: "setpriv", packageName: "util-linux" },
  // Helm is in an archive of this kind.
  { program: "unzip", packageName: "unzip" },
] as const;

/** Folder of `kube` and `pause.tar`. */
export function findClusterPrograms(): string {
  return join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "toolhive-tests", "kubernetes");
}

export function findClusterScripts(): string {
  return join(findRepositoryRoot(), "testing/kubernetes");
}

/** In the place of the programs: why they are not there. */
const FAILURE = "failure.txt";

/** Why no cluster can be started here, or `undefined`. */
export async function findClusterObstacle(): Promise<string | undefined> {
  const obstacle = await findObstacle();
  if (obstacle !== undefined) return obstacle;
  if (existsSync(join(findClusterPrograms(), "key"))) return undefined;
  const failure = await readFile(join(findClusterPrograms(), FAILURE), "utf8").catch(() => undefined); // it was not tried yet
  if (failure !== undefined) return failure;
  return (await isInstalled("go")) ? "it is not built yet; npm test builds it" : "Go is not installed";
}

/**
 * Builds what is missing or out of date: all processors for six minutes, longer beside other work. A failure, for example without a
 * network, is noted for {@link findClusterObstacle}, and the next run tries again.
 */
export async function buildCluster(onProgress: (message: string) => void): Promise<void> {
  const isGoThere = await isInstalled("go");
  if ((await findObstacle()) !== undefined || !isGoThere) return;
  const folder = findClusterPrograms();
  try {
    await build(folder, onProgress);
    await rm(join(folder, FAILURE), { force: true });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const last = reason.trim().split("\n").at(-1)?.slice(0, 200) ?? "";
    onProgress(`no cluster can be built: ${last}`);
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, FAILURE), `it cannot be built: ${last}`);
  }
}

/** @throws {Error} With the end of the build's output. */
async function build(folder: string, onProgress: (message: string) => void): Promise<void> {
  const missing: string[] = [];
  for (const { program, packageName } of NEEDED) if (!(await isInstalled(program))) missing.push(packageName);
  if (missing.length > 0) await installPackages(missing, { onProgress });
  onProgress("checking the programs of the test cluster; the first build needs some minutes");
  // Three gigabytes that are of no use afterwards.
  const work = await mkdtemp(join(tmpdir(), "thv-kubernetes-"));
  try {
    const env = {
      ...process.env,
      GOCACHE: join(work, "cache"),
      GOMODCACHE: join(work, "modules"),
      GOFLAGS: "-modcacherw -buildvcs=false",
    };
    await mustRun("bash", [join(findClusterScripts(), "build.sh"), folder], { env });
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}
