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
  /** It is measured once for each entrance and size. */
  readonly plain: Work;
  readonly worst: Work;
  /** Of the worst input, after the first. Default 3. */
  readonly runs?: number;
  /** What the test asks for. Once a run is within it, no other is made: the least of more runs could only be less. */
  readonly limits?: Limits;
}

/** Ratios that a test allows; a missing one is not checked. */
export interface Limits {
  readonly processor?: number;
  readonly memory?: number;
}

export interface Ratios {
  /** Times the processor time of the plain input, or of parsing JSON of that size where that is more. */
  readonly processor: number;
  /** Times the size of the input, after what the plain input needed and what any work may. */
  readonly memory: number;
}

/** What waits for the collector at the end of a run says nothing. */
const MEMORY_NOISE_BYTES = 32 * 1024 * 1024;
/** Of larger inputs, what earlier work left is soon more than a limit allows. */
const SMALL_BYTES = 256 * 1024;
/** A file to which every comparison is added as one line of JSON. */
const RECORD = process.env.COSTS_RECORD;

export async function compareCosts({ plain, worst, runs = 3, limits, ...rest }: Comparison): Promise<Ratios> {
  const yardstick = await measureYardstick(rest.bytes);
  const usual = await measureOnce(usualCosts, `${rest.entrance} ${rest.bytes}`, () => measureCost(plain, runs));
  const findOwnRatios = (found: Cost) => findRatios({ ...rest, yardstick, usual, found });
  const isEnough = (found: Cost) => isWithin(findOwnRatios(found), limits);
  const mayBeUncollected = rest.bytes <= SMALL_BYTES;
  const cost = await measureCost(worst, runs, { isEnough, mayBeUncollected });
  const found = isWithinMemory(findOwnRatios(cost), limits) ? cost : await countLiveOnly(cost, worst);
  return recordRatios({ ...rest, yardstick, usual, found });
}

function isWithin(ratios: Ratios, limits: Limits | undefined): boolean {
  if (limits === undefined) return false;
  const { processor = Number.POSITIVE_INFINITY } = limits;
  return ratios.processor < processor && isWithinMemory(ratios, limits);
}

function isWithinMemory({ memory }: Ratios, limits: Limits | undefined): boolean {
  return memory < (limits?.memory ?? Number.POSITIVE_INFINITY);
}

interface Found {
  readonly entrance: string;
  readonly input: string;
  readonly bytes: number;
  readonly yardstick: Cost;
  readonly usual: Cost;
  readonly found: Cost;
}

function findRatios({ yardstick, usual, found, bytes }: Found): Ratios {
  const processor = found.processorMs / Math.max(usual.processorMs, yardstick.processorMs);
  const memory = Math.max(0, found.memoryBytes - usual.memoryBytes - MEMORY_NOISE_BYTES) / bytes;
  return { processor, memory };
}

function recordRatios(found: Found): Ratios {
  const ratios = findRatios(found);
  const { yardstick: _, ...rest } = found;
  if (RECORD) appendFileSync(RECORD, `${JSON.stringify({ ...rest, ...ratios })}\n`);
  return ratios;
}

/** What was measured before in this process, by size, and by entrance and size. */
const yardsticks = new Map<number, Promise<Cost>>();
const usualCosts = new Map<string, Promise<Cost>>();

/** Parses plain text in JSON. */
function measureYardstick(bytes: number): Promise<Cost> {
  return measureOnce(yardsticks, bytes, () => {
    const text = JSON.stringify({ text: "plain text. ".repeat(Math.ceil(bytes / 12)) });
    return measureCost(() => JSON.parse(text), 3);
  });
}

function measureOnce<Key>(costs: Map<Key, Promise<Cost>>, key: Key, measure: () => Promise<Cost>): Promise<Cost> {
  const known = costs.get(key) ?? measure();
  costs.set(key, known);
  return known;
}

export interface GrowingWork {
  readonly entrance: string;
  readonly input: string;
  /** Of the larger input; the smaller one has a quarter. */
  readonly bytes: number;
  /** Makes the input, which does not count. The plain one is measured once for each entrance. */
  readonly plain: (bytes: number) => Input;
  readonly worst: (bytes: number) => Input;
  /** Refusing an input is as good as reading it: what it throws is ignored. */
  readonly read: (input: Input) => unknown;
  /** Default 2. */
  readonly runs?: number;
  /** As in {@link Comparison}. */
  readonly limits?: Limits;
}

type Input = string | readonly Buffer[];

export interface GrowingRatios extends Ratios {
  /** Times the processor time for each byte of an input that is a quarter as large: 1 when it is linear, 4 for a square. */
  readonly growth: number;
}

/** Below so many times the plain input's time, noise is larger than what grows. */
const GROWTH_FROM = 8;
/** Halfway between linear and a square, where it is measured again. */
const DOUBTFUL_GROWTH = 2;
/** So far from a square that one run of either size says enough. */
const CLEAR_GROWTH = 1.5;
/** Milliseconds; what takes less was measured inexactly. */
const MIN_QUARTER_MS = 5;

