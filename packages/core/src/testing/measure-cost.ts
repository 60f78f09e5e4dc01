/**
 * What a piece of work costs this process: processor time and memory, as ratios to the same work with plain input. Ratios
 * mean the same on a slow and on a busy machine; the least of several runs is what the work itself needs.
 */
import { appendFileSync } from "node:fs";
import { GCProfiler, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

export type Work = () => unknown;

export interface Cost {
  /** Milliseconds of all threads of this process, the collector's among them. */
  readonly processorMs: number;
  /** Bytes of heap and buffers that were in use at most, as the collector saw it, over those before. */
  readonly memoryBytes: number;
}

export interface Comparison {
  /** What is given, for example `body of a request`; both names are only for the record. */
  readonly entrance: string;
  readonly input: string;
  /** Of either input. */
  readonly bytes: number;
  readonly plain: Work;
  readonly worst: Work;
  /** Default 3. */
  readonly runs?: number;
}

export interface Ratios {
  /** Times the processor time of the plain input, or of parsing JSON of that size where that is more. */
  readonly processor: number;
  /** Times the size of the input, after what the plain input needed and what any work may. */
  readonly memory: number;
}

/** What waits for the collector at the end of a run says nothing. */
const MEMORY_NOISE_BYTES = 32 * 1024 * 1024;
/** A file to which every comparison is added as one line of JSON. */
const RECORD = process.env.COSTS_RECORD;

export async function compareCosts({ entrance, input, bytes, plain, worst, runs = 3 }: Comparison): Promise<Ratios> {
  const text = JSON.stringify({ text: "plain text. ".repeat(Math.ceil(bytes / 12)) });
  const yardstick = await measureCost(() => JSON.parse(text), runs);
  const usual = await measureCost(plain, runs);
  const found = await measureCost(worst, runs);
  const processor = found.processorMs / Math.max(usual.processorMs, yardstick.processorMs);
  const memory = Math.max(0, found.memoryBytes - usual.memoryBytes - MEMORY_NOISE_BYTES) / bytes;
  if (RECORD)
    appendFileSync(RECORD, `${JSON.stringify({ entrance, input, bytes, usual, found, processor, memory })}\n`);
  return { processor, memory };
}

async function measureCost(work: Work, runs: number): Promise<Cost> {
  // The first one is compiled while it runs.
  await work();
  let processorMs = Number.POSITIVE_INFINITY;
  let memoryBytes = Number.POSITIVE_INFINITY;
  for (let run = 0; run < runs; run++) {
    collectGarbage();
    const usedBefore = measureUsedBytes();
    const profiler = new GCProfiler();
    profiler.start();
    const before = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(before);
    const used = [
      measureUsedBytes(),
      ...(profiler.stop()?.statistics ?? []).map(({ afterGC }) => measureBytes(afterGC)),
    ];
    processorMs = Math.min(processorMs, (user + system) / 1000);
    memoryBytes = Math.min(memoryBytes, Math.max(...used) - usedBefore);
  }
  return { processorMs, memoryBytes: Math.max(0, memoryBytes) };
}

let collect: (() => void) | undefined;

function collectGarbage(): void {
  if (collect === undefined) {
    setFlagsFromString("--expose-gc");
    collect = runInNewContext("gc") as () => void;
  }
  collect();
}

function measureUsedBytes(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

function measureBytes({ heapStatistics }: { readonly heapStatistics: HeapAfterCollection }): number {
  return heapStatistics.usedHeapSize + heapStatistics.externalMemory;
}

interface HeapAfterCollection {
  readonly usedHeapSize: number;
  readonly externalMemory: number;
}
