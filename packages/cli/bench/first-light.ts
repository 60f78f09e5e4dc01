/**
 * What thv costs: from `thv run` to the first answer of a tool, beside `docker run -i` of the same image with a client on
 * its stdio; the start of the command itself, beside bare Node; the supervisor's memory with 0, 1 and 20 workloads.
 * Real engines, one run, ratios. Prints Markdown tables.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { runThv, startEngines, type TestEngine, THV_BUNDLE, ThrowawayHome } from "@toolhive/testing";

const ROUNDS = 11;
const COMMAND_ROUNDS = 20;
const IMAGE = "mcp/everything:test";

function median(values: readonly number[]): number {
  return [...values].sort((left, right) => left - right)[Math.floor(values.length / 2)] ?? Number.NaN;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begin = performance.now();
  await work();
  return performance.now() - begin;
}

async function callTool(transport: StdioClientTransport | StreamableHTTPClientTransport): Promise<void> {
  const client = new Client({ name: "bench", version: "1.0.0" });
  await client.connect(transport);
  await client.callTool({ name: "echo", arguments: { message: "hello" } });
  await client.close();
}

async function viaThv(engine: TestEngine, home: ThrowawayHome): Promise<number> {
  const ms = await timed(async () => {
    const { stdout, stderr } = await runThv(["run", "--name", "bench", IMAGE], { home, engine });
    const url = stdout.trim().split(" ").at(-1);
    if (!url) throw new Error(stderr);
    await callTool(new StreamableHTTPClientTransport(new URL(url)));
  });
  await runThv(["rm", "bench"], { home, engine });
  return ms;
}

/** The peer: the engine's own command, and the official client on its stdin and stdout. */
async function viaEngineCommand(engine: TestEngine): Promise<number> {
  return await timed(async () => {
    const args = ["--host", engine.host, "run", "--interactive", "--rm", IMAGE];
    await callTool(new StdioClientTransport({ command: "docker", args, stderr: "ignore" }));
  });
}

async function benchFirstCall(engine: TestEngine): Promise<string> {
  await using home = await ThrowawayHome.create();
  await viaThv(engine, home);
  await viaEngineCommand(engine);
  const thv: number[] = [];
  const peer: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    thv.push(await viaThv(engine, home));
    peer.push(await viaEngineCommand(engine));
  }
  const ratio = median(thv) / median(peer);
  return `| ${engine.kind} | ${median(thv).toFixed(0)} | ${median(peer).toFixed(0)} | ${ratio.toFixed(2)} |`;
}

function benchCommand(args: readonly string[], env: NodeJS.ProcessEnv): number {
  const times: number[] = [];
  for (let round = 0; round < COMMAND_ROUNDS; round += 1) {
    const begin = performance.now();
    spawnSync(process.execPath, args, { stdio: "ignore", env });
    times.push(performance.now() - begin);
  }
  return median(times);
}

async function benchCommands(engine: TestEngine): Promise<string[]> {
  await using home = await ThrowawayHome.create();
  await runThv(["run", "--name", "bench", IMAGE], { home, engine });
  const env = home.env(engine);
  const bare = benchCommand(["-e", "0"], env);
  return [["version"], ["--help"], ["list"]].map((args) => {
    const ms = benchCommand([THV_BUNDLE, ...args], env);
    return `| thv ${args.join(" ")} | ${ms.toFixed(0)} | ${bare.toFixed(0)} | +${(ms - bare).toFixed(0)} |`;
  });
}

/** Resident and proportional set size of a process, MB (10^6 bytes). */
function readMemory(pid: number): { rss: string; pss: string } {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
  const read = (name: string) =>
    ((Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(rollup)?.[1]) * 1024) / 1e6).toFixed(0);
  return { rss: read("Rss"), pss: read("Pss") };
}

async function benchMemory(engine: TestEngine): Promise<string[]> {
  await using home = await ThrowawayHome.create();
  await runThv(["stop", "nothing"], { home, engine });
  const rows: string[] = [];
  let started = 0;
  for (const wanted of [0, 1, 20]) {
    for (; started < wanted; started += 1) {
      const { stdout } = await runThv(["run", "--name", `bench-${started}`, IMAGE], { home, engine });
      await callTool(new StreamableHTTPClientTransport(new URL(stdout.trim().split(" ").at(-1) ?? "")));
    }
    const supervisor = await home.findSupervisor();
    if (!supervisor) throw new Error("the supervisor has ended");
    const { rss, pss } = readMemory(supervisor.pid);
    rows.push(`| ${wanted} | ${rss} | ${pss} |`);
  }
  return rows;
}

const started = await startEngines();
try {
  const [first] = started.engines;
  if (!first) throw new Error("There is no container engine.");
  const machine = execFileSync("uname", ["-sr"], { encoding: "utf8" }).trim();
  console.log(`${machine}, Node ${process.version}, median of ${ROUNDS} rounds, image ${IMAGE} local\n`);
  console.log(
    "| engine | thv run to first tool answer, ms | docker run -i and a client on stdio, ms | ratio |\n| --- | ---: | ---: | ---: |",
  );
  for (const engine of started.engines) console.log(await benchFirstCall(engine));
  console.log(`\n| command (median of ${COMMAND_ROUNDS}) | ms | node -e 0, ms | more |\n| --- | ---: | ---: | ---: |`);
  for (const row of await benchCommands(first)) console.log(row);
  console.log("\n| workloads | supervisor RSS, MB | PSS, MB |\n| ---: | ---: | ---: |");
  for (const row of await benchMemory(first)) console.log(row);
} finally {
  await started.close();
}
