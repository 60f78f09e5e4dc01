/**
 * Servers that sleep: the memory of SERVERS of them awake and asleep, the time to the first answer of one that has to wake up,
 * and OPERATIONS random calls, pauses and kills, after which every call must have been answered. Writes `sleep.json`.
 * `SLEEP_SEED` repeats a run.
 */
import { readdirSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { findRepositoryRoot, runThv, startEngines, type TestEngine, ThrowawayHome, waitFor } from "@toolhive/testing";

const SERVERS = Number(process.env.SLEEP_SERVERS ?? 20);
const ROUNDS = Number(process.env.SLEEP_ROUNDS ?? 5);
const OPERATIONS = Number(process.env.SLEEP_OPERATIONS ?? 500);
const SEED = Number(process.env.SLEEP_SEED ?? Date.now() % 1_000_000);
/** In the random part only: the others are asleep when they are measured. */
const AT_RANDOM = 5;
const IMAGE = "mcp/everything:test";
const MIB = 1024;

interface Server {
  readonly name: string;
  /** Answers when its server has added two numbers. @throws {Error} When the answer is another one. */
  readonly add: (a: number, b: number) => Promise<void>;
}

await using engines = await startEngines();
const engine = engines.engines.find(({ kind }) => kind === "docker");
if (!engine) throw new Error("There is no Docker.");
const machine = { cpu: cpus()[0]?.model, cores: cpus().length, node: process.version, load: loadavg()[0]?.toFixed(1) };
const figures = { ...(await measureSleepers(engine)), atRandom: await runAtRandom(engine) };
console.log(JSON.stringify(figures, undefined, 2));
const file = join(findRepositoryRoot(), "packages/cli/bench/sleep.json");
await writeFile(file, `${JSON.stringify({ machine, ...figures }, undefined, 2)}\n`);

async function measureSleepers(engine: TestEngine) {
  await using home = await ThrowawayHome.create();
  const servers: Server[] = [];
  for (let n = 1; n <= SERVERS; n += 1) servers.push(await startServer(engine, home, `sleeper-${n}`, "15s"));
  await Promise.all(servers.map(({ add }) => add(1, 2)));
  const names = servers.map(({ name }) => name);
  const awake = await measureMemory(engine, home, names);
  const wakeMs: number[] = [];
  let asleep = awake;
  for (let round = 0; round < ROUNDS; round += 1) {
    await untilAsleep(engine, home, names);
    if (round === 0) asleep = await measureMemory(engine, home, names);
    for (const { add } of servers) {
      const startedAt = performance.now();
      await add(round, 40);
      wakeMs.push(performance.now() - startedAt);
    }
  }
  wakeMs.sort((one, other) => one - other);
  const at = (share: number) => Math.round(wakeMs[Math.min(wakeMs.length - 1, Math.floor(share * wakeMs.length))] ?? 0);
  return { servers: SERVERS, awake, asleep, wakes: wakeMs.length, wakeP50Ms: at(0.5), wakeP99Ms: at(0.99) };
}

async function runAtRandom(engine: TestEngine) {
  await using home = await ThrowawayHome.create();
  const servers: Server[] = [];
  for (let n = 1; n <= AT_RANDOM; n += 1) servers.push(await startServer(engine, home, `random-${n}`, "1s"));
  const next = createRandom(SEED);
  const count = { calls: 0, wakes: 0, containersKilled: 0, supervisorsKilled: 0, pauses: 0 };
  const lost: string[] = [];
  for (let n = 0; n < OPERATIONS; n += 1) {
    const server = servers[Math.floor(next() * servers.length)];
    if (!server) continue;
    const choice = next();
    if (choice < 0.5) {
      if (!(await isRunning(engine, server.name))) count.wakes += 1;
      count.calls += 1;
      const a = Math.floor(next() * 1_000);
      await server.add(a, n).catch((error: unknown) => lost.push(`${n}: ${server.name}: ${String(error)}`));
    } else if (choice < 0.9) {
      count.pauses += 1;
      await pause(next() * 3_000);
    } else if (choice < 0.97) {
      count.containersKilled += 1;
      await engine.cli(["kill", server.name]).catch(() => undefined);
    } else {
      count.supervisorsKilled += 1;
      const supervisor = await home.findSupervisor();
      if (supervisor) process.kill(supervisor.pid, "SIGKILL");
      await waitFor(async () => (await home.findSupervisor()) === undefined, { what: "the supervisor to be gone" });
      await runThv(["list"], { home, engine });
    }
  }
  // At the end every server still does its work.
  for (const { name, add } of servers)
    await add(20, 22).catch((error: unknown) => lost.push(`end: ${name}: ${String(error)}`));
  return { seed: SEED, operations: OPERATIONS, ...count, lost };
}

async function startServer(engine: TestEngine, home: ThrowawayHome, name: string, after: string): Promise<Server> {
  const args = ["run", "--name", name, "--sleep-after", after, IMAGE];
  const { code, stdout, stderr } = await runThv(args, { home, engine });
  if (code !== 0) throw new Error(stderr);
  const url = stdout.trim().split(" ").at(-1) ?? "";
  let session = await openSession(url);
  let id = 1;
  const ask = (a: number, b: number) =>
    post(url, session, { id: id++, method: "tools/call", params: { name: "get-sum", arguments: { a, b } } });
  return {
    name,
    add: async (a, b) => {
      let answer = await ask(a, b);
      if (answer.status === 404) {
        // As the protocol has it: its session was with a supervisor that was killed.
        session = await openSession(url);
        answer = await ask(a, b);
      }
      const text = await answer.text();
      if (!text.includes(`The sum of ${a} and ${b} is ${a + b}.`))
        throw new Error(`${answer.status} ${text.slice(0, 200)}`);
    },
  };
}

async function openSession(url: string): Promise<string> {
  const client = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "bench", version: "1" } };
  const answer = await post(url, "", { id: 0, method: "initialize", params: client });
  await answer.text();
  const session = answer.headers.get("mcp-session-id") ?? "";
  await (await post(url, session, { method: "notifications/initialized" })).text();
  return session;
}

