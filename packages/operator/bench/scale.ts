/**
 * The operator with SIZES MCPServers on a real API server and etcd; what nodes would report is simulated. For each size: the time
 * until all run, requests for each, memory, requests at rest, one change, a restart, and a leader that is killed. Writes
 * the rows of these sizes in `scale.json`. OPERATOR_BENCH_SIZES replaces the sizes.
 */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { cpus, loadavg, tmpdir } from "node:os";
import { basename, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { findRepositoryRoot, startCluster, waitFor } from "@toolhive/testing";
import { ClusterClient } from "../src/cluster/index.ts";
import { createCrds } from "../src/contract/crd.ts";
import { API_VERSION, KIND, PLURAL } from "../src/contract/index.ts";
import { OperatorProcess } from "../src/testing/operator-process.ts";
import { SimulatedNodes } from "./simulated-nodes.ts";
import { isConverged, WatchedServers } from "./watched-servers.ts";

const SIZES = (process.env.OPERATOR_BENCH_SIZES ?? "100,1000,10000").split(",").map(Number);
const CHANGES = 100;
const REST_MS = 60_000;
const CREATORS = 16;
const NAMESPACE = "bench";
/** The bounds that Node.js 20 chooses by itself in the 512 MiB that the chart gives the operator. */
const NODE_FLAGS = ["--max-old-space-size=256", "--max-semi-space-size=1"];
const DEADLINE_MS = 1_800_000;
/** What is simulated, and what would end the simulated pods. */
const CONTROLLERS = "*,-deployment-controller,-statefulset-controller,-pod-garbage-collector-controller";

const nameServer = (index: number) => `server-${String(index).padStart(5, "0")}`;
const seconds = (since: number) => Number(((performance.now() - since) / 1_000).toFixed(1));
const round = (value: number, digits = 2) => Number(value.toFixed(digits));

const readLoad = () => loadavg()[0] ?? Number.NaN;

function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((left, right) => left - right);
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN);
}

/** Half of them speak stdio, half HTTP; each has variables, and every tenth a secret. */
function describeServer(index: number) {
  return {
    apiVersion: API_VERSION,
    kind: KIND,
    metadata: { name: nameServer(index), namespace: NAMESPACE },
    spec: {
      image: `registry.example.com/server-${index % 20}:1.${index % 7}`,
      transport: index % 2 === 0 ? "stdio" : "streamable-http",
      port: 8080,
      args: ["--verbose"],
      env: [{ name: "LEVEL", value: "info" }],
      ...(index % 10 === 0 && { secrets: [{ name: "shared", key: "token", targetEnvName: "TOKEN" }] }),
    },
  };
}

async function prepare(client: ClusterClient): Promise<void> {
  const create = async (path: string, body: object) => await client.send({ method: "POST", path, body });
  for (const definition of Object.values(createCrds()))
    await create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition);
  await create("/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name: NAMESPACE } });
  const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "shared" }, stringData: { token: "x" } };
  await create(`/api/v1/namespaces/${NAMESPACE}/secrets`, secret);
  await waitFor(async () => await client.send({ path: `/apis/${API_VERSION}/${PLURAL}` }), {
    what: "the definition to be served",
  });
  await waitFor(async () => await client.send({ path: `/api/v1/namespaces/${NAMESPACE}/serviceaccounts/default` }), {
    what: "the default service account",
  });
}

async function createServers(client: ClusterClient, from: number, to: number): Promise<void> {
  let next = from;
  const work = async () => {
    while (next < to) {
      const body = describeServer(next++);
      await client.send({ method: "POST", path: `/apis/${API_VERSION}/namespaces/${NAMESPACE}/${PLURAL}`, body });
    }
  };
  await Promise.all(Array.from({ length: CREATORS }, work));
}

/** No request that changes anything for two seconds, or none that reads. */
async function untilAtRest(operator: OperatorProcess, kind: "writes" | "reads" = "writes"): Promise<void> {
  let count = -1;
  let since = performance.now();
  await waitFor(
    async () => {
      const now = (await operator.countRequests())[kind];
      if (now !== count) since = performance.now();
      count = now;
      return performance.now() - since > 2_000 && (kind === "writes" || now > 0);
    },
    { what: "the operator to be at rest", deadlineMs: DEADLINE_MS, intervalMs: 100 },
  );
}

/** Milliseconds from a changed port to a status that has it, with everything that belongs to it. */
async function measureChanges(client: ClusterClient, servers: WatchedServers, size: number): Promise<number[]> {
  const times: number[] = [];
  for (let change = 0; change < CHANGES; change += 1) {
    const name = nameServer(Math.floor((change / CHANGES) * size));
    const path = `/apis/${API_VERSION}/namespaces/${NAMESPACE}/${PLURAL}/${name}`;
    const port = 9_000 + ((change + Math.floor(performance.now())) % 5_000);
    const begin = performance.now();
    await client.send({ method: "PATCH", path, body: { spec: { port } }, contentType: "application/merge-patch+json" });
    await servers.until(() => {
      const seen = servers.get(name);
      return seen !== undefined && isConverged(seen) && seen.url.endsWith(`:${port}`);
    });
    times.push(performance.now() - begin);
  }
  return times;
}

