/**
 * The programs of a Kubernetes cluster for tests: built from their published Go modules, once, into the user's folder of caches.
 * One program holds every component; `testing/kubernetes` has its sources and the scripts that run it.
 */
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { mustRun, runCommand } from "../command.ts";
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

/** Why no cluster can be started here, or `undefined`. */
export async function findClusterObstacle(): Promise<string | undefined> {
  const obstacle = await findObstacle();
  if (obstacle !== undefined) return obstacle;
  if (existsSync(join(findClusterPrograms(), "key"))) return undefined;
  return (await isInstalled("go")) ? "it is not built yet; npm test builds it" : "Go is not installed";
}

/**
 * Builds what is missing or out of date: all processors for six minutes, longer beside other work. Nothing where no cluster can
 * be run.
 *
 * @throws {Error} With the end of the build's output.
 */
export async function buildCluster(onProgress: (message: string) => void): Promise<void> {
  const isGoThere = await isInstalled("go");
  if ((await findObstacle()) !== undefined || !isGoThere) return;
  const missing: string[] = [];
  for (const { program, packageName } of NEEDED) if (!(await isInstalled(program))) missing.push(packageName);
  if (missing.length > 0) await installPackages(missing, { onProgress });
  const { code } = await runCommand("go", ["version"]);
  if (code !== 0) return;
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
    await mustRun("bash", [join(findClusterScripts(), "build.sh"), findClusterPrograms()], { env });
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}
