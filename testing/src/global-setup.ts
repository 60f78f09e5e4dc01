/** vitest's global set-up of the e2e project: real engines before the first test, none after the last. */
import { mkdir } from "node:fs/promises";
import { basename, join } from "node:path";
import type { TestProject } from "vitest/node";
import { prepareBareDebian } from "./bare-debian/bare-debian.ts";
import { findClusterObstacle } from "./cluster/cluster-programs.ts";
import { offerCluster } from "./cluster/wanted-cluster.ts";
import type { EngineDescription } from "./engines/engine-daemon.ts";
import { startEngines, type TestEngines } from "./engines/start-engines.ts";
import { NETWORK_VARIABLE } from "./networked-forks.ts";
import { prepareOpenSearch } from "./opensearch/prepare-opensearch.ts";
import { prepareWindows } from "./windows/prepare-windows.ts";

declare module "vitest" {
  export interface ProvidedContext {
    engines: readonly EngineDescription[];
    /** Of the private engines; empty where there are none. */
    runDirectory: string;
    /** Why there is no Kubernetes cluster; `undefined` where one is started as soon as it is wanted. */
    clusterObstacle: string | undefined;
  }
}

export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  await prepareWindows();
  await prepareBareDebian();
  await prepareOpenSearch();
  const started = await startEngines({ isNoneFine: true });
  const descriptions = started.engines.map(({ cli: _method, ...description }): EngineDescription => description);
  project.provide("engines", descriptions);
  project.provide("runDirectory", started.directory ?? "");
  if (started.directory !== undefined) {
    // The workers inherit it: homes of a test run that is killed go with its engines.
    process.env.TOOLHIVE_TEST_HOMES = join(started.directory, "h");
    await mkdir(process.env.TOOLHIVE_TEST_HOMES);
  }
  if (started.network !== undefined) process.env[NETWORK_VARIABLE] = `${started.network}`;
  const endCluster = await prepareCluster(project, started);
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
