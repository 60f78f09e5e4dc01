/**
 * `npm run bench:containers -w @toolhive/proxy`: eight sessions that call a server on stdio in a container, through `thv`
 * and through two peers before `docker run -i` of the same image, and the container's stdio itself with as many calls under
 * way. As in bench.mjs, all take turns in short slices. Takes about a minute and a half. Writes `container-results.json`;
 * `BENCH_SECONDS` sets the length of each measurement (default 12).
 */
import { writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { fileURLToPath } from "node:url";
import { bundleTesting } from "./bundle-testing.mjs";
import { add, describeMachine, noFigures, round, summarize } from "./figures.mjs";
import { openDirect, openSessions, runLoad } from "./load.mjs";
import { installPeers, listPeers, measureMemory, PEERS, readCpuMs, startTarget } from "./targets.mjs";

const seconds = Number(process.env.BENCH_SECONDS ?? 12);
const SESSIONS = 8;
const SLICES = 6;
const PAYLOAD = "x".repeat(100);
const IMAGE = "toolhive-test/echo:test";
/** Of the better peer's calls a second, and of its p99. */
const GOALS = { perSecond: 3, p99: 0.4 };

/** @typedef {{ port: number, memory: () => { bridge: number, tree: number }, cpuMs: () => number, stop: () => Promise<unknown> }} Running */
/** @typedef {{ target: string, perSecond: number, p50: number, p99: number, cpuMsPerCall?: number, memoryMiB?: number, memoryOfAllMiB?: number }} Row */

installPeers();
const { runThv, startEngines, ThrowawayHome } = await bundleTesting();
const engines = await startEngines();
const docker = engines.engines.find(({ kind }) => kind === "docker");
if (docker === undefined) throw new Error("There is no Docker.");
const home = await ThrowawayHome.create();
const loadBefore = loadavg()[0];
const run = [...docker.command, "run", "--interactive", "--rm", IMAGE];

/** @returns {Promise<Running>} */
async function startOurs() {
  const { code, stdout, stderr } = await runThv(["run", "--name", "echo", IMAGE], { home, engine: docker });
  if (code !== 0) throw new Error(stderr);
  const supervisor = await home.findSupervisor();
  if (supervisor === undefined) throw new Error("The supervisor has ended.");
  const { pid } = supervisor;
  return {
    port: Number(new URL(stdout.trim().split(" ").at(-1) ?? "").port),
    memory: () => measureMemory(pid),
    cpuMs: () => readCpuMs(pid),
    stop: () => runThv(["rm", "echo"], { home, engine: docker }),
  };
}

/** @type {{ name: string, running: Running, sessions: Awaited<ReturnType<typeof openSessions>>, sum: ReturnType<typeof noFigures> }[]} */
const started = [];
const [program = "docker", ...args] = run;
const container = openDirect(program, args, SESSIONS);
const direct = noFigures();
/** @type {Row[]} */
const rows = [];
try {
  const starts = [{ name: "ours", start: startOurs }];
  for (const peer of listPeers(run)) starts.push({ name: peer.name, start: () => startTarget(peer) });
  for (const { name, start } of starts) {
    const running = await start();
    started.push({ name, running, sessions: await openSessions(running.port, SESSIONS), sum: noFigures() });
  }
  const slice = { payload: PAYLOAD, seconds: seconds / SLICES };
  // The first turn warms up and is not counted.
  for (let turn = -1; turn < SLICES; turn++) {
    for (const { running, sessions, sum } of started) {
      const cpuBefore = running.cpuMs();
      const load = await runLoad({ sessions, ...slice });
      if (turn >= 0) add(sum, load, running.cpuMs() - cpuBefore);
    }
    const load = await container.run(slice);
    if (turn >= 0) add(direct, load, 0);
  }
  const { cpuMsPerCall: _, ...figures } = summarize(direct);
  rows.push(/** @type {Row} */ ({ target: "direct", ...figures }));
  for (const { name, running, sum } of started) {
    const { bridge, tree } = running.memory();
    const memory = { memoryMiB: round(bridge), memoryOfAllMiB: round(tree) };
    rows.push(/** @type {Row} */ ({ target: name, ...summarize(sum), ...memory }));
  }
} finally {
  container.close();
  for (const { running, sessions } of started) {
    for (const { connection } of sessions) connection.close();
    await running.stop();
  }
  await home[Symbol.asyncDispose]();
  await engines.close();
}

for (const row of rows) console.log(Object.values(row).join("\t"));
const [, ours, ...peers] = rows;
const rate = (ours?.perSecond ?? 0) / Math.max(...peers.map(({ perSecond }) => perSecond));
const p99 = (ours?.p99 ?? Number.NaN) / Math.min(...peers.map((peer) => peer.p99));
const verdict = (/** @type {boolean} */ isMet) => (isMet ? "" : " (goal missed)");
console.log(
  `\nOurs against the better peer: ${round(rate)} × the calls a second${verdict(rate >= GOALS.perSecond)}, ` +
    `${round(p99)} × the p99${verdict(p99 <= GOALS.p99)}`,
);
const file = fileURLToPath(new URL("container-results.json", import.meta.url));
const machine = { ...describeMachine(loadBefore), engine: `${docker.kind}, ${docker.origin}` };
writeFileSync(file, `${JSON.stringify({ machine, peers: PEERS, sessions: SESSIONS, seconds, rows }, undefined, 2)}\n`);