async function measureRest(operator: OperatorProcess) {
  const before = { ...(await operator.countRequests()), processor: await operator.readProcessorSeconds() };
  await pause(REST_MS);
  const after = await operator.countRequests();
  return {
    writes: after.writes - before.writes,
    reads: after.reads - before.reads,
    processorMs: Math.round(((await operator.readProcessorSeconds()) - before.processor) * 1_000),
  };
}

async function measureSize(size: number) {
  const directory = await mkdtemp(join(tmpdir(), "thv-scale-"));
  const onProgress = (message: string) => console.log(`${size}: ${message}`);
  const signal = new AbortController().signal;
  try {
    await using cluster = await startCluster({
      directory,
      runName: basename(directory),
      controllers: CONTROLLERS,
      onProgress,
      signal,
    });
    const client = ClusterClient.load(cluster.kubeconfig);
    await prepare(client);
    const nodes = new SimulatedNodes(ClusterClient.load(cluster.kubeconfig));
    const servers = new WatchedServers(client);
    await createServers(client, 0, size);
    onProgress("created");

    const startOperator = async () =>
      await OperatorProcess.start({ kubeconfig: cluster.kubeconfig, namespace: NAMESPACE, nodeFlags: NODE_FLAGS });

    const begin = performance.now();
    const loadBefore = readLoad();
    let operator = await startOperator();
    const progress = setInterval(() => onProgress(`${servers.converged} run after ${seconds(begin)} s`), 15_000);
    await servers.until(() => servers.converged === size);
    clearInterval(progress);
    const convergeSeconds = seconds(begin);
    const loadConverged = readLoad();
    await untilAtRest(operator);
    const requests = await operator.countRequests();
    const processorSeconds = await operator.readProcessorSeconds();
    onProgress(`all run after ${convergeSeconds} s`);
    const rest = await measureRest(operator);
    const memory = await operator.readMemory();
    const changes = await measureChanges(client, servers, size);
    await untilAtRest(operator);
    const changeWrites = (await operator.countRequests()).writes - requests.writes - rest.writes;
    await operator.end();

    const restarted = performance.now();
    operator = await startOperator();
    await waitFor(async () => (await operator.isLeader()) && (await operator.isReady()), {
      what: "the operator to be back",
      deadlineMs: DEADLINE_MS,
    });
    const restartSeconds = seconds(restarted);
    await untilAtRest(operator);
    const restart = await operator.countRequests();
    const restartMemory = await operator.readMemory();

    const other = await startOperator();
    // It has been on standby for long, as a rule.
    await untilAtRest(other, "reads");
    const killed = performance.now();
    await operator.end("SIGKILL");
    await waitFor(async () => (await other.isLeader()) && (await other.isReady()), {
      what: "the other operator to lead",
      deadlineMs: DEADLINE_MS,
    });
    const takeoverSeconds = seconds(killed);
    await other.end();
    await servers.close();
    await nodes.close();
    client.close();
    return {
      servers: size,
      // Of the machine, on which others may have worked: mean of the begin, of when all run, and of the end.
      loadAverage: round((loadBefore + loadConverged + readLoad()) / 3, 1),
      convergeSeconds,
      serversPerSecond: round(size / convergeSeconds, 1),
      writesPerServer: round(requests.writes / size),
      readsPerServer: round(requests.reads / size),
      operatorProcessorMsPerServer: round((processorSeconds * 1_000) / size),
      memoryMiB: memory,
      restOfOneMinute: rest,
      changeMs: { count: CHANGES, p50: percentile(changes, 0.5), p99: percentile(changes, 0.99) },
      writesPerChange: round(changeWrites / CHANGES),
      restart: { seconds: restartSeconds, writes: restart.writes, memoryMiB: restartMemory },
      takeoverSeconds,
    };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

const FILE = join(findRepositoryRoot(), "packages/operator/bench/scale.json");
const machine = { cpu: cpus()[0]?.model, cores: cpus().length, node: process.version };
for (const size of SIZES) {
  const measured = await measureSize(size);
  console.log(JSON.stringify(measured, undefined, 2));
  // The largest takes long: what was measured before it, and other sizes on such a machine, stay whatever happens to it.
  const before = JSON.parse(await readFile(FILE, "utf8"));
  const isSameMachine = JSON.stringify(before.machine) === JSON.stringify(machine);
  const kept: { readonly servers: number }[] = isSameMachine ? before.sizes : [];
  const sizes = [...kept.filter(({ servers }) => servers !== size), measured];
  sizes.sort((one, other) => one.servers - other.servers);
  await writeFile(FILE, `${JSON.stringify({ machine, sizes }, undefined, 2)}\n`);
}
