/**
 * `npm run bench -w @toolhive/proxy`: requests a second, latency and memory of our endpoint beside two peers, in one run
 * on one machine. `BENCH_SECONDS` sets the length of each measurement (default 3), `BENCH_ONLY` one target.
 */
import { writeFileSync } from "node:fs";
import { availableParallelism, cpus } from "node:os";
import { fileURLToPath } from "node:url";
import { openSessions, runLoad } from "./load.mjs";
import { bundleEndpoint, installPeers, listTargets, PEERS, startTarget } from "./targets.mjs";

const seconds = Number(process.env.BENCH_SECONDS ?? 3);
const only = process.env.BENCH_ONLY;
const PAYLOADS = /** @type {const} */ ([
  ["100 B", 100],
  ["10 KB", 10_000],
  ["1 MB", 1_000_000],
]);
const SESSIONS = [1, 8, 64];
/** Of each measurement, run before it and not counted. */
const WARM_UP_SHARE = 0.3;

if (only === undefined) installPeers();
const targets = listTargets(await bundleEndpoint()).filter(({ name }) => only === undefined || name === only);

/** @type {Record<string, string | number>[]} */
const rows = [];
/** @type {Record<string, { idle: number, after: number, afterTree: number }>} */
const memory = {};

for (const target of targets) memory[target.name] = { idle: 0, after: 0, afterTree: 0 };
for (const count of SESSIONS) {
  for (const target of targets) {
    const running = await startTarget(target);
    try {
      const sessions = await openSessions(running.port, count);
      const kept = memory[target.name];
      if (kept !== undefined && count === 1) kept.idle = running.memory().bridge;
      for (const [label, bytes] of PAYLOADS) {
        const payload = "x".repeat(bytes);
        const load = { port: running.port, sessions, payload };
        const figures = await measure(load);
        const row = { target: target.name, sessions: count, payload: label, ...figures };
        rows.push(row);
        console.log(Object.values(row).join("\t"));
      }
      const { bridge, tree } = running.memory();
      if (kept !== undefined && bridge > kept.after) Object.assign(kept, { after: bridge, afterTree: tree });
      for (const { agent } of sessions) agent.destroy();
    } finally {
      await running.stop();
    }
  }
}

console.log("\nMemory in MiB: idle with one session, highest after load (bridge alone, with its servers)");
for (const [name, { idle, after, afterTree }] of Object.entries(memory)) {
  console.log(`${name}\t${round(idle)}\t${round(after)}\t${round(afterTree)}`);
}
if (only === undefined) {
  console.log("\nOurs against the better peer: requests a second ×, p99 ×");
  for (const { sessions, payload } of rows.filter(({ target }) => target === "ours")) {
    const same = rows.filter((row) => row.sessions === sessions && row.payload === payload && "perSecond" in row);
    const ours = same.find(({ target }) => target === "ours");
    const peers = same.filter(({ target }) => target !== "ours");
    if (ours === undefined) throw new Error(`ours has no figures for ${sessions} × ${payload}`);
    const rate = Math.max(...peers.map(({ perSecond }) => Number(perSecond)));
    const p99 = Math.min(...peers.map((row) => Number(row.p99)));
    console.log(`${sessions} × ${payload}\t${round(Number(ours.perSecond) / rate)}\t${round(Number(ours.p99) / p99)}`);
  }
  const machine = {
    cpu: cpus()[0]?.model,
    cores: availableParallelism(),
    node: process.version,
    platform: process.platform,
  };
  const file = fileURLToPath(new URL("results.json", import.meta.url));
  writeFileSync(file, `${JSON.stringify({ machine, peers: PEERS, seconds, rows, memory }, undefined, 2)}\n`);
}

/**
 * A peer that refuses a payload has no figures, and the run goes on; ours has to take all of them.
 *
 * @param {Omit<Parameters<typeof runLoad>[0], "seconds">} load
 */
async function measure(load) {
  try {
    await runLoad({ ...load, seconds: seconds * WARM_UP_SHARE });
    const { perSecond, p50, p99 } = await runLoad({ ...load, seconds });
    return { perSecond: round(perSecond), p50: round(p50), p99: round(p99) };
  } catch (error) {
    return { refused: error instanceof Error ? error.message.slice(0, 60) : String(error) };
  }
}

/** @param {number} value */
function round(value) {
  return value >= 100 ? Math.round(value) : Number(value.toPrecision(3));
}
