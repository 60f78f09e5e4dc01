/** `thv operator` as a process of its own, seen from outside: its probes, its metrics and its memory. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { THV_BUNDLE, waitFor } from "@toolhive/testing";

interface StartOptions {
  readonly kubeconfig: string;
  /** Of its lease. */
  readonly namespace: string;
  /** Default: all namespaces. */
  readonly watched?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Of Node.js. */
  readonly nodeFlags?: readonly string[];
}

export class OperatorProcess implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #metrics: number;
  readonly #probes: number;

  private constructor(child: ChildProcess, metrics: number, probes: number) {
    this.#child = child;
    this.#metrics = metrics;
    this.#probes = probes;
  }

  static async start({
    kubeconfig,
    namespace,
    watched = [],
    env = {},
    nodeFlags = [],
  }: StartOptions): Promise<OperatorProcess> {
    const metrics = await findFreePort();
    const probes = await findFreePort();
    const child = spawn(
      process.execPath,
      [
        ...nodeFlags,
        THV_BUNDLE,
        "operator",
        "--leader-elect",
        `--metrics-bind-address=127.0.0.1:${metrics}`,
        `--health-probe-bind-address=127.0.0.1:${probes}`,
      ],
      {
        stdio: ["ignore", "ignore", "inherit"],
        env: {
          ...process.env,
          THV_LOG_LEVEL: "warn",
          ...env,
          KUBECONFIG: kubeconfig,
          POD_NAMESPACE: namespace,
          WATCH_NAMESPACE: watched.join(),
        },
      },
    );
    const operator = new OperatorProcess(child, metrics, probes);
    await waitFor(async () => (await fetch(`http://127.0.0.1:${probes}/healthz`)).ok, {
      what: "the operator to answer",
    });
    return operator;
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  async isReady(): Promise<boolean> {
    return (await fetch(`http://127.0.0.1:${this.#probes}/readyz`)).ok;
  }

  /** By their names, with their labels as they are printed. */
  async readMetrics(): Promise<Readonly<Record<string, number>>> {
    const text = await (await fetch(`http://127.0.0.1:${this.#metrics}/metrics`)).text();
    const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
    return Object.fromEntries(
      lines.map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.split(" ").at(-1))]),
    );
  }

  async countRequests(): Promise<{ readonly reads: number; readonly writes: number }> {
    const metrics = await this.readMetrics();
    const read = (kind: string) => metrics[`toolhive_operator_api_requests_total{kind="${kind}"}`] ?? Number.NaN;
    return { reads: read("read"), writes: read("write") };
  }

  async isLeader(): Promise<boolean> {
    return (await this.readMetrics())['leader_election_master_status{name="toolhive-operator-leader-election"}'] === 1;
  }

  async untilLeading(): Promise<void> {
    await waitFor(async () => (await this.isLeader()) && (await this.isReady()), {
      what: "the operator to lead",
      deadlineMs: 60_000,
      intervalMs: 50,
    });
  }

  /** MiB. */
  async readMemory(): Promise<{ readonly now: number; readonly peak: number }> {
    const text = await readFile(`/proc/${this.#child.pid}/status`, "utf8");
    const read = (name: string) => Math.round(Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(text)?.[1]) / 1024);
    return { now: read("VmRSS"), peak: read("VmHWM") };
  }

  /** Processor seconds so far. */
  async readProcessorSeconds(): Promise<number> {
    return (await this.readMetrics()).process_cpu_seconds_total ?? Number.NaN;
  }

  async end(signal: "SIGTERM" | "SIGKILL" = "SIGTERM"): Promise<void> {
    if (!this.isRunning) return;
    this.#child.kill(signal);
    await once(this.#child, "exit");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end();
  }
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
