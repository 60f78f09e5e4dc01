/**
 * Runs public MCP servers as a user would: each one directly over stdio, through `thv run`, after `thv restart` and with
 * an isolated network, and compares what the official client gets. Writes `results.json`, from which the page "Servers
 * tried" is made. Arguments select servers by a part of their package's name; the results of all others are kept.
 * `--missing` selects those without a result. Needs a container engine, `npx`, `uvx` and `go`, and the internet.
 */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { askServer } from "./ask-server.ts";
import {
  type Answers,
  compareAnswers,
  countLists,
  describeFailure,
  formatDirectCommand,
  type Server,
  selectServers,
  type TriedServer,
} from "./tried-server.ts";

// npm runs the script in the folder of this package; this file is a bundle somewhere else by then.
const FOLDER = join(process.cwd(), "bench/servers");
const THV = join(process.cwd(), "dist/thv.mjs");
const RESULTS = join(FOLDER, "results.json");

/** Milliseconds for a build and a start, and for a start over stdio: the download of a package counts in both. */
const START_MS = 10 * 60_000;

/** Each start has a name of its own: that of an earlier one may still be in use while it is removed. */
let starts = 0;

const WAITS = { count: 100, pauseMs: 200 };
const execute = promisify(execFile);

/** A home of its own, so that no workload of this machine's user is touched. */
const home = mkdtempSync(join(tmpdir(), "thv-servers-"));
const env: NodeJS.ProcessEnv = { ...process.env, HOME: home };
for (const folder of ["CONFIG_HOME", "DATA_HOME", "STATE_HOME", "RUNTIME_DIR"]) {
  const path = join(home, folder.toLowerCase());
  mkdirSync(path, { mode: 0o700 });
  env[`XDG_${folder}`] = path;
}

async function runThv(...args: string[]): Promise<string> {
  const options = { env, timeout: START_MS, maxBuffer: 64 * 1024 * 1024 };
  const { stdout } = await execute(process.execPath, [THV, ...args], options);
  return stdout;
}

/** @throws {Error} When it does not answer in time. */
async function startSupervisor(): Promise<ChildProcess> {
  const child = spawn(process.execPath, [THV, "serve", "--port", "0"], { env, stdio: "ignore" });
  // What Node.js trusts besides its own list, the package managers in the images have to trust, too.
  const certificate = process.env.NODE_EXTRA_CA_CERTS;
  for (let attempt = 0; attempt < WAITS.count; attempt += 1) {
    try {
      await runThv("list");
      if (certificate !== undefined) await runThv("config", "set-ca-cert", certificate);
      return child;
    } catch {
      await delay(WAITS.pauseMs);
    }
  }
  child.kill();
  throw new Error(`thv serve did not answer within ${(WAITS.count * WAITS.pauseMs) / 1000} s.`);
}

async function askWorkload(server: Server, name: string): Promise<Answers> {
  const workloads = JSON.parse(await runThv("list", "--format", "json")) as { name: string; url: string }[];
  const url = workloads.find((workload) => workload.name === name)?.url;
  if (url === undefined) throw new Error(`${name} is not in the list of workloads.`);
  return await askServer({ url }, server);
}

async function runAndAsk(server: Server, name: string, flags: readonly string[]): Promise<Answers> {
  const variables = Object.entries(server.environment ?? {}).flatMap(([name, value]) => ["--env", `${name}=${value}`]);
  const separated = server.arguments === undefined ? [] : ["--", ...server.arguments];
  await runThv("run", "--name", name, ...flags, ...variables, server.package, ...separated);
  return await askWorkload(server, name);
}

/** Runs a step, and takes its whole seconds. */
async function time<T>(step: () => Promise<T>): Promise<{ seconds: number; value: T }> {
  const begin = performance.now();
  const value = await step();
  return { seconds: Math.round((performance.now() - begin) / 1000), value };
}

type Ways = Omit<TriedServer, "package" | "date">;

/** @param direct Absent when the server does not start directly, so that nothing can be compared. */
async function tryThroughThv(server: Server, direct: Answers | undefined): Promise<Ways> {
  const compare = (answers: Answers) => (direct === undefined ? [] : compareAnswers(direct, answers));
  const [name, isolatedName] = [`tried-${++starts}`, `tried-${++starts}`];
  let ways: Ways = {};
  try {
    const first = await time(async () => await runAndAsk(server, name, []));
    const differences = compare(first.value);
    ways = { through: { seconds: first.seconds, ...countLists(first.value), differences } };
    const again = await time(async () => {
      await runThv("restart", name);
      return await askWorkload(server, name);
    });
    ways = { ...ways, restarted: { seconds: again.seconds, differences: compareAnswers(first.value, again.value) } };
  } catch (error) {
    const failure = describeFailure(error);
    ways = ways.through === undefined ? { throughFailure: failure } : { ...ways, restartFailure: failure };
  }
  await runThv("rm", name).catch(() => {});
  if (ways.through === undefined) return ways;
  try {
    const flags = ["--isolate-network", "--permission-profile", "none"];
    const isolated = await time(async () => await runAndAsk(server, isolatedName, flags));
    ways = { ...ways, isolated: { seconds: isolated.seconds, differences: compare(isolated.value) } };
  } catch (error) {
    ways = { ...ways, isolatedFailure: describeFailure(error) };
  }
  await runThv("rm", isolatedName).catch(() => {});
  return ways;
}

async function tryServer(server: Server): Promise<TriedServer> {
  const { command, args } = formatDirectCommand(server.package);
  const stdio = {
    command,
    args: [...args, ...(server.arguments ?? [])],
    env: { ...process.env, ...server.environment },
    timeout: START_MS,
  };
  let direct: Answers | undefined;
  let directFailure: string | undefined;
  try {
    direct = await askServer(stdio, server);
  } catch (error) {
    directFailure = describeFailure(error);
  }
  const ways = await tryThroughThv(server, direct);
  return {
    package: server.package,
    date: new Date().toISOString().slice(0, 10),
    ...(direct?.version === undefined ? {} : { version: direct.version }),
    ...(direct === undefined ? {} : { direct: countLists(direct) }),
    ...(directFailure === undefined ? {} : { directFailure }),
    ...ways,
  };
}

const { servers } = JSON.parse(readFileSync(join(FOLDER, "servers.json"), "utf8")) as { servers: Server[] };
const earlier = JSON.parse(readFileSync(RESULTS, "utf8")) as { servers: TriedServer[] };
const results = new Map(earlier.servers.map((result) => [result.package, result]));
const chosen = selectServers(servers, results, process.argv.slice(2));
const supervisor = await startSupervisor();
const interrupted = new Promise<never>((_, reject) => {
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => reject(new Error(signal)));
});
interrupted.catch(() => {}); // also when no server is being tried
try {
  for (const [index, server] of chosen.entries()) {
    process.stdout.write(`${index + 1} of ${chosen.length}: ${server.package} … `);
    const result = await Promise.race([tryServer(server), interrupted]);
    const { through, throughFailure = "" } = result;
    const sentence = through === undefined ? throughFailure : `${through.seconds} s ${through.differences.join("; ")}`;
    process.stdout.write(`${sentence}\n`);
    results.set(server.package, result);
    // After each one, so that an interrupted run keeps what it found.
    const inOrder = servers.flatMap((one) => results.get(one.package) ?? []);
    writeFileSync(RESULTS, `${JSON.stringify({ servers: inOrder }, null, 2)}\n`);
  }
} finally {
  await runThv("rm", "--all").catch(() => {});
  supervisor.kill("SIGTERM");
  await once(supervisor, "exit");
  rmSync(home, { recursive: true, force: true });
}
