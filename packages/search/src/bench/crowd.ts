/** Readers who type while others ask for the dearest searches that are allowed: how long the readers wait. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { Agent } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { buildIndexData } from "../engine/index/build-index-data.ts";
import { encodeIndex } from "../engine/index/index-format.ts";
import { FIXTURE_SEGMENT } from "../testing/fixture-site.ts";
import { modalRequest } from "../testing/search-server.ts";
import { createCorpus } from "./corpus.ts";
import { type Answer, askFor } from "./http-load.ts";
import { percentile } from "./measure.ts";

export interface CrowdMeasurement {
  readonly name: string;
  /** Statuses of the dear requests. */
  readonly statuses: Readonly<Record<number, number>>;
  readonly readers: number;
  readonly readersP50Ms: number;
  readonly readersP99Ms: number;
  readonly worstMs: number;
}

const RECORDS = 10_000;
/** Dear requests at the same time. */
const ATTACKERS = 16;
/** Readers, each of whom types a letter every {@link KEYSTROKE_MS} milliseconds. */
const READERS = 8;
const KEYSTROKE_MS = 100;
const SECONDS = 5;

/** What may be asked at the most, each sixteen times at once, and again a moment after they are answered. */
function dearRequests(word: string): Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>> {
  const whole = {
    indexName: FIXTURE_SEGMENT,
    query: word,
    hitsPerPage: 1000,
    attributesToRetrieve: ["*"],
    attributesToHighlight: ["*"],
    attributesToSnippet: ["*:200"],
    highlightPreTag: "<".repeat(100),
    highlightPostTag: ">".repeat(100),
    snippetEllipsisText: "…".repeat(100),
  };
  const terms = Array.from({ length: 900 }, (_, at) => `language:x${at}`);
  return {
    "nobody else": [],
    "1000 hits with all they have": [whole],
    "50 searches for 1000 hits": Array(50).fill(whole),
    "50 searches for 20 hits": Array.from({ length: 50 }, (_, at) => ({ ...whole, hitsPerPage: 20, page: at })),
    "50 searches for 16 words": Array(50).fill({ ...whole, hitsPerPage: 0, query: `${word} `.repeat(80) }),
    "a filter of 900 terms": [{ ...whole, hitsPerPage: 20, facetFilters: [terms] }],
  };
}

/** @param script The bundled bench, run again as the server. @param folder Where the index is put. */
export async function measureCrowd(script: string, folder: string): Promise<CrowdMeasurement[]> {
  const { records, queries } = createCorpus(RECORDS, 1);
  const indexFile = `${folder}/crowd-index`;
  await writeFile(indexFile, Buffer.concat(encodeIndex(buildIndexData({ indexName: FIXTURE_SEGMENT, records }))));
  const word = queries[0]?.split(" ")[0] ?? "a";
  const measurements: CrowdMeasurement[] = [];
  for (const [name, requests] of Object.entries(dearRequests(word))) {
    // Neither the cache nor the limit of requests helps: both are for callers that return.
    const server = fork(script, ["server", indexFile, "uncached"], { stdio: ["ignore", "inherit", "inherit", "ipc"] });
    try {
      const [{ port }] = (await once(server, "message")) as [{ port: number }];
      measurements.push(await measureOne(name, port, queries, requests));
    } finally {
      server.kill();
      if (server.exitCode === null && server.signalCode === null) await once(server, "exit");
    }
  }
  return measurements;
}

async function measureOne(
  name: string,
  port: number,
  queries: readonly string[],
  requests: readonly unknown[],
): Promise<CrowdMeasurement> {
  const agent = new Agent({ keepAlive: true });
  const statuses: Record<number, number> = {};
  const read = (query: string): Promise<Answer> =>
    askFor(agent, port, JSON.stringify({ requests: [modalRequest(query, { facetFilters: [] })] }), "br");
  for (const query of queries.slice(0, 300)) await read(query);
  const body = JSON.stringify({ requests });
  if (requests.length > 0) for (let at = 0; at < 5; at++) await askFor(agent, port, body, "br");
  const end = performance.now() + SECONDS * 1_000;
  const attack = async (): Promise<void> => {
    while (performance.now() < end) {
      const answers = await Promise.all(Array.from({ length: ATTACKERS }, () => askFor(agent, port, body, "br")));
      for (const { status } of answers) statuses[status] = (statuses[status] ?? 0) + 1;
      await delay(KEYSTROKE_MS);
    }
  };
  const times: number[] = [];
  const type = async (reader: number): Promise<void> => {
    for (let at = reader; performance.now() < end; at += READERS) {
      times.push((await read(queries[at % queries.length] as string)).ms);
      await delay(KEYSTROKE_MS);
    }
  };
  await Promise.all([
    ...(requests.length === 0 ? [] : [attack()]),
    ...Array.from({ length: READERS }, (_, reader) => type(reader)),
  ]);
  agent.destroy();
  return {
    name,
    statuses,
    readers: times.length,
    readersP50Ms: percentile(times, 0.5),
    readersP99Ms: percentile(times, 0.99),
    worstMs: Math.max(...times),
  };
}
