/**
 * `npm run bench -w @toolhive/proxy`: requests a second, latency, processor time and memory of our endpoint beside two
 * peers. The targets take turns in short slices, so that other work on the machine meets all of them alike; processor
 * time per call does not depend on it. `BENCH_SECONDS` sets the length of each measurement (default 4), `BENCH_ONLY` one
 * target.
 */
import { writeFileSync } from "node:fs";
import { availableParallelism, cpus, loadavg } from "node:os";
import { fileURLToPath } from "node:url";
import { openSessions, runDirect, runLoad } from "./load.mjs";
import { bundleEndpoint, ECHO, installPeers, listTargets, PEERS, startTarget } from "./targets.mjs";

const seconds = Number(process.env.BENCH_SECONDS ?? 4);
const only = process.env.BENCH_ONLY;
const PAYLOADS = /** @type {const} */ ([
  ["100 B", 100],
  ["10 KB", 10_000],
  ["1 MB", 1_000_000],
]);
const SESSIONS = [1, 8, 64];
/** Turns of each target in one measurement. */
const SLICES = 4;

/** @typedef {{ target: string, sessions: number, payload: string, refused?: string, perSecond?: number, p50?: number, p99?: number, cpuMsPerCall?: number }} Row */
/** @typedef {{ name: string, running: Awaited<ReturnType<typeof startTarget>>, sessions: Awaited<ReturnType<typeof openSessions>> }} Started */

if (only === undefined) installPeers();
const targets = listTargets(await bundleEndpoint()).filter(({ name }) => only === undefined || name === only);
const loadBefore = loadavg()[0];

/** @type {Row[]} */
const rows = [];
/** @type {Record<string, { idle: number, after: number, afterTree: number }>} */
const memory = {};

for (const count of SESSIONS) {
  /** @type {Started[]} */
  const started = [];
  try {
    for (const target of targets) {
      const running = await startTarget(target);
      started.push({ name: target.name, running, sessions: await openSessions(running.port, count) });
    }
    for (const { name, running } of started) noteMemory(name, running.memory());
    for (const [label, bytes] of PAYLOADS) await measure(started, count, label, "x".repeat(bytes));
    for (const { name, running } of started) noteMemory(name, running.memory());
  } finally {
    for (const { running, sessions } of started) {
      for (const { agent } of sessions) agent.destroy();
      await running.stop();
    }
  }
}
report();

/**
 * Measures one payload on all targets, in turns.
 *
 * @param {Started[]} started
 * @param {number} count
 * @param {string} label
 * @param {string} payload
 */
async function measure(started, count, label, payload) {
  const noFigures = () => ({ latencies: /** @type {number[]} */ ([]), elapsed: 0, cpuMs: 0, refused: "" });
  const figures = started.map(noFigures);
  const direct = noFigures();
  for (let slice = -1; slice < SLICES; slice++) {
    for (const [index, { running, sessions }] of started.entries()) {
      const sum = figures[index];
      if (sum === undefined || sum.refused !== "") continue;
      const cpuBefore = running.cpuMs();
      try {
        const run = await runLoad({ port: running.port, sessions, payload, seconds: seconds / SLICES });
        // The first turn warms up and is not counted.
        if (slice < 0) continue;
        sum.latencies.push(...run.latencies);
        sum.elapsed += run.elapsed;
        sum.cpuMs += running.cpuMs() - cpuBefore;
      } catch (error) {
        // A peer that refuses a payload has no figures, and the run goes on.
        sum.refused = error instanceof Error ? error.message.slice(0, 40) : String(error);
      }
    }
    if (slice < 0 || count > 1) continue;
    const run = await runDirect({ command: process.execPath, args: [ECHO], payload, seconds: seconds / SLICES });
    direct.latencies.push(...run.latencies);
    direct.elapsed += run.elapsed;
  }
  if (count === 1) addRow({ target: "direct", sessions: count, payload: label, ...summarize(direct) });
  for (const [index, { name }] of started.entries()) {
    const sum = figures[index];
    if (sum === undefined) continue;
    addRow({ target: name, sessions: count, payload: label, ...summarize(sum) });
  }
}

/** @param {Row} row */
function addRow(row) {
  rows.push(row);
  console.log(Object.values(row).join("\t"));
}

/** @param {{ latencies: number[], elapsed: number, cpuMs: number, refused: string }} sum */
function summarize({ latencies, elapsed, cpuMs, refused }) {
  if (refused !== "") return { refused: refused.split("\n")[0] ?? "" };
  latencies.sort((a, b) => a - b);
  const at = (/** @type {number} */ share) =>
    latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? 0;
  return {
    perSecond: round(latencies.length / elapsed),
    p50: round(at(0.5)),
    p99: round(at(0.99)),
    cpuMsPerCall: round(cpuMs / latencies.length),
  };
}

/** @param {string} name @param {{ bridge: number, tree: number }} now */
function noteMemory(name, { bridge, tree }) {
  const kept = memory[name];
  if (kept === undefined) memory[name] = { idle: round(bridge), after: round(bridge), afterTree: round(tree) };
  else if (bridge > kept.after) Object.assign(kept, { after: round(bridge), afterTree: round(tree) });
}

function report() {
  console.log("\nMemory in MiB: idle with one session, highest after load (bridge alone, with its servers)");
  for (const [name, figures] of Object.entries(memory)) console.log(`${name}\t${Object.values(figures).join("\t")}`);
  if (only !== undefined) return;
  console.log("\nOurs against the better peer: requests a second ×, p99 ×, processor time per call ×");
  for (const ours of rows.filter(({ target }) => target === "ours")) {
    const peers = rows.filter(
      ({ target, sessions, payload, refused }) =>
        !["ours", "direct"].includes(target) &&
        sessions === ours.sessions &&
        payload === ours.payload &&
        refused === undefined,
    );
    const rate = (ours.perSecond ?? Number.NaN) / Math.max(...peers.map((peer) => peer.perSecond ?? 0));
    const p99 = (ours.p99 ?? Number.NaN) / Math.min(...peers.map((peer) => peer.p99 ?? Number.NaN));
    const cpu = (ours.cpuMsPerCall ?? Number.NaN) / Math.min(...peers.map((peer) => peer.cpuMsPerCall ?? Number.NaN));
    console.log(`${ours.sessions} × ${ours.payload}\t${round(rate)}\t${round(p99)}\t${round(cpu)}`);
  }
  console.log("\nAdded to a direct call at p50, one session, in ms");
  for (const { payload, p50 = Number.NaN } of rows.filter(({ target }) => target === "direct")) {
    const ours = rows.find((row) => row.target === "ours" && row.sessions === 1 && row.payload === payload);
    console.log(`${payload}\t${round((ours?.p50 ?? Number.NaN) - p50)}`);
  }
  const machine = {
    cpu: cpus()[0]?.model,
    cores: availableParallelism(),
    node: process.version,
    platform: process.platform,
    loadBefore,
  };
  const file = fileURLToPath(new URL("results.json", import.meta.url));
  writeFileSync(file, `${JSON.stringify({ machine, peers: PEERS, seconds, rows, memory }, undefined, 2)}\n`);
}

/** @param {number} value */
function round(value) {
  return value >= 100 ? Math.round(value) : Number(value.toPrecision(3));
}
