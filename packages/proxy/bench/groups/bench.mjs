/**
 * `npm run bench:groups -w @toolhive/proxy`: one address for 3, 10 and 30 servers on stdio, beside two peers, beside our
 * endpoints of the same servers without a group, and beside our endpoint of one server: time to the first list, calls a second, latency, processor time and memory, with all servers well, with
 * one that ends when it starts, and with one that answers after 30 seconds. Eight sessions call the tools of the servers that
 * are well, in turns of short slices. `BENCH_SECONDS` sets the length of each measurement (default 6), `BENCH_SERVERS` the
 * numbers of servers. `BENCH_QUICK=1` leaves out the peer that needs minutes for each call where one server is slow. Python 3.10 with `venv` is needed for one of the peers.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { add, describeMachine, noFigures, round, summarize } from "../figures.mjs";
import { bundleEndpoint, bundleProgram, cache, ECHO, installPeers, NODE_FLAGS, startTarget } from "../targets.mjs";
import { formatRequest, openApart, openHttpSession, openSseSession, runCalls, TEXT } from "./group-session.mjs";

const seconds = Number(process.env.BENCH_SECONDS ?? 6);
const COUNTS = (process.env.BENCH_SERVERS ?? "3,10,30").split(",").map(Number);
const isQuick = process.env.BENCH_QUICK === "1";
const SESSIONS = 8;
const SLICES = 6;
/** Below those that the system gives to connections. */
const FIRST_PORT = 21_000;
const SLOW_MS = 30_000;
/** How long an endpoint may need before it lists the tools of all servers that are well. */
const LIST_MS = 120_000;
const LONG_S = 20;

/** Exact versions, so that a result can be repeated. */
const PEERS = { "mcp-hub": "4.2.1" };
const FASTMCP = "4.2.3";
const folder = join(cache, "groups");
mkdirSync(folder, { recursive: true });
installPeers(PEERS, folder);
const python = installFastMcp();
const single = await bundleEndpoint();
const group = await bundleProgram(fileURLToPath(new URL("run-group.ts", import.meta.url)), "group");

/** Names of tools as each of them forms them. */
const NAME_OF = {
  ours: (/** @type {string} */ server) => `${server}__echo`,
  "mcp-hub": (/** @type {string} */ server) => `${server}__echo`,
  fastmcp: (/** @type {string} */ server) => `${server}_echo`,
  "one server": () => "echo",
  apart: () => "echo",
};
/** @typedef {keyof typeof NAME_OF} TargetName */

const CASES = /** @type {const} */ (["healthy", "one dead", "one slow"]);
const loadBefore = loadavg()[0];
/** @type {object[]} */
const rows = [];
for (const count of COUNTS) {
  for (const state of CASES) {
    await measureCase(count, state);
    // After each, so that a run that is broken off keeps what it has.
    writeResults();
  }
}
console.table(rows);

function writeResults() {
  const file = fileURLToPath(new URL("results.json", import.meta.url));
  const peers = { ...PEERS, fastmcp: FASTMCP };
  const results = { machine: describeMachine(loadBefore), peers, seconds, sessions: SESSIONS, rows };
  writeFileSync(file, `${JSON.stringify(results, undefined, 2)}\n`);
}

/** @param {number} count @param {(typeof CASES)[number]} state */
async function measureCase(count, state) {
  const servers = Object.fromEntries(
    Array.from({ length: count }, (_, index) => {
      const last = index === count - 1;
      const args = last && state === "one slow" ? [ECHO, String(SLOW_MS)] : [ECHO];
      return [
        `s${index + 1}`,
        [process.execPath, ...(last && state === "one dead" ? ["-e", "process.exit(1)"] : args)],
      ];
    }),
  );
  const names = Object.keys(servers);
  const well = state === "healthy" ? names : names.slice(0, -1);
  const started = [];
  try {
    for (const target of listGroups(servers, well.length)) {
      if (isQuick && state === "one slow" && target.name === "fastmcp") continue;
      const tools = (target.name === "one server" ? ["s1"] : well).map(NAME_OF[target.name]);
      const startedAt = performance.now();
      const running = await startTarget(target);
      try {
        const first = await readLists(target.open, running.port, tools, startedAt);
        const open = () => target.open(running.port, AbortSignal.timeout(LIST_MS));
        const sessions = await Promise.all(Array.from({ length: SESSIONS }, open));
        const busy = state === "one slow" && target.name !== "one server" && target.name !== "apart";
        const stop = busy ? callOften(await open(), NAME_OF[target.name](names.at(-1) ?? "")) : undefined;
        started.push({ name: target.name, running, sessions, tools, first, sum: noFigures(), stop });
      } catch (error) {
        await running.stop();
        const refused = error instanceof Error ? error.message.slice(0, 60) : String(error);
        rows.push({ servers: count, state, target: target.name, refused });
      }
    }
    // The first turn warms up and is not counted.
    for (let turn = -1; turn < SLICES; turn++) {
      for (const { running, sessions, tools, sum } of started) {
        // One whose calls last this long has shown enough in one turn.
        if (sum.elapsed > LONG_S) continue;
        const cpuBefore = running.cpuMs();
        const run = await runCalls(sessions, tools, seconds / SLICES);
        if (turn >= 0) add(sum, run, running.cpuMs() - cpuBefore);
      }
    }
    for (const { name, running, first, sum } of started) {
      const { bridge } = running.memory();
      rows.push({ servers: count, state, target: name, ...first, ...summarize(sum), memoryMiB: round(bridge) });
      console.log(Object.values(rows.at(-1) ?? {}).join("\t"));
    }
  } finally {
    for (const { running, sessions, stop } of started) {
      stop?.();
      for (const session of sessions) session.close();
      await running.stop();
    }
  }
}

