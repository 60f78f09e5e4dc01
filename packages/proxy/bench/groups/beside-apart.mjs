/**
 * `npm run bench:group-cost -w @toolhive/proxy`: what a call through a group costs, as ratios to calls of the same servers at their own
 * endpoints in the same process, with 3, 10 and 30 servers, all well, one dead, and one slow. `BENCH_SERVERS` sets the numbers of
 * servers, `BENCH_ROUNDS` the number of rounds. A whole run writes `beside-apart.json`.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { describeMachine } from "../figures.mjs";
import { measureRounds, ROUND_SECONDS, ROUNDS, startReporting } from "../rounds.mjs";
import { bundleProgram, cache, ECHO, NODE_FLAGS } from "../targets.mjs";
import { openApart, openHttpSession, runCalls } from "./group-session.mjs";

const COUNTS = (process.env.BENCH_SERVERS ?? "3,10,30").split(",").map(Number);
const STATES = /** @type {const} */ (["healthy", "one dead", "one slow"]);
const SESSIONS = 8;
/** Below those that the system gives to connections. */
const FIRST_PORT = 22_000;
const SLOW_MS = 30_000;
const LIST_MS = 120_000;

const folder = join(cache, "groups");
mkdirSync(folder, { recursive: true });
const program = await bundleProgram(fileURLToPath(new URL("run-group.ts", import.meta.url)), "group");
const loadBefore = loadavg()[0];
/** @type {object[]} */
const rows = [];
for (const count of COUNTS) for (const state of STATES) await measure(count, state);
console.table(rows);
if (process.env.BENCH_SERVERS === undefined) {
  const file = fileURLToPath(new URL("beside-apart.json", import.meta.url));
  const machine = { ...describeMachine(loadBefore), loadAfter: loadavg()[0] };
  writeFileSync(file, `${JSON.stringify({ machine, rounds: ROUNDS, sessions: SESSIONS, rows }, undefined, 2)}\n`);
}

/** @param {number} count @param {(typeof STATES)[number]} state */
async function measure(count, state) {
  const file = join(folder, "beside-apart.json");
  writeFileSync(
    file,
    JSON.stringify(
      Object.fromEntries(
        Array.from({ length: count }, (_, index) => [
          `s${index + 1}`,
          describeServer(index === count - 1 ? state : "healthy"),
        ]),
      ),
    ),
  );
  const well = Array.from({ length: state === "healthy" ? count : count - 1 }, (_, index) => `s${index + 1}`);
  const { port, readCpuUs, stop } = await startReporting("group", (at) => [
    ...NODE_FLAGS,
    program,
    at,
    file,
    String(FIRST_PORT),
  ]);
  const signal = AbortSignal.timeout(LIST_MS);
  const inGroup = well.map((name) => `${name}__echo`);
  try {
    await waitForList(port, inGroup, signal);
    const ports = well.map((_, index) => FIRST_PORT + index);
    const apart = await Promise.all(Array.from({ length: SESSIONS }, () => openApart(ports, signal)));
    const group = await Promise.all(Array.from({ length: SESSIONS }, () => openHttpSession(port, signal)));
    const figures = await measureRounds([
      { name: "apart", readCpuUs, run: () => runCalls(apart, ["echo"], ROUND_SECONDS) },
      { name: "group", readCpuUs, run: () => runCalls(group, inGroup, ROUND_SECONDS) },
    ]);
    for (const { target, ...row } of figures) {
      rows.push({ servers: count, state, target, ...row });
      console.log(Object.values(rows.at(-1) ?? {}).join("\t"));
    }
    for (const session of [...apart, ...group]) session.close();
  } finally {
    await stop();
  }
}

/** @param {(typeof STATES)[number]} state */
function describeServer(state) {
  if (state === "one dead") return [process.execPath, "-e", "process.exit(1)"];
  return [process.execPath, ECHO, ...(state === "one slow" ? [String(SLOW_MS)] : [])];
}

/** @param {number} port @param {readonly string[]} tools @param {AbortSignal} signal */
async function waitForList(port, tools, signal) {
  const session = await openHttpSession(port, signal);
  for (;;) {
    const names = new Set(await session.listTools(signal));
    if (tools.every((tool) => names.has(tool))) break;
    await sleep(50);
  }
  session.close();
}
