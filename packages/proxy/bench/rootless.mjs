/**
 * `npm run bench:rootless -w @toolhive/proxy`: eight sessions that call the same server through `thv`, in containers of root's
 * Docker, rootless Docker and rootless Podman, on stdio and over HTTP. All take turns in short slices, so that the ratios are
 * of the same minutes. `BENCH_SECONDS` sets the length of each measurement (default 12). Writes `rootless-results.json`.
 */
import { writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { fileURLToPath } from "node:url";
import { bundleTesting } from "./bundle-testing.mjs";
import { add, describeMachine, noFigures, round, summarize } from "./figures.mjs";
import { openSessions, runLoad } from "./load.mjs";
import { readCpuMs } from "./targets.mjs";

const seconds = Number(process.env.BENCH_SECONDS ?? 12);
const SESSIONS = 8;
const SLICES = 6;
const PAYLOAD = "x".repeat(100);
const IMAGE = "toolhive-test/echo:test";
const TRANSPORTS = {
  stdio: [],
  HTTP: ["--transport", "streamable-http", "--target-port", "3001", "--env", "MCP_TRANSPORT=streamable-http"],
};
/** The one that the others are compared with comes first. */
const ENGINES = ["Docker", "rootless Docker", "rootless Podman"];

const { listPairsAmong, runThv, startEngines, ThrowawayHome } = await bundleTesting();
const engines = await startEngines();
const loadBefore = loadavg()[0];
const pairs = await listPairsAmong(engines.engines, engines.directory ?? "");
/** @type {{ engine: string, transport: string, cpuMs: () => number, sessions: Awaited<ReturnType<typeof openSessions>>, sum: ReturnType<typeof noFigures> }[]} */
const started = [];
/** @type {(() => Promise<unknown>)[]} */
const cleanUps = [];
try {
  for (const name of ENGINES) {
    const pair = pairs.find(({ title }) => title === name);
    if (pair === undefined) {
      console.log(`${name} is left out: ${pairs.find(({ title }) => title.startsWith(name))?.obstacle}`);
      continue;
    }
    const { engine, user } = await pair.open();
    const home = await ThrowawayHome.create(user);
    cleanUps.unshift(() => home[Symbol.asyncDispose]());
    for (const [transport, flags] of Object.entries(TRANSPORTS)) {
      const server = `echo-${transport.toLowerCase()}`;
      const { code, stdout, stderr } = await runThv(["run", "--name", server, ...flags, IMAGE], { home, engine });
      if (code !== 0) throw new Error(stderr);
      cleanUps.unshift(() => runThv(["rm", server], { home, engine }));
      const supervisor = await home.findSupervisor();
      if (supervisor === undefined) throw new Error("The supervisor has ended.");
      const { port } = new URL(stdout.trim().split(" ").at(-1) ?? "");
      const sessions = await openSessions(Number(port), SESSIONS);
      started.push({ engine: name, transport, cpuMs: () => readCpuMs(supervisor.pid), sessions, sum: noFigures() });
    }
  }
  // The first turn warms up and is not counted.
  for (let turn = -1; turn < SLICES; turn++) {
    for (const { cpuMs, sessions, sum } of started) {
      const cpuBefore = cpuMs();
      const load = await runLoad({ sessions, payload: PAYLOAD, seconds: seconds / SLICES });
      if (turn >= 0) add(sum, load, cpuMs() - cpuBefore);
    }
  }
} finally {
  for (const { sessions } of started) for (const { connection } of sessions) connection.close();
  for (const cleanUp of cleanUps) await cleanUp();
  await engines.close();
}

const rows = started.map(({ engine, transport, sum }) => ({ engine, transport, ...summarize(sum) }));
for (const row of rows) {
  const { perSecond = Number.NaN, p99 = Number.NaN } = rows.find(({ transport }) => transport === row.transport) ?? {};
  const ratio = `${round((row.perSecond ?? 0) / perSecond)} × the calls, ${round((row.p99 ?? 0) / p99)} × the p99`;
  console.log([...Object.values(row), ratio].join("\t"));
}
const file = fileURLToPath(new URL("rootless-results.json", import.meta.url));
writeFileSync(
  file,
  `${JSON.stringify({ machine: describeMachine(loadBefore), sessions: SESSIONS, seconds, rows }, undefined, 2)}\n`,
);
