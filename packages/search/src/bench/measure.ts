/** Measurements of one engine on one corpus, in a process of its own so that memory is told apart. */
import { buildIndexData } from "../engine/own/build-index-data.ts";
import { decodeIndex, encodeIndex } from "../engine/own/index-format.ts";
import { OwnEngine } from "../engine/own/own-engine.ts";
import { MiniSearchRival } from "../testing/minisearch-rival.ts";
import { createCorpus } from "./corpus.ts";

export interface Measurement {
  readonly engine: "own" | "minisearch";
  readonly records: number;
  readonly buildMs: number;
  /** Reading the finished index file into a working engine; our engine only. */
  readonly loadMs: number | undefined;
  /** Size of the index file; our engine only. */
  readonly fileBytes: number | undefined;
  /** Heap and buffers of the loaded index, after garbage collection. */
  readonly memoryBytes: number;
  /** Of one search for the first 20 hits, in the process. */
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
  for (const query of queries.slice(0, 200)) search(query);
  const times: number[] = [];
  let answered = 0;
  for (const query of queries) {
    const started = performance.now();
    const hits = search(query);
    times.push(performance.now() - started);
    if (hits > 0) answered += 1;
  }
  return { p50Ms: percentile(times, 0.5), p99Ms: percentile(times, 0.99), answered: answered / queries.length };
}

/** @param seed Of the corpus; the same seed gives the same records and queries to every engine. */
export function measure(engine: Measurement["engine"], records: number, seed = 1): Measurement {
  const corpus = createCorpus(records, seed);
  const before = memoryInUse();
  const started = performance.now();
  if (engine === "minisearch") {
    const rival = new MiniSearchRival(corpus.records);
    const buildMs = performance.now() - started;
    const memoryBytes = memoryInUse() - before;
    const times = timeQueries(corpus.queries, (query) => rival.search(query).length);
    return { engine, records, buildMs, loadMs: undefined, fileBytes: undefined, memoryBytes, ...times };
  }
  const file = Buffer.concat(encodeIndex(buildIndexData({ indexName: "bench", records: corpus.records })));
  const buildMs = performance.now() - started;
  const loading = performance.now();
  const own = new OwnEngine({ data: decodeIndex(file) });
  const loadMs = performance.now() - loading;
  const memoryBytes = memoryInUse() - before;
  const times = timeQueries(corpus.queries, (text) => {
    const query = {
      text,
      filter: [],
      facets: [],
      offset: 0,
      limit: 20,
      typoTolerance: true,
      queryType: "prefixLast",
    } as const;
    return own.search(query).hits.length;
  });
  return { engine, records, buildMs, loadMs, fileBytes: file.byteLength, memoryBytes, ...times };
}
