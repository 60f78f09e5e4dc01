/**
 * What the local API carries: requests a second and their times with 0, 20 and 100 workloads on a real Docker, how long a
 * workload takes from the request to `running` and to stop, and what each costs in memory. Prints Markdown tables.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { cpus } from "node:os";
import { startEngines, type TestEngine, THV_BUNDLE, ThrowawayHome, waitFor } from "@toolhive/testing";

const IMAGE = "toolhive-test/echo:test";
const COUNTS = (process.env.BENCH_WORKLOADS ?? "0,20,100").split(",").map(Number);
const PATHS = ["/api/v1beta/workloads?all=true", "/api/v1beta/registry/default/servers"] as const;
const CONNECTIONS = 8;
const REQUESTS = 3_000;
/** Creates at a time while the number of workloads is brought up. */
const CREATES_AT_ONCE = 4;
/** Workloads that are timed one after the other. */
const TIMED = 10;

interface Answer {
  readonly status: number;
  readonly body: string;
}

class Api {
  readonly #port: number;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });

  constructor(port: number) {
    this.#port = port;
  }

  send(method: string, path: string, body?: unknown): Promise<Answer> {
    const headers = body === undefined ? {} : { "content-type": "application/json" };
    return new Promise((resolve, reject) => {
      const sent = request(
        { host: "127.0.0.1", port: this.#port, method, path, headers, agent: this.#agent },
        async (response) => {
          let text = "";
          for await (const chunk of response.setEncoding("utf8")) text += chunk;
          resolve({ status: response.statusCode ?? 0, body: text });
        },
      );
      sent.once("error", reject);
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }

  async create(name: string): Promise<void> {
    const { status, body } = await this.send("POST", "/api/v1beta/workloads", { name, image: IMAGE });
    if (status !== 201) throw new Error(body);
  }

  async untilStatus(name: string, wanted: string): Promise<void> {
    const options = { what: `${name} to be ${wanted}`, deadlineMs: 120_000, intervalMs: 5 };
    await waitFor(async () => {
      const { body } = await this.send("GET", `/api/v1beta/workloads/${name}`);
      return (JSON.parse(body) as { status: string }).status === wanted;
    }, options);
  }

  close(): void {
    this.#agent.destroy();
  }
}

function percentile(values: readonly number[], share: number): string {
  const sorted = [...values].sort((left, right) => left - right);
  return (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN).toFixed(2);
}

/** @returns Requests a second and the times of all, in milliseconds. */
async function load(api: Api, path: string): Promise<{ rate: number; times: number[] }> {
  const times: number[] = [];
  let open = REQUESTS;
  const begin = performance.now();
  const worker = async () => {
    while (open > 0) {
      open -= 1;
      const start = performance.now();
      const { status } = await api.send("GET", path);
      if (status !== 200) throw new Error(`${path} answered ${status}`);
      times.push(performance.now() - start);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, worker));
  return { rate: Math.round(REQUESTS / ((performance.now() - begin) / 1000)), times };
}

/** Resident memory of a process in megabytes, from proc(5). */
function residentMegabytes(pid: number): number {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Number(kilobytes ?? Number.NaN) / 1024;
}

/** Clock ticks a second of proc(5) on every Linux that Node.js runs on. */
const TICKS_PER_SECOND = 100;

/** Milliseconds of processor time that a process has used, from proc(5). Other load on the machine does not add to it. */
function processorMs(pid: number): number {
  // The name, in parentheses, may hold blanks; user and system time are the 12th and 13th fields after it.
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /s, "")
    .split(" ");
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_PER_SECOND;
}

async function serve(home: ThrowawayHome, engine: TestEngine): Promise<{ child: ChildProcess; port: number }> {
  const env = home.env(engine);
  const child = spawn(process.execPath, [THV_BUNDLE, "serve", "--port", "0"], {
    env,
    stdio: ["ignore", "ignore", "pipe"],
  });
  let text = "";
  child.stderr?.on("data", (chunk) => {
    text += chunk;
  });
  const port = await waitFor(() => /answers at http:\/\/127\.0\.0\.1:(\d+)/.exec(text)?.[1], { what: "thv serve" });
  return { child, port: Number(port) };
}

async function bringUp(api: Api, from: number, to: number): Promise<void> {
  const names = Array.from({ length: Math.max(0, to - from) }, (_, index) => `load-${from + index}`);
  const worker = async () => {
    for (let name = names.shift(); name !== undefined; name = names.shift()) {
      await api.create(name);
      await api.untilStatus(name, "running");
    }
  };
  await Promise.all(Array.from({ length: CREATES_AT_ONCE }, worker));
}

async function timeOne(api: Api, index: number): Promise<{ start: number; stop: number }> {
  const name = `timed-${index}`;
  const begin = performance.now();
  await api.create(name);
  await api.untilStatus(name, "running");
  const running = performance.now();
  await api.send("POST", `/api/v1beta/workloads/${name}/stop`);
  await api.untilStatus(name, "stopped");
  const stopped = performance.now();
  await api.send("DELETE", `/api/v1beta/workloads/${name}`);
  return { start: running - begin, stop: stopped - running };
}

await using engines = await startEngines();
const docker = engines.engines.find(({ kind }) => kind === "docker");
if (!docker) throw new Error("There is no Docker.");
await using home = await ThrowawayHome.create();
const { child, port } = await serve(home, docker);
const api = new Api(port);
try {
  console.log(
    `\nLocal API on Docker, ${CONNECTIONS} connections, ${REQUESTS} requests each; ${cpus()[0]?.model}, ${cpus().length} processors\n`,
  );
  console.log("| Workloads | Request | Requests/s | p50 ms | p99 ms | Processor ms each | Supervisor MB |");
  console.log("|---|---|---|---|---|---|---|");
  const resident: (readonly [count: number, megabytes: number])[] = [];
  let count = 0;
  for (const wanted of COUNTS) {
    await bringUp(api, count, wanted);
    count = wanted;
    const megabytes = residentMegabytes(child.pid ?? 0);
    resident.push([wanted, megabytes]);
    for (const path of PATHS) {
      await load(api, path);
      const before = processorMs(child.pid ?? 0);
      const { rate, times } = await load(api, path);
      const each = ((processorMs(child.pid ?? 0) - before) / REQUESTS).toFixed(2);
      const latency = [percentile(times, 0.5), percentile(times, 0.99)];
      const row = [wanted, `GET ${path}`, rate, ...latency, each, megabytes.toFixed(0)];
      console.log(`| ${row.join(" | ")} |`);
    }
  }
  const timed: { start: number; stop: number }[] = [];
  for (let index = 0; index < TIMED; index += 1) timed.push(await timeOne(api, index));
  const starts = timed.map(({ start }) => start);
  const stops = timed.map(({ stop }) => stop);
  console.log(`\nWith ${count} workloads there, one more, ${TIMED} times:\n`);
  console.log("| | median ms | slowest ms |\n|---|---|---|");
  console.log(`| create to running | ${percentile(starts, 0.5)} | ${percentile(starts, 1)} |`);
  console.log(`| stop | ${percentile(stops, 0.5)} | ${percentile(stops, 1)} |`);
  const [first, last] = [resident[0], resident.at(-1)];
  if (first && last && last[0] > first[0]) {
    const each = (last[1] - first[1]) / (last[0] - first[0]);
    console.log(`\nMemory of the supervisor per workload: ${each.toFixed(2)} MB\n`);
  }
} finally {
  api.close();
  child.kill("SIGTERM");
  await new Promise((resolve) => child.once("exit", resolve));
}