/** As {@link compareCosts}, with two sizes of the worst input, because a square looks harmless while the input is small. */
export async function compareGrowth({ plain, worst, read, limits, ...rest }: GrowingWork): Promise<GrowingRatios> {
  const createWork = (input: Input) => async () => {
    try {
      await read(input);
    } catch {
      // Refused.
    }
  };
  const { bytes, runs = 2 } = rest;
  const yardstick = await measureYardstick(bytes);
  const usual = await measureOnce(usualCosts, `${rest.entrance} ${bytes}`, () =>
    measureCost(createWork(plain(bytes)), runs),
  );
  const [small, large] = [createWork(worst(bytes / 4)), createWork(worst(bytes))];
  const findOwnRatios = (cost: Cost) => findRatios({ ...rest, yardstick, usual, found: cost });
  const isEnough = (cost: Cost) => isWithin(findOwnRatios(cost), limits);
  // Below this, growth is not checked, and the smaller input says nothing.
  const isSmall = (cost: Cost) => findOwnRatios(cost).processor < GROWTH_FROM;
  let found =
    limits === undefined
      ? await measureCost(large, runs)
      : await measureCost(large, 0, { isEnough, mayBeUncollected: bytes <= SMALL_BYTES });
  if (!isWithinMemory(findOwnRatios(found), limits)) found = await countLiveOnly(found, large);
  if (isEnough(found) && isSmall(found)) return { ...recordRatios({ ...rest, yardstick, usual, found }), growth: 1 };
  let quarter = await measureCost(small, 0);
  const findGrowth = () => found.processorMs / (4 * Math.max(quarter.processorMs, MIN_QUARTER_MS));
  if (isEnough(found) && findGrowth() <= CLEAR_GROWTH) {
    return { ...recordRatios({ ...rest, yardstick, usual, found }), growth: findGrowth() };
  }
  found = least(found, await measureCost(large, runs - 1, { isEnough: (cost) => isEnough(cost) && isSmall(cost) }));
  if (isSmall(found)) return { ...recordRatios({ ...rest, yardstick, usual, found }), growth: 1 };
  quarter = least(quarter, await measureCost(small, runs - 1));
  // Two runs may both have waited for the compiler or the collector: the least of more says what the work needs.
  for (let again = 0; again < 3 && findGrowth() > DOUBTFUL_GROWTH; again++) {
    quarter = least(quarter, await measureCost(small, runs));
    found = least(found, await measureCost(large, runs));
  }
  const ratios = recordRatios({ ...rest, yardstick, usual, found });
  return { ...ratios, growth: ratios.processor < GROWTH_FROM ? 1 : findGrowth() };
}

function least(one: Cost, other: Cost): Cost {
  return {
    processorMs: Math.min(one.processorMs, other.processorMs),
    memoryBytes: Math.min(one.memoryBytes, other.memoryBytes),
  };
}

interface Sparing {
  /** Whether no other run is needed after one that makes the least what it is. */
  readonly isEnough: (cost: Cost) => boolean;
  /** Whether the first run may count what earlier work left. Default: no. */
  readonly mayBeUncollected?: boolean;
}

/** @param sparing Default: all runs are made. */
async function measureCost(work: Work, runs: number, sparing?: Sparing): Promise<Cost> {
  let cost: Cost = { processorMs: Number.POSITIVE_INFINITY, memoryBytes: Number.POSITIVE_INFINITY };
  // The first one is compiled while it runs, so that there is one more.
  let left = runs + 1;
  if (sparing?.mayBeUncollected && leastUsedBytes !== undefined) {
    cost = await measureRun(work, leastUsedBytes);
    // Its memory says nothing when it is too much.
    left = Math.max(runs, 1);
  }
  for (; left > 0 && sparing?.isEnough(cost) !== true; left--) cost = least(cost, await measureCollectedRun(work));
  return cost;
}

/** Bytes in use after a collection, the least of all. */
let leastUsedBytes: number | undefined;

async function measureCollectedRun(work: Work): Promise<Cost> {
  collectGarbage();
  const usedBefore = measureUsedBytes();
  leastUsedBytes = Math.min(usedBefore, leastUsedBytes ?? usedBefore);
  return await measureRun(work, usedBefore);
}

/**
 * @param usedBefore Bytes above it count. The least of earlier runs makes what those left count, too, so that nothing which needs too
 *   much is within a limit. Most small inputs are within it all the same, and collecting takes longer than reading them.
 */
async function measureRun(work: Work, usedBefore: number): Promise<Cost> {
  const profiler = new GCProfiler();
  profiler.start();
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  const used = [measureUsedBytes(), ...(profiler.stop()?.statistics ?? []).map(({ afterGC }) => measureBytes(afterGC))];
  const memoryBytes = Math.max(0, Math.max(...used) - usedBefore);
  return { processorMs: (user + system) / 1000, memoryBytes };
}

/**
 * Does the work once more while every collection is a whole one. On a busy machine the collector marks beside the work so late that
 * dead objects in the old space count as if the work needed them. That run takes longer, so that its time says nothing.
 */
async function countLiveOnly(cost: Cost, work: Work): Promise<Cost> {
  setFlagsFromString("--gc-global");
  try {
    const { memoryBytes } = await measureCollectedRun(work);
    return { ...cost, memoryBytes: Math.min(cost.memoryBytes, memoryBytes) };
  } finally {
    setFlagsFromString("--no-gc-global");
  }
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
