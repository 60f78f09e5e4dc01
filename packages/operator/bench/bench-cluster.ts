/** A cluster for one run of a benchmark, with the operator's kinds and one namespace. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { startCluster, startEngines, TestCluster, type TestNamespace } from "@toolhive/testing";
import { installCrd } from "../src/testing/test-operator.ts";

export interface BenchCluster {
  readonly started: Awaited<ReturnType<typeof startCluster>>;
  readonly cluster: TestCluster;
  readonly space: TestNamespace;
}

/** @throws {Error} Where the engines are the machine's own: a cluster needs a network beside private ones. */
export async function runOnCluster(name: string, run: (on: BenchCluster) => Promise<void>): Promise<void> {
  const { network } = await startEngines();
  if (network === undefined) throw new Error("A cluster is started beside private engines only.");
  const directory = await mkdtemp(join(tmpdir(), `thv-${name}-`));
  try {
    await using started = await startCluster({
      directory,
      runName: basename(directory),
      network,
      onProgress: (message) => console.log(message),
      signal: new AbortController().signal,
    });
    const cluster = new TestCluster();
    cluster.kubeconfig = started.kubeconfig;
    await installCrd(cluster);
    await run({ started, cluster, space: await cluster.createNamespace("bench") });
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
