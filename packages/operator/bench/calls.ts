/**
 * MCPServers on a real node: seconds from `kubectl apply` to the first tool answer, calls a second through the proxy, for a server
 * on stdio and for one that speaks HTTP, beside the same server without a proxy, through `kubectl port-forward`, and behind a peer
 * bridge in its pod; memory of proxy and sidecar. All take turns in short slices, because a machine has other work at times.
 * Writes `calls.json`. BENCH_SECONDS sets the length of each measurement (default 12).
 */
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import {
  findRepositoryRoot,
  listProcessIds,
  type TestCluster,
  type TestNamespace,
  THV_IMAGE,
  waitFor,
} from "@toolhive/testing";
import { OperatorProcess } from "../src/testing/operator-process.ts";
import { createServerManifest, ECHO_IMAGE, untilCondition } from "../src/testing/test-operator.ts";
import { runOnCluster } from "./bench-cluster.ts";
import { McpSession, measureLoad } from "./mcp-session.ts";

const SECONDS = Number(process.env.BENCH_SECONDS ?? 12);
const SLICES = 4;
const SESSIONS = 8;
const FIRST_ANSWERS = 3;
/** The exact version, so that a result can be repeated. */
const PEER = "mcp-proxy@6.7.19";
const PEERS = join(findRepositoryRoot(), ".cache/bench-operator");
const PEER_PORT = 8_000;

const round = (value: number, digits = 1) => Number(value.toFixed(digits));

async function findProxy(space: TestNamespace, name: string): Promise<URL | undefined> {
  const service = await space.get(`service/mcp-${name}-proxy`);
  return service && new URL(`http://${service.spec.clusterIP}:8080/mcp`);
}

/** Seconds until a tool has answered, of several new MCPServers, one after the other. */
async function measureFirstAnswers(space: TestNamespace, transport: "stdio" | "streamable-http") {
  const times: number[] = [];
  for (let index = 0; index < FIRST_ANSWERS; index += 1) {
    const name = `first-${transport === "stdio" ? "stdio" : "http"}-${index}`;
    const begin = performance.now();
    await space.apply(createServerManifest(name, { transport }));
    const answer = async () => {
      const url = await findProxy(space, name);
      if (url === undefined) return false;
      const session = await McpSession.open(url);
      await session.call("first");
      return true;
    };
    await waitFor(answer, { what: `${name} to answer`, deadlineMs: 120_000, intervalMs: 50 });
    times.push(round((performance.now() - begin) / 1_000));
    await space.kubectl("delete", `mcpserver/${name}`, "--wait=false");
  }
  const [fastest, ...others] = times.sort((one, other) => one - other);
  return { count: times.length, fastest, median: times[Math.floor(times.length / 2)], slowest: others.at(-1) };
}

/** The echo server on stdio behind a bridge from npm, in one pod. @returns Its address. */
async function startPeer(space: TestNamespace): Promise<URL> {
  const install = ["install", "--prefix", PEERS, "--ignore-scripts", "--no-audit", "--no-fund", PEER];
  execFileSync("npm", install, { stdio: ["ignore", "ignore", "inherit"] });
  const bridge = ["--port", `${PEER_PORT}`, "--host", "0.0.0.0", "--server", "stream", "--"];
  await space.apply({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "peer" },
    spec: {
      containers: [
        {
          name: "peer",
          image: ECHO_IMAGE,
          imagePullPolicy: "Never",
          command: ["node", "/peers/node_modules/mcp-proxy/dist/bin/mcp-proxy.mjs"],
          args: [...bridge, "node", "/app/echo-server.mjs"],
          volumeMounts: [{ name: "peers", mountPath: "/peers", readOnly: true }],
        },
      ],
      volumes: [{ name: "peers", hostPath: { path: PEERS } }],
    },
  });
  await space.kubectl("wait", "--for=condition=Ready", "pod/peer", "--timeout=60s");
  const url = new URL(`http://${(await space.get("pod/peer")).status.podIP}:${PEER_PORT}/mcp`);
  await waitFor(async () => await McpSession.open(url), { what: "the peer to answer", deadlineMs: 60_000 });
  return url;
}

/** MiB of all processes of a container. */
async function readMemory(space: TestNamespace, selector: string, container: string): Promise<number> {
  const pods = await space.kubectl("get", "pods", `--selector=${selector}`, "--output=json");
  const { initContainerStatuses = [], containerStatuses = [] } = JSON.parse(pods).items[0].status;
  const found = [...initContainerStatuses, ...containerStatuses].find(({ name }) => name === container);
  const id = String(found?.containerID).replace(/^.*:\/\//, "");
  if (found === undefined) throw new Error(`There is no container ${container} in the pods of ${selector}.`);
  let kib = 0;
  for (const pid of await listProcessIds()) {
    if (!(await readFile(`/proc/${pid}/cgroup`, "utf8").catch(() => "")).includes(id)) continue;
    const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
    kib += Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0);
  }
  return round(kib / 1_024);
}