/** @param {Record<string, string[]>} servers @param {number} wellCount The first ones are well. */
function listGroups(servers, wellCount) {
  const ours = join(folder, "ours.json");
  writeFileSync(ours, JSON.stringify(servers));
  const entries = Object.entries(servers).map(([name, [command, ...args]]) => [name, { command, args }]);
  const others = join(folder, "others.json");
  writeFileSync(others, JSON.stringify({ mcpServers: Object.fromEntries(entries) }));
  const hub = join(folder, "node_modules/mcp-hub/dist/cli.js");
  const proxy = fileURLToPath(new URL("fastmcp_proxy.py", import.meta.url));
  /** @type {(import("../targets.mjs").Target & { name: TargetName, open: typeof openHttpSession })[]} */
  const all = [
    {
      name: "one server",
      args: (port) => [...NODE_FLAGS, single, String(port), process.execPath, ECHO],
      open: openHttpSession,
    },
    {
      name: "apart",
      args: (port) => [...NODE_FLAGS, group, String(port), ours, String(FIRST_PORT)],
      open: async (_, signal) =>
        await openApart(
          Array.from({ length: wellCount }, (_, index) => FIRST_PORT + index),
          signal,
        ),
    },
    { name: "ours", args: (port) => [...NODE_FLAGS, group, String(port), ours], open: openHttpSession },
    { name: "mcp-hub", args: (port) => [hub, "--port", String(port), "--config", others], open: openSseSession },
    { name: "fastmcp", command: python, args: (port) => [proxy, String(port), others], open: openHttpSession },
  ];
  return all;
}

/**
 * Asks for the list until it names the tools of all servers that are well.
 *
 * @param {typeof openHttpSession} open
 * @param {number} port
 * @param {string[]} tools
 * @param {number} startedAt
 * @returns {Promise<{ firstListS: number, wholeListS: number }>} Seconds since the program was started, to the first list that is
 *   not empty, and to one with all tools.
 */
async function readLists(open, port, tools, startedAt) {
  const signal = AbortSignal.timeout(LIST_MS);
  let firstListS = 0;
  /** @type {import("./group-session.mjs").GroupSession | undefined} */
  let session;
  try {
    for (;;) {
      let names = new Set();
      try {
        session ??= await open(port, signal);
        names = new Set(await session.listTools(signal));
      } catch {
        session?.close();
        session = undefined;
      }
      const now = round((performance.now() - startedAt) / 1000);
      if (names.size > 0) firstListS ||= now;
      if (tools.every((tool) => names.has(tool))) return { firstListS, wholeListS: now };
      if (signal.aborted) throw new Error(`lists ${names.size} of ${tools.length} tools after ${LIST_MS / 1000} s`);
      await sleep(50);
    }
  } finally {
    session?.close();
  }
}

/**
 * Calls a tool again and again; a refusal is no news here.
 *
 * @param {import("./group-session.mjs").GroupSession} session
 * @param {string} tool
 * @returns {() => void} Ends it.
 */
function callOften(session, tool) {
  let isOver = false;
  let id = 1_000_000;
  void (async () => {
    while (!isOver) {
      const body = formatRequest(id++, "tools/call", { name: tool, arguments: { text: TEXT } });
      await session.call(id, body).catch(() => undefined);
      await sleep(500);
    }
  })();
  return () => {
    isOver = true;
    session.close();
  };
}

/** @returns {string} The Python that has it. */
function installFastMcp() {
  const environment = join(folder, "python");
  const own = join(environment, "bin/python");
  const marker = join(environment, `fastmcp-${FASTMCP}`);
  if (existsSync(marker)) return own;
  execFileSync("python3", ["-m", "venv", environment], { stdio: "inherit" });
  execFileSync(own, ["-m", "pip", "install", "--quiet", `fastmcp==${FASTMCP}`], { stdio: "inherit" });
  writeFileSync(marker, "");
  return own;
}
