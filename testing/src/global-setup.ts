/** vitest's global set-up of each lane of end-to-end tests: what the files of the run ask for before the first test, nothing of it after the last. */
import { mkdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type { TestProject } from "vitest/node";
import { prepareBareDebian } from "./bare-debian/bare-debian.ts";
import { findClusterObstacle } from "./cluster/cluster-programs.ts";
import { offerCluster } from "./cluster/wanted-cluster.ts";
import type { EngineDescription } from "./engines/engine-daemon.ts";
import { startEngines, type TestEngines } from "./engines/start-engines.ts";
import { type EngineKind, findLane } from "./lanes.ts";
import { findNeeds, type Needs } from "./needs.ts";
import { nameHomes, nameNetwork } from "./networked-forks.ts";
import { prepareOpenSearch } from "./opensearch/prepare-opensearch.ts";
import { preparePeers } from "./peers/prepare-peers.ts";
import { preparePackages } from "./published/package-store.ts";
import { prepareWindows } from "./windows/prepare-windows.ts";

declare module "vitest" {
  export interface ProvidedContext {
    engines: readonly EngineDescription[];
    /** Of this lane: suites of the others are the other lanes'. */
    engineKinds: readonly EngineKind[];
    /** Of the private engines; empty where there are none. */
    runDirectory: string;
    /** Why there is no Kubernetes cluster; `undefined` where one is started as soon as a test requests it. */
    clusterObstacle: string | undefined;
  }
}

/** In watch mode any file of the lane may follow. */
async function readNeeds(project: TestProject): Promise<Needs> {
  const { testFiles } = await project.globTestFiles();
  const asked = new Set(project.vitest.state.getPaths());
  const files = testFiles.filter((file) => project.vitest.config.watch || asked.has(file));
  return findNeeds(await Promise.all(files.map((file) => readFile(file, "utf8"))));
}

export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const needs = await readNeeds(project);
  if (needs.windows) await prepareWindows();
  if (needs.bareDebian) await prepareBareDebian();
  if (needs.openSearch) await prepareOpenSearch();
  if (needs.peers) await preparePeers();
  if (needs.packages) await preparePackages();
  const { engines: engineKinds } = findLane(project.name);
  const started = await startEngines({ kinds: needs.engines ? engineKinds : [], isNoneFine: true });
  const descriptions = started.engines.map(({ cli: _method, ...description }): EngineDescription => description);
  project.provide("engines", descriptions);
  project.provide("engineKinds", engineKinds);
  project.provide("runDirectory", started.directory ?? "");
  if (started.directory !== undefined) {
    // Homes of a test run that is killed go with its engines.
    const homes = join(started.directory, "h");
    await mkdir(homes);
    process.env[nameHomes(project.name)] = homes;
  }
  if (started.network !== undefined) process.env[nameNetwork(project.name)] = `${started.network}`;
  const endCluster = needs.cluster ? await prepareCluster(project, started) : async () => undefined;
  return async () => {
    await endCluster();
    await started.close();
  };
}

async function prepareCluster(project: TestProject, { directory, network }: TestEngines): Promise<() => Promise<void>> {
  const isOnesOwn = process.env.TOOLHIVE_TEST_KUBECONFIG !== undefined;
  const obstacle = isOnesOwn ? undefined : await findClusterObstacle();
  const hasRun = directory !== undefined && network !== undefined;
  const missing =
    isOnesOwn || hasRun ? undefined : "the engines of this machine are used, and its network is not the tests'";
  project.provide("clusterObstacle", obstacle ?? missing);
  if (isOnesOwn || obstacle !== undefined || !hasRun) return async () => undefined;
  const onProgress = (message: string) => process.stderr.write(`cluster: ${message}\n`);
  return await offerCluster({ directory, runName: basename(directory), network, onProgress });
}