async function post(url: string, session: string, message: object): Promise<Response> {
  const headers = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    ...(session !== "" && { "mcp-session-id": session, "mcp-protocol-version": "2025-06-18" }),
  };
  const body = JSON.stringify({ jsonrpc: "2.0", ...message });
  return await fetch(url, { method: "POST", headers, body, signal: AbortSignal.timeout(90_000) });
}

/** Resident memory in MiB: of the supervisor, and of the containers with the engine's process beside each. */
async function measureMemory(engine: TestEngine, home: ThrowawayHome, names: readonly string[]) {
  const supervisor = await home.findSupervisor();
  const { stdout } = await engine.cli(["inspect", "-f", "{{.State.Pid}}", ...names]);
  const mains = stdout
    .trim()
    .split("\n")
    .map(Number)
    .filter((pid) => pid > 0);
  const parents = readProcesses();
  const counted = new Set(mains.flatMap((pid) => [pid, parents.get(pid) ?? pid]));
  for (let size = 0; size !== counted.size; ) {
    size = counted.size;
    for (const [pid, parent] of parents) if (counted.has(parent)) counted.add(pid);
  }
  const containers = [...counted].reduce((sum, pid) => sum + readResident(pid), 0);
  const own = supervisor ? readResident(supervisor.pid) : 0;
  return { running: mains.length, supervisorMiB: Math.round(own), containersMiB: Math.round(containers) };
}

/** @returns Parents by process. */
function readProcesses(): Map<number, number> {
  const ids = readdirSync("/proc")
    .map(Number)
    .filter((pid) => pid > 0);
  return new Map(ids.map((pid) => [pid, Number(/^PPid:\s*(\d+)$/m.exec(readStatus(pid))?.[1] ?? 0)]));
}

function readResident(pid: number): number {
  return Number(/^VmRSS:\s*(\d+)/m.exec(readStatus(pid))?.[1] ?? 0) / MIB;
}

function readStatus(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/status`, "utf8");
  } catch {
    return "";
  }
}

async function isRunning(engine: TestEngine, name: string): Promise<boolean> {
  return (await engine.cli(["inspect", "-f", "{{.State.Running}}", name])).stdout.trim() === "true";
}

async function untilAsleep(engine: TestEngine, home: ThrowawayHome, names: readonly string[]): Promise<void> {
  const areAsleep = async () => {
    const { stdout } = await runThv(["list", "--format", "json"], { home, engine });
    const list = JSON.parse(stdout) as { asleep?: boolean }[];
    if (!list.every(({ asleep }) => asleep === true)) return false;
    for (const name of names) if (await isRunning(engine, name)) return false;
    return true;
  };
  await waitFor(areAsleep, { what: "all servers to fall asleep", deadlineMs: 300_000 });
}

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
