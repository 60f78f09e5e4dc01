/**
 * `npm run bench:remote -w @toolhive/proxy`: the same load on a server that speaks HTTP, straight and through the endpoint of a
 * remote workload, in turns of short slices. `BENCH_SECONDS` sets the length of each measurement (default 12). Prints calls
 * a second, latencies, and what the endpoint adds.
 */
import { loadavg } from "node:os";
import { fileURLToPath } from "node:url";
import { add, noFigures, round, summarize } from "./figures.mjs";
import { openSessions, runLoad } from "./load.mjs";
import { bundleEndpoint, NODE_FLAGS, startTarget } from "./targets.mjs";

const seconds = Number(process.env.BENCH_SECONDS ?? 12);
const SESSIONS = [1, 8];
const SLICES = 6;
const PAYLOAD = "x".repeat(100);
const SERVER = fileURLToPath(new URL("http-echo-server.mjs", import.meta.url));

const bundle = await bundleEndpoint();
const loadBefore = loadavg()[0];
const server = await startTarget({ name: "server", args: (/** @type {number} */ port) => [SERVER, String(port)] });
const address = `http://127.0.0.1:${server.port}/mcp`;
const endpoint = await startTarget({
  name: "remote workload",
  args: (/** @type {number} */ port) => [...NODE_FLAGS, bundle, String(port), "remote", address],
});
try {
  for (const count of SESSIONS) await measure(count);
  console.log(`Load of the machine before: ${loadBefore}`);
} finally {
  await endpoint.stop();
  await server.stop();
}

/** @param {number} count */
async function measure(count) {
  const ways = [
    { name: "straight", running: server, sum: noFigures(), sessions: await openSessions(server.port, count) },
    {
      name: "remote workload",
      running: endpoint,
      sum: noFigures(),
      sessions: await openSessions(endpoint.port, count),
    },
  ];
  // The first turn warms up and is not counted.
  for (let turn = -1; turn < SLICES; turn++) {
    for (const { running, sessions, sum } of ways) {
      const cpuBefore = running.cpuMs();
      const load = await runLoad({ sessions, payload: PAYLOAD, seconds: seconds / SLICES });
      if (turn >= 0) add(sum, load, running.cpuMs() - cpuBefore);
    }
  }
  const figures = ways.map(({ name, sum }) => ({ sessions: count, way: name, ...summarize(sum) }));
  console.table(figures);
  const [straight, through] = figures;
  if (straight && through && "p50" in straight && "p50" in through) {
    console.log(`Added: p50 ${round(through.p50 - straight.p50)} ms, p99 ${round(through.p99 - straight.p99)} ms`);
  }
  for (const { connection } of ways.flatMap(({ sessions }) => sessions)) connection.close();
}