async function measure(cluster: TestCluster, space: TestNamespace) {
  await space.apply(createServerManifest("stdio"));
  await space.apply(createServerManifest("http", { transport: "streamable-http" }));
  await space.apply(createServerManifest("closed", { permissionProfile: { type: "builtin", name: "none" } }));
  for (const name of ["stdio", "http"]) await untilCondition(space, name, "Ready", "Running");
  await untilCondition(space, "closed", "ProfileEnforced", "Enforced");
  const idle = {
    proxyOfStdio: await readMemory(space, "toolhive-name=stdio", "toolhive"),
    proxyOfHttp: await readMemory(space, "toolhive-name=http", "toolhive"),
    sidecar: await readMemory(space, "app=closed", "network"),
  };
  const firstAnswerSeconds = {
    stdio: await measureFirstAnswers(space, "stdio"),
    http: await measureFirstAnswers(space, "streamable-http"),
  };
  const server = new URL(`http://${(await space.get("pod/http-0")).status.podIP}:8080/mcp`);
  const forward = cluster.spawnKubectl(["--namespace", space.name, "port-forward", "pod/http-0", ":8080"]);
  try {
    const [line] = await once(createInterface({ input: forward.stdout }), "line");
    const forwarded = new URL(`http://127.0.0.1:${/127\.0\.0\.1:(\d+)/.exec(line)?.[1]}/mcp`);
    const targets: readonly (readonly [what: string, url: URL | undefined])[] = [
      ["server on stdio, through attach and our proxy", await findProxy(space, "stdio")],
      ["server on stdio, behind mcp-proxy in its pod", await startPeer(space)],
      ["server that speaks HTTP, through our proxy", await findProxy(space, "http")],
      ["server that speaks HTTP, through kubectl port-forward", forwarded],
      ["server that speaks HTTP, at its pod's address", server],
    ];
    const started: { what: string; url: URL; times: number[]; ms: number }[] = [];
    for (const [what, url] of targets) {
      if (url === undefined) throw new Error(`There is no ${what}.`);
      started.push({ what, url, times: [], ms: 0 });
    }
    // The first turn warms up and is not counted.
    for (let turn = -1; turn < SLICES; turn += 1) {
      for (const target of started) {
        const sessions = await Promise.all(Array.from({ length: SESSIONS }, () => McpSession.open(target.url)));
        const { times, ms } = await measureLoad(sessions, (SECONDS / SLICES) * 1_000);
        for (const session of sessions) await session.close();
        if (turn < 0) continue;
        target.times.push(...times);
        target.ms += ms;
      }
    }
    const rows = started.map(({ what, times, ms }) => {
      const sorted = times.sort((one, other) => one - other);
      const at = (share: number) => round(sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN, 2);
      return { what, callsPerSecond: Math.round((times.length * 1_000) / ms), p50Ms: at(0.5), p99Ms: at(0.99) };
    });
    const memoryAfterCallsMiB = {
      proxyOfStdio: await readMemory(space, "toolhive-name=stdio", "toolhive"),
      proxyOfHttp: await readMemory(space, "toolhive-name=http", "toolhive"),
    };
    return { firstAnswerSeconds, rows, memoryMiB: idle, memoryAfterCallsMiB };
  } catch (error) {
    throw new Error(`The peer said: ${(await space.kubectl("logs", "peer").catch(String)).slice(-2_000)}`, {
      cause: error,
    });
  } finally {
    forward.kill();
  }
}

await runOnCluster("calls", async ({ started, cluster, space }) => {
  await using _operator = await OperatorProcess.start({
    kubeconfig: started.kubeconfig,
    namespace: space.name,
    watched: [space.name],
    env: { TOOLHIVE_RUNNER_IMAGE: THV_IMAGE },
  });
  const measured = await measure(cluster, space);
  const loadAverage = round(loadavg()[0] ?? Number.NaN);
  const machine = { cpu: cpus()[0]?.model, cores: cpus().length, node: process.version, loadAverage };
  const result = { machine, peer: PEER, sessions: SESSIONS, seconds: SECONDS, ...measured };
  console.log(JSON.stringify(result, undefined, 2));
  const file = join(findRepositoryRoot(), "packages/operator/bench/calls.json");
  await writeFile(file, `${JSON.stringify(result, undefined, 2)}\n`);
});
