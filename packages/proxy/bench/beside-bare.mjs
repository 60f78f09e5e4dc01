/**
 * `npm run bench:http -w @toolhive/proxy`: what a call over HTTP through our endpoint costs, as ratios to a bare Node proxy before
 * the same server: calls a second, latency, processor time of the proxy's process. `BENCH_ROUNDS` sets the number of rounds
 * (default 15), `BENCH_ONLY` the targets (a list), `BENCH_SESSIONS` and `BENCH_BYTES` what is measured. With `BENCH_BEFORE`,
 * the directory of another checkout, its endpoint takes part, too. A whole run writes `beside-bare.json`.
 */
import { writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describeMachine } from "./figures.mjs";
import { openSessions, runLoad } from "./load.mjs";
import { measureRounds, ROUND_SECONDS, ROUNDS, startReporting } from "./rounds.mjs";
import { bundleEndpoint, cache, NODE_FLAGS } from "./targets.mjs";

const SESSIONS = (process.env.BENCH_SESSIONS ?? "1,8,64").split(",").map(Number);
const BYTES = (process.env.BENCH_BYTES ?? "100,10000,100000,1000000").split(",").map(Number);
const only = process.env.BENCH_ONLY?.split(",");
const before = process.env.BENCH_BEFORE;
const isWhole = [only, before, process.env.BENCH_SESSIONS, process.env.BENCH_BYTES].every((each) => each === undefined);
/** What the rows are ratios to. */
const BASE = "bare";

const here = (/** @type {string} */ name) => fileURLToPath(new URL(name, import.meta.url));
const loadBefore = loadavg()[0];
const server = await startReporting("server", (port) => [here("http-echo-server.mjs"), port]);
const address = `http://127.0.0.1:${server.port}`;
const endpoint = await bundleEndpoint();
const older = before && (await bundleEndpoint({ checkout: before, outdir: join(cache, "before") }));

/** @type {Record<string, (port: string) => string[]>} */
const targets = {
  [BASE]: (port) => [here("bare-proxy.mjs"), port, String(server.port)],
  "bare undici": (port) => [here("bare-undici-proxy.mjs"), port, String(server.port)],
  ...(older && { "before, http": (port) => [...NODE_FLAGS, older, port, address] }),
  http: (port) => [...NODE_FLAGS, endpoint, port, address],
  ...(older && { "before, remote": (port) => [...NODE_FLAGS, older, port, "remote", `${address}/mcp`] }),
  remote: (port) => [...NODE_FLAGS, endpoint, port, "remote", `${address}/mcp`],
};
/** @type {({ name: string } & import("./rounds.mjs").Running)[]} */
const running = [];
/** @type {object[]} */
const rows = [];
try {
  for (const [name, args] of Object.entries(targets))
    if (name === BASE || only === undefined || only.includes(name))
      running.push({ name, ...(await startReporting(name, args)) });
  for (const sessions of SESSIONS) for (const bytes of BYTES) await measure(sessions, bytes);
} finally {
  for (const each of [...running, server]) await each.stop();
}
console.table(rows);
console.log(`Load of the machine before: ${loadBefore}, after: ${loadavg()[0]}`);
if (isWhole) {
  const machine = { ...describeMachine(loadBefore), loadAfter: loadavg()[0] };
  writeFileSync(here("beside-bare.json"), `${JSON.stringify({ machine, rounds: ROUNDS, rows }, undefined, 2)}\n`);
}

/** @param {number} count @param {number} bytes */
async function measure(count, bytes) {
  const payload = "x".repeat(bytes);
  const measured = await Promise.all(
    running.map(async ({ name, port, readCpuUs }) => {
      const sessions = await openSessions(port, count);
      const close = () => {
        for (const { connection } of sessions) connection.close();
      };
      return { name, readCpuUs, run: () => runLoad({ sessions, payload, seconds: ROUND_SECONDS }), close };
    }),
  );
  for (const { target, ...figures } of await measureRounds(measured)) {
    rows.push({ target, sessions: count, bytes, ...figures });
    console.log(Object.values(rows.at(-1) ?? {}).join("\t"));
  }
  for (const { close } of measured) close();
}
