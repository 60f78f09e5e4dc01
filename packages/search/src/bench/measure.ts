/** Measurements of one engine on one corpus, in a process of its own so that its memory is measured alone. */

import { buildIndexData } from "../engine/index/build-index-data.ts";
import { decodeIndex, encodeIndex } from "../engine/index/index-format.ts";
import { OwnEngine } from "../engine/memory/memory-engine.ts";
import { MiniSearchRival } from "../testing/minisearch-rival.ts";
import { PLAIN_QUERY } from "../testing/plain-query.ts";
import { createCorpus } from "./corpus.ts";

export interface Measurement {
  readonly engine: "own" | "minisearch";
  readonly records: number;
  /** Processor time from records to a finished index: other work on the machine does not count. */
  readonly buildMs: number;
  /** Processor time from a finished index file to a working engine; our engine only. */
  readonly loadMs: number | undefined;
  /** Size of the index file; our engine only. */
  readonly fileBytes: number | undefined;
  /** Heap and buffers of the loaded index, after garbage collection. */
  readonly memoryBytes: number;
  /** Of one search for the first 20 hits, in the process; each query counts by the best of {@link ROUNDS} times. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Share of the queries with at least one hit. */
  readonly answered: number;
}

/** The value below which this share of the values lies. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

/** How often every query is asked: a pause by other work on the machine does not hit the same query every time. */
const ROUNDS = 3;

/** A slow engine is asked fewer of the queries, the first ones, in this much processor time. */
const MAX_QUERIES_MS = 30_000;

/** Processor time of this process so far, in milliseconds. */
function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

function memoryInUse(): number {
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

function timeQueries(
  queries: readonly string[],
  search: (query: string) => number,
): Pick<Measurement, "p50Ms" | "p99Ms" | "answered"> {
  const end = processorMs() + MAX_QUERIES_MS;
  for (const query of queries.slice(0, 20)) search(query);
  const times: number[] = [];
  let answered = 0;
  for (let round = 0; round < ROUNDS; round++) {
    for (const [at, query] of queries.entries()) {
      if (processorMs() > end) break;
      const started = performance.now();
      const hits = search(query);
      times[at] = Math.min(times[at] ?? Number.POSITIVE_INFINITY, performance.now() - started);
      if (round === 0 && hits > 0) answered += 1;
    }
  }
  return { p50Ms: percentile(times, 0.5), p99Ms: percentile(times, 0.99), answered: answered / times.length };
}

/** @param seed Of the corpus; the same seed gives the same records and queries to every engine. */
export function measure(engine: Measurement["engine"], records: number, seed = 1): Measurement {
  const corpus = createCorpus(records, seed);
  const before = memoryInUse();
  const started = processorMs();
  if (engine === "minisearch") {
    const rival = new MiniSearchRival(corpus.records);
    const buildMs = processorMs() - started;
    const memoryBytes = memoryInUse() - before;
    const times = timeQueries(corpus.queries, (query) => rival.search(query).length);
    return { engine, records, buildMs, loadMs: undefined, fileBytes: undefined, memoryBytes, ...times };
  }
  const file = Buffer.concat(encodeIndex(buildIndexData({ indexName: "bench", records: corpus.records })));
  const buildMs = processorMs() - started;
  const loading = processorMs();
  const own = new OwnEngine({ data: decodeIndex(file) });
  const loadMs = processorMs() - loading;
  const memoryBytes = memoryInUse() - before;
  const times = timeQueries(corpus.queries, (text) => own.search({ ...PLAIN_QUERY, text }).hits.length);
  return { engine, records, buildMs, loadMs, fileBytes: file.byteLength, memoryBytes, ...times };
}
