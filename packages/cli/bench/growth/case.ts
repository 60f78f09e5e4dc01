/** A piece of work on 1, 10 and 100 times as much, and what it costs this process: processor time, and memory that is held. */
import { round } from "./round.ts";

/** Work that is ready to be done. */
export interface Prepared {
  /** Brings about what each run needs, and is not measured. Default: nothing. */
  readonly before?: () => Promise<void> | void;
  readonly run: () => Promise<unknown> | unknown;
  readonly close?: () => Promise<unknown> | unknown;
}

export interface GrowthCase {
  /** What there is more of. */
  readonly of: string;
  /** The work of all of them: of each of N sessions, or on a list of N. */
  readonly work: string;
  readonly sizes: readonly [number, number, number];
  readonly prepare: (size: number) => Promise<Prepared>;
  /** Why its exponent may be above the goal, in a sentence. */
  readonly reason?: string;
}

export interface GrowthRow {
  readonly of: string;
  readonly work: string;
  readonly sizes: readonly number[];
  /** Processor time of the work, of the best of {@link ROUNDS} runs. */
  readonly cpuMs: readonly number[];
  /** What is held for it, after a collection. */
  readonly heldKb: readonly number[];
  /** The steeper one of both steps: 1 is linear, 2 a square, 0 independent of the size. */
  readonly exponent: number;
  readonly reason?: string;
}

const ROUNDS = 5;
/** Shorter work is repeated within a run, so that the clock of the processor and the collector's work show less. */
const MIN_RUN_MS = 150;
const STEP = 10;

export async function measureGrowth({ of, work, sizes, prepare, reason }: GrowthCase): Promise<GrowthRow> {
  const all: { prepared: Prepared; repeats: number; heldKb: number; cpuMs: number }[] = [];
  try {
    for (const size of sizes) {
      const before = readHeldBytes();
      const prepared = await prepare(size);
      const heldKb = Math.max(0, readHeldBytes() - before) / 1024;
      all.push({ prepared, repeats: 1, heldKb, cpuMs: Number.POSITIVE_INFINITY });
    }
    const runs = await runEach(all.map(({ prepared }) => prepared));
    // All runs are as long as the longest: of short ones, the best of a few is luckier.
    const longest = Math.max(...runs.map(({ ms, repeats }) => ms * repeats));
    for (const [index, { ms }] of runs.entries()) {
      const each = all[index];
      if (each !== undefined) each.repeats = Math.ceil(longest / ms);
    }
    // Sizes take turns, so that other work on the machine meets all of them alike.
    for (let round = 0; round < ROUNDS; round++)
      for (const each of all) each.cpuMs = Math.min(each.cpuMs, await measureRun(each.prepared, each.repeats));
  } finally {
    for (const { prepared } of all) await prepared.close?.();
  }
  const cpuMs = all.map((each) => each.cpuMs);
  return {
    ...{ of, work, sizes },
    cpuMs: cpuMs.map(round),
    heldKb: all.map(({ heldKb }) => round(heldKb)),
    exponent: Number(findExponent(cpuMs).toFixed(2)),
    ...(reason !== undefined && { reason }),
  };
}

function findExponent(costs: readonly number[]): number {
  const steps = costs.slice(1).map((cost, index) => Math.log(cost / (costs[index] ?? Number.NaN)) / Math.log(STEP));
  return Math.max(...steps);
}

interface LongRun {
  readonly repeats: number;
  /** Of one of them. */
  readonly ms: number;
}

async function runEach(all: readonly Prepared[]): Promise<LongRun[]> {
  const runs: LongRun[] = [];
  for (const prepared of all) runs.push(await runLong(prepared));
  return runs;
}

/** Repeats work until a run is long enough. It is compiled meanwhile. */
async function runLong(prepared: Prepared): Promise<LongRun> {
  for (let repeats = 1; ; repeats *= 2) {
    const ms = await measureRun(prepared, repeats);
    if (ms * repeats >= MIN_RUN_MS) return { repeats, ms };
  }
}

/** @returns Milliseconds of processor time of all threads of this process, of one time. */
async function measureRun({ before, run }: Prepared, repeats: number): Promise<number> {
  let spent = 0;
  for (let count = 0; count < repeats; count++) {
    await before?.();
    if (count === 0) globalThis.gc?.();
    const begin = process.cpuUsage();
    await run();
    const { user, system } = process.cpuUsage(begin);
    spent += (user + system) / 1000;
  }
  return spent / repeats;
}

function readHeldBytes(): number {
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
