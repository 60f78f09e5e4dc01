/**
 * `npm run bench -w @toolhive/proxy`: requests a second, latency, processor time and memory of our endpoint beside two
 * peers, and beside a bridge without any feature, below which nothing on Node's own HTTP server can come. The targets take
 * turns in short slices, so that other work on the machine meets all of them alike; processor time per call does not
 * depend on it. Takes about six minutes. `BENCH_SECONDS` sets the length of each measurement (default 6), `BENCH_ONLY` one
 * target, and `BENCH_BEFORE` the directory of another checkout, whose endpoint is then measured beside ours alone; the
 * figures of both are printed and not written down.
 */
import { writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { fileURLToPath } from "node:url";
import { printComparison } from "./comparison.mjs";
import { add, describeMachine, noFigures, round, summarize } from "./figures.mjs";
import { openDirect, openSessions, runLoad } from "./load.mjs";
import { bundleEndpoint, ECHO, installPeers, listTargets, listTwoEndpoints, PEERS, startTarget } from "./targets.mjs";

const seconds = Number(process.env.BENCH_SECONDS ?? 6);
const only = process.env.BENCH_ONLY;
const PAYLOADS = /** @type {const} */ ([
  ["100 B", 100],
  ["10 KB", 10_000],
  ["1 MB", 1_000_000],
]);
const SESSIONS = [1, 8, 64];
/** Turns of each target in one measurement. */
const SLICES = 6;

/** @typedef {import("./comparison.mjs").Row} Row */
/** @typedef {{ name: string, running: Awaited<ReturnType<typeof startTarget>>, sessions: Awaited<ReturnType<typeof openSessions>> }} Started */

const before = process.env.BENCH_BEFORE;
const isWhole = only === undefined && before === undefined;
if (isWhole) installPeers();
const all = before === undefined ? listTargets(await bundleEndpoint()) : await listTwoEndpoints(before);
const targets = all.filter(({ name }) => only === undefined || name === only);
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
  } finally {
    for (const { running, sessions } of started) {
      for (const { connection } of sessions) connection.close();
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
  const figures = started.map(noFigures);
  const direct = noFigures();
  const server = count === 1 ? openDirect(process.execPath, [ECHO]) : undefined;
  const slice = { payload, seconds: seconds / SLICES };
  // The first turn warms up and is not counted.
  for (let turn = -1; turn < SLICES; turn++) {
    for (const [index, { running, sessions }] of started.entries()) {
      const sum = figures[index];
      if (sum === undefined || sum.refused !== "") continue;
      const cpuBefore = running.cpuMs();
      try {
        const run = await runLoad({ sessions, ...slice });
        if (turn >= 0) add(sum, run, running.cpuMs() - cpuBefore);
      } catch (error) {
        // A peer that refuses a payload has no figures, and the run goes on.
        sum.refused = error instanceof Error ? error.message.slice(0, 40) : String(error);
      }
    }
    const run = await server?.run(slice);
    if (run !== undefined && turn >= 0) add(direct, run, 0);
  }
  server?.close();
  if (server !== undefined) addRow({ target: "direct", sessions: count, payload: label, ...summarize(direct) });
  for (const [index, { name, running }] of started.entries()) {
    const sum = figures[index];
    if (sum === undefined) continue;
    const now = running.memory();
    noteMemory(name, now);
    addRow({ target: name, sessions: count, payload: label, ...summarize(sum), memoryMiB: round(now.bridge) });
  }
}

/** @param {Row} row */
function addRow(row) {
  rows.push(row);
  console.log(Object.values(row).join("\t"));
}

/** @param {string} name @param {{ bridge: number, tree: number }} now */
function noteMemory(name, { bridge, tree }) {
  const kept = memory[name];
  if (kept === undefined) memory[name] = { idle: round(bridge), after: round(bridge), afterTree: round(tree) };
  else if (bridge > kept.after) Object.assign(kept, { after: round(bridge), afterTree: round(tree) });
}

/** Prints ours against the endpoint of the other checkout: above 1 for calls a second and below 1 for the rest is better. */
function printRatios() {
  console.log("\nOurs / before: calls a second, p50, p99, processor time per call");
  for (const was of rows.filter(({ target }) => target === "before")) {
    const now = rows.find(
      (row) => row.target === "ours" && row.sessions === was.sessions && row.payload === was.payload,
    );
    if (now === undefined) continue;
    const ratios = /** @type {const} */ (["perSecond", "p50", "p99", "cpuMsPerCall"]).map((name) =>
      ((now[name] ?? Number.NaN) / (was[name] ?? Number.NaN)).toFixed(2),
    );
    console.log([was.sessions, was.payload, ...ratios].join("\t"));
  }
}

function report() {
  console.log("\nMemory in MiB: idle with one session, highest after load (bridge alone, with its servers)");
  for (const [name, figures] of Object.entries(memory)) console.log(`${name}\t${Object.values(figures).join("\t")}`);
  if (before !== undefined) printRatios();
  if (!isWhole) return;
  printComparison(rows, memory);
  const machine = describeMachine(loadBefore);
  const file = fileURLToPath(new URL("results.json", import.meta.url));
  writeFileSync(file, `${JSON.stringify({ machine, peers: PEERS, seconds, rows, memory }, undefined, 2)}\n`);
}
