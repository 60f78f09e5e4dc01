/** A cluster of OpenSearch for tests: real nodes, each in a process of its own, on loopback. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findJava } from "../java.ts";
import { waitFor } from "../wait-for.ts";
import { findOpenSearchPrograms } from "./prepare-opensearch.ts";

/** Of each node, in MiB. */
const HEAP_MIB = 512;
/** Half the processor time to start; a benchmark leaves them out. */
const QUICK_START = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"];
const START_WITHIN_MS = 180_000;

export interface OpenSearchNode {
  readonly url: string;
  readonly pid: number;
  /** Sends a signal: SIGSTOP makes a node that hangs, SIGKILL one that is lost. */
  signal(signal: NodeJS.Signals): void;
}

export interface StartNodesOptions {
  /** 1 to 9. */
  readonly count: number;
  /** Compile as a server would, which takes longer to start. Default false. */
  readonly isForMeasuring?: boolean;
  /** Heap of each node, in MiB. Default 512: enough for tests. */
  readonly heapMiB?: number;
}

export class OpenSearchNodes implements AsyncDisposable {
  readonly nodes: readonly OpenSearchNode[];
  readonly #folder: string;
  readonly #children: readonly ChildProcess[];

  private constructor(folder: string, children: readonly ChildProcess[], nodes: readonly OpenSearchNode[]) {
    this.#folder = folder;
    this.#children = children;
    this.nodes = nodes;
  }

  /** @throws {Error} With the end of a node's log when the cluster does not become green; nothing stays behind then. */
  static async start({
    count,
    isForMeasuring = false,
    heapMiB = HEAP_MIB,
  }: StartNodesOptions): Promise<OpenSearchNodes> {
    const programs = await findOpenSearchPrograms();
    const folder = await mkdtemp(join(tmpdir(), "thv-opensearch-"));
    const children: ChildProcess[] = [];
    try {
      const begin = (at: number): string => {
        const name = `node-${at + 1}`;
        children.push(
          startNode(programs, folder, name, [...listHeapOptions(heapMiB), ...(isForMeasuring ? [] : QUICK_START)]),
        );
        return name;
      };
      const urls = [await readUrl(folder, begin(0), children)];
      const others = Array.from({ length: count - 1 }, (_none, at) => begin(at + 1));
      for (const name of others) urls.push(await readUrl(folder, name, children));
      const health = `/_cluster/health?wait_for_nodes=${count}&wait_for_status=green&timeout=120s`;
      const answer = await fetch(`${urls[0]}${health}`);
      if (!answer.ok) throw new Error(`The cluster did not become green: ${await answer.text()}`);
      const nodes = urls.map((url, at): OpenSearchNode => {
        const child = children[at] as ChildProcess;
        return { url, pid: child.pid as number, signal: (signal) => void child.kill(signal) };
      });
      return new OpenSearchNodes(folder, children, nodes);
    } catch (error) {
      await endNodes(children, folder);
      throw error;
    }
  }

  get urls(): readonly string[] {
    return this.nodes.map(({ url }) => url);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await endNodes(this.#children, this.#folder);
  }
}

function listHeapOptions(mib: number): string[] {
  return [`-Xms${mib}m`, `-Xmx${mib}m`];
}

function startNode(programs: string, folder: string, name: string, options: readonly string[]): ChildProcess {
  const classes = `${join(programs, "classes")}:${join(programs, "lib")}/*`;
  const quiet = ["-Dlog4j2.disable.jmx=true", "-Dorg.apache.logging.log4j.level=INFO"];
  const args = [...options, ...quiet, "-cp", classes, "TestNode", folder, name, "node-1"];
  const child = spawn(findJava("java"), args, { stdio: ["ignore", "pipe", "pipe"] });
  const log = createWriteStream(join(folder, `${name}.log`));
  for (const output of [child.stdout, child.stderr]) output.pipe(log, { end: false });
  return child;
}

/** A node writes its address where it listens. */
async function readUrl(folder: string, name: string, children: readonly ChildProcess[]): Promise<string> {
  const url = await waitFor(
    async () => {
      const ended = children.some(({ exitCode, signalCode }) => exitCode !== null || signalCode !== null);
      if (ended) return "ended";
      return await readFile(join(folder, `${name}.url`), "utf8").catch(() => ""); // it does not listen yet
    },
    { what: `${name} of OpenSearch to listen`, deadlineMs: START_WITHIN_MS, intervalMs: 100 },
  );
  if (url !== "ended") return url.trim();
  throw new Error(
    `A node ended before it listened: ${(await readFile(join(folder, `${name}.log`), "utf8")).slice(-2000)}`,
  );
}

/** At once: nothing of them is kept, and a stopped one would not read a milder signal. */
async function endNodes(children: readonly ChildProcess[], folder: string): Promise<void> {
  const running = children.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
  await Promise.all(
    running.map(async (child) => {
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
    }),
  );
  await rm(folder, { recursive: true, force: true });
}
