/**
 * `npm run bench:http -w @toolhive/proxy`: what a call over HTTP through our endpoint costs, as ratios to a bare Node proxy before
 * the same server: calls a second, latency, processor time of the proxy's process alone. The targets take turns in short rounds, and
 * a row has the median of the rounds' ratios, so that other work on the machine meets all of them alike. `BENCH_ROUNDS` sets their
 * number (default 15), `BENCH_ONLY` the targets (a list), `BENCH_SESSIONS` and `BENCH_BYTES` what is measured. With `BENCH_BEFORE`,
 * the directory of another checkout, its endpoint takes part, too. A whole run writes `beside-bare.json`.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describeMachine, round } from "./figures.mjs";
import { openSessions, runLoad } from "./load.mjs";
import { bundleEndpoint, cache, freePort, installPeers, NODE_FLAGS } from "./targets.mjs";

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 15);
const WARM_UP = Number(process.env.WARM ?? 4);
const ROUND_SECONDS = 0.3;
const SESSIONS = (process.env.BENCH_SESSIONS ?? "1,8,64").split(",").map(Number);
const BYTES = (process.env.BENCH_BYTES ?? "100,10000,100000,1000000").split(",").map(Number);
const only = process.env.BENCH_ONLY?.split(",");
const before = process.env.BENCH_BEFORE;
const isWhole = [only, before, process.env.BENCH_SESSIONS, process.env.BENCH_BYTES].every((each) => each === undefined);
/** Exact, so that a result can be repeated. */
const UNDICI = { undici: "7.30.2" };
/** What the rows are ratios to. */
const BASE = "bare";

/** @typedef {{ name: string, port: number, readCpuUs: () => Promise<number>, stop: () => Promise<void> }} Running */
/** @typedef {{ perSecond: number, p50: number, p99: number, cpuUs: number }} Figures */

const here = (/** @type {string} */ name) => fileURLToPath(new URL(name, import.meta.url));
const loadBefore = loadavg()[0];
const undici = join(installPeers(UNDICI, join(cache, "undici")), "node_modules/undici/index.js");
const server = await start("server", (port) => [here("http-echo-server.mjs"), port]);
const address = `http://127.0.0.1:${server.port}`;
const endpoint = await bundleEndpoint();
const older = before && (await bundleEndpoint({ checkout: before, outdir: join(cache, "before") }));

/** @type {Record<string, (port: string) => string[]>} */
const targets = {
  [BASE]: (port) => [here("bare-proxy.mjs"), port, String(server.port)],
  "bare undici": (port) => [here("bare-undici-proxy.mjs"), port, String(server.port), undici],
  ...(older && { "before, http": (port) => [...NODE_FLAGS, older, port, address] }),
  http: (port) => [...(process.env.SEMI ? [`--max-semi-space-size=${process.env.SEMI}`] : NODE_FLAGS), endpoint, port, address],
  ...(older && { "before, remote": (port) => [...NODE_FLAGS, older, port, "remote", `${address}/mcp`] }),
  remote: (port) => [...(process.env.SEMI ? [`--max-semi-space-size=${process.env.SEMI}`] : NODE_FLAGS), endpoint, port, "remote", `${address}/mcp`],
};
/** @type {Running[]} */
const running = [];
/** @type {object[]} */
const rows = [];
try {
  for (const [name, args] of Object.entries(targets))
    if (name === BASE || only === undefined || only.includes(name)) running.push(await start(name, args));
  for (const sessions of SESSIONS) for (const bytes of BYTES) await measure(sessions, bytes);
} finally {
  for (const each of [...running, server]) await each.stop();
}
console.table(rows);
console.log(`Load of the machine before: ${loadBefore}, after: ${loadavg()[0]}`);
if (isWhole) {
  const results = { machine: { ...describeMachine(loadBefore), loadAfter: loadavg()[0] }, ...UNDICI, rounds: ROUNDS, rows };
  writeFileSync(here("beside-bare.json"), `${JSON.stringify(results, undefined, 2)}\n`);
}

/** @param {number} sessions @param {number} bytes */
async function measure(sessions, bytes) {
  const payload = "x".repeat(bytes);
  const clients = await Promise.all(running.map(({ port }) => openSessions(port, sessions)));
  /** By target. @type {Figures[][]} */
  const figures = running.map(() => []);
  // The first rounds warm up and are not counted.
  for (let turn = -WARM_UP; turn < ROUNDS; turn++) {
    for (let step = 0; step < running.length; step++) {
      // Each target follows each other one equally often.
      const index = (step + Math.max(turn, 0)) % running.length;
      const found = await runRound(/** @type {Running} */ (running[index]), clients[index] ?? [], payload);
      if (turn >= 0) figures[index]?.push(found);
    }
  }
  for (const { connection } of clients.flat()) connection.close();
  const bare = figures[running.findIndex(({ name }) => name === BASE)] ?? [];
  for (const [index, { name }] of running.entries()) {
    const own = figures[index] ?? [];
    const compare = (/** @type {keyof Figures} */ of) =>
      round(findMedian(own.map((each, turn) => each[of] / (bare[turn]?.[of] ?? Number.NaN))));
    const row = {
      target: name,
      ...{ sessions, bytes },
      ...{ perSecond: compare("perSecond"), p50: compare("p50"), p99: compare("p99"), cpu: compare("cpuUs") },
      cpuUs: round(findMedian(own.map(({ cpuUs }) => cpuUs))),
      callsPerSecond: round(findMedian(own.map(({ perSecond }) => perSecond))),
    };
    rows.push(row);
    console.log(Object.values(row).join("\t"));
  }
}

/** @param {Running} target @param {Awaited<ReturnType<typeof openSessions>>} sessions @param {string} payload @returns {Promise<Figures>} */
async function runRound({ readCpuUs }, sessions, payload) {
  const cpuBefore = await readCpuUs();
  const { latencies, elapsed } = await runLoad({ sessions, payload, seconds: ROUND_SECONDS });
  const cpuUs = ((await readCpuUs()) - cpuBefore) / latencies.length;
  latencies.sort((a, b) => a - b);
  const at = (/** @type {number} */ share) => latencies[Math.floor((latencies.length - 1) * share)] ?? Number.NaN;
  return { perSecond: latencies.length / elapsed, p50: at(0.5), p99: at(0.99), cpuUs };
}

/** @param {string} name @param {(port: string) => string[]} args @returns {Promise<Running>} */
async function start(name, args) {
  const port = await freePort();
  const extra = (process.env.BENCH_NODE_FLAGS ?? "").split(" ").filter((flag) => flag !== "");
  const child = spawn(process.execPath, ["--import", here("report-usage.mjs"), ...extra, ...args(String(port))], {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const deadline = performance.now() + 20_000;
  while (!(await fetch(`http://127.0.0.1:${port}/mcp`, { method: "PUT" }).then(Boolean, () => false))) {
    if (child.exitCode !== null || performance.now() > deadline) throw new Error(`${name} does not listen`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return {
    ...{ name, port },
    readCpuUs: async () => {
      child.send("usage");
      const [usedUs] = await once(child, "message");
      return usedUs;
    },
    stop: async () => {
      if (!child.connected) return;
      child.disconnect();
      await once(child, "exit");
    },
  };
}

/** @param {number[]} values */
function findMedian(values) {
  values.sort((a, b) => a - b);
  return values[Math.floor(values.length / 2)] ?? Number.NaN;
}
