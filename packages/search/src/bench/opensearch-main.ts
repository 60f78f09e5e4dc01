/**
 * Command: OpenSearch beside the embedded engine, each behind a site's service. `npm run bench -- opensearch [--sizes 100000]
 * [--nodes 1,3] [--site INDEX] [--out FILE]`. Without options everything is measured for the committed results. A row takes the place
 * of the one before it of the same engine and size; the others stay in the file as they are. With `--site`, the answers of both on an
 * index of the documentation's site are compared, and nothing is timed.
 *
 * Corpus, queries and machine are the same for all. Each engine, each node and each upload is a process of its own, on loopback.
 * An update is one changed record, from the start of building an index with it until a search finds it.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { cpus, loadavg, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { findOpenSearchObstacle, findRepositoryRoot, OpenSearchNodes, prepareOpenSearch } from "@toolhive/testing";
import { decodeIndex } from "../engine/index/index-format.ts";
import { replaceOpenSearchIndex } from "../engine/opensearch/index-upload.ts";
import { writeIndex } from "../indexing/build-index.ts";
import { pathFromCaller } from "../programs/command-path.ts";
import { FIXTURE_SEGMENT } from "../testing/fixture-site.ts";
import { createCorpus } from "./corpus.ts";
import type { ClientsMeasurement, ScaleRow, SiteComparison } from "./scale-row.ts";
import {
  compareFirst,
  readResidentMemory,
  ScaleService,
  type SearchAnswer,
  type ServedIndex,
  serveIndex,
} from "./scale-service.ts";
import { compareOnSite } from "./site-comparison.ts";

const SCRIPT = fileURLToPath(import.meta.url);
const ALIAS = "bench";
/** Where a build of the site writes its index. */
const SITE_INDEX = "website/dist/search-index.bin";
/** Of each node: the default of the distribution. */
const HEAP_MIB = 1_024;
/** Readers at a time. */
const CLIENTS = [1, 16] as const;
/** A word that no other record has. */
const CHANGED_WORD = "zzqxchanged";
const POLL_MS = 50;

/** An index file with one record changed, and what it took to make it. */
interface Built {
  readonly file: string;
  readonly changedFile: string;
  readonly buildS: number;
}

/** Runs this script again. @returns Seconds until it ended. */
async function runAgain(...args: readonly string[]): Promise<number> {
  const started = performance.now();
  const child = fork(SCRIPT, args, { execArgv: ["--max-old-space-size=14000"] });
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`${args[0]} ended with code ${code}`);
  return secondsSince(started);
}

function secondsSince(started: number): number {
  return (performance.now() - started) / 1_000;
}

function readLoad(): number {
  return Math.round((loadavg()[0] ?? 0) * 10) / 10;
}

async function build(recordCount: number, outFile: string, isChanged: boolean): Promise<void> {
  const records = [...createCorpus(recordCount).records];
  const at = records.findIndex(({ type }) => type === "content");
  const changed = records[at];
  if (isChanged && changed !== undefined) {
    records[at] = { ...changed, content: `${CHANGED_WORD} ${changed.content ?? ""}` };
  }
  await writeIndex({ records, outFile, indexName: FIXTURE_SEGMENT });
}

async function upload(file: string, target: Parameters<typeof replaceOpenSearchIndex>[1]): Promise<void> {
  await replaceOpenSearchIndex(decodeIndex(await readFile(file)), target);
}

/** Resolves when a search finds the changed record. */
async function untilVisible(service: ScaleService): Promise<void> {
  while ((await service.search(CHANGED_WORD)).first.length === 0) await delay(POLL_MS);
}

async function measureService(
  service: ScaleService,
  queries: readonly string[],
): Promise<{ clients: ClientsMeasurement[]; answers: ReadonlyMap<string, SearchAnswer> }> {
  await service.warmUp(queries);
  const clients: ClientsMeasurement[] = [];
  let answers: ReadonlyMap<string, SearchAnswer> = new Map();
  for (const count of CLIENTS) {
    const measured = await service.measure(queries, count);
    clients.push(measured.times);
    if (answers.size === 0) answers = measured.answers;
  }
  return { clients, answers };
}

function countAnswered(answers: ReadonlyMap<string, SearchAnswer>): number {
  return [...answers.values()].filter(({ first }) => first.length > 0).length / answers.size;
}

async function measureOwn(
  records: number,
  { file, changedFile, buildS }: Built,
): Promise<{ row: ScaleRow; answers: ReadonlyMap<string, SearchAnswer> }> {
  const loadBefore = readLoad();
  const started = performance.now();
  await using service = await ScaleService.start(SCRIPT, { kind: "file", file });
  const loadS = secondsSince(started);
  const { clients, answers } = await measureService(service, createCorpus(records).queries);
  const [serviceBytes, diskBytes] = [await service.readMemory(), (await stat(file)).size];
  const replaced = performance.now();
  await rename(file, `${file}.before`);
  await rename(changedFile, file);
  await untilVisible(service);
  const updateS = buildS + secondsSince(replaced);
  await rename(file, changedFile);
  await rename(`${file}.before`, file);
  const row: ScaleRow = {
    records,
    engine: "own",
    nodes: 0,
    shards: 0,
    replicas: 0,
    buildS,
    loadS,
    updateS,
    clients,
    serviceBytes,
    nodesBytes: 0,
    diskBytes,
    answered: countAnswered(answers),
    date: new Date().toISOString().slice(0, 10),
    loadBefore,
    loadAfter: readLoad(),
  };
  return { row, answers };
}

async function measureCluster(
  records: number,
  nodes: number,
  { file, changedFile, buildS }: Built,
  ownAnswers: ReadonlyMap<string, SearchAnswer>,
): Promise<ScaleRow> {
  const loadBefore = readLoad();
  const [shards, replicas] = nodes === 1 ? [1, 0] : [nodes, 1];
  await using cluster = await OpenSearchNodes.start({ count: nodes, isForMeasuring: true, heapMiB: HEAP_MIB });
  const target = JSON.stringify({ urls: cluster.urls, alias: ALIAS, shards, replicas });
  const started = performance.now();
  await runAgain("upload", file, target);
  const served: ServedIndex = { kind: "cluster", urls: cluster.urls, alias: ALIAS };
  await using service = await ScaleService.start(SCRIPT, served);
  const loadS = secondsSince(started);
  const { clients, answers } = await measureService(service, createCorpus(records).queries);
  const { share, others } = compareFirst(ownAnswers, answers);
  console.log(`${nodes} nodes: other first hits for ${others.length} of ${answers.size} queries`);
  for (const query of others.slice(0, 20)) console.log(`  ${JSON.stringify(query)}`);
  const serviceBytes = await service.readMemory();
  let nodesBytes = 0;
  for (const { pid } of cluster.nodes) nodesBytes += await readResidentMemory(pid);
  const diskBytes = await readStoredBytes(cluster.urls[0] as string);
  const replaced = performance.now();
  await runAgain("upload", changedFile, target);
  await untilVisible(service);
  return {
    records,
    engine: "opensearch",
    nodes,
    shards,
    replicas,
    buildS,
    loadS,
    updateS: buildS + secondsSince(replaced),
    clients,
    serviceBytes,
    nodesBytes,
    diskBytes,
    answered: countAnswered(answers),
    sameFirstFive: share,
    date: new Date().toISOString().slice(0, 10),
    loadBefore,
    loadAfter: readLoad(),
  };
}

/** Of all copies. */
async function readStoredBytes(url: string): Promise<number> {
  const answer = await fetch(`${url}/${ALIAS}/_stats/store`);
  const stats = (await answer.json()) as { _all: { total: { store: { size_in_bytes: number } } } };
  return stats._all.total.store.size_in_bytes;
}

function printRow(row: ScaleRow): void {
  const mib = (bytes: number): string => `${Math.round(bytes / 2 ** 20)} MiB`;
  const times = row.clients.map(
    ({ clients, searches, perSecond, p50Ms, p99Ms }) =>
      `${clients} clients: ${searches} searches, ${perSecond.toFixed(0)}/s, p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms`,
  );
  const same = row.sameFirstFive === undefined ? "" : `, same first five ${(100 * row.sameFirstFive).toFixed(1)} %`;
  console.log(`\n${row.records} records, ${row.engine}${row.nodes > 0 ? ` on ${row.nodes} nodes` : ""}`);
  console.log(
    `  build ${row.buildS.toFixed(1)} s, load ${row.loadS.toFixed(1)} s, update ${row.updateS.toFixed(1)} s${same}`,
  );
  for (const line of times) console.log(`  ${line}`);
  console.log(`  service ${mib(row.serviceBytes)}, nodes ${mib(row.nodesBytes)}, disk ${mib(row.diskBytes)}`);
  console.log(`  load of the machine ${row.loadBefore} before, ${row.loadAfter} after`);
}

/** @param onRow Called with each row when it was measured: a run that ends early keeps what it has. */
async function measureSize(
  records: number,
  nodeCounts: readonly number[],
  onRow: (row: ScaleRow) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "search-scale-"));
  try {
    const [file, changedFile] = [join(folder, "index"), join(folder, "changed-index")];
    await runAgain("build", String(records), file, "as-it-was");
    const built = { file, changedFile, buildS: await runAgain("build", String(records), changedFile, "changed") };
    const { row, answers } = await measureOwn(records, built);
    await onRow(row);
    for (const nodes of nodeCounts) {
      await onRow(await measureCluster(records, nodes, built, answers));
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface Results {
  readonly rows: readonly ScaleRow[];
  readonly site: readonly SiteComparison[];
}

/** @param change What was measured takes the place of what was measured before of the same kind. */
async function writeResults(file: string, change: (before: Results) => Results): Promise<void> {
  const before: Results = JSON.parse(await readFile(file, "utf8").catch(() => '{"rows":[],"site":[]}'));
  const results = {
    machine: {
      cpu: cpus()[0]?.model ?? "",
      cores: cpus().length,
      memoryGiB: Math.round(totalmem() / 2 ** 30),
      node: process.version,
      heapMiB: HEAP_MIB,
    },
    ...change(before),
  };
  await writeFile(file, `${JSON.stringify(results, undefined, 2)}\n`);
}

function addRow({ rows, site }: Results, row: ScaleRow): Results {
  const others = rows.filter(({ records, nodes }) => records !== row.records || nodes !== row.nodes);
  return { rows: [...others, row].sort((a, b) => a.records - b.records || a.nodes - b.nodes), site };
}

function addComparison({ rows, site }: Results, comparison: SiteComparison): Results {
  const others = site.filter(({ nodes }) => nodes !== comparison.nodes);
  return { rows, site: [...others, comparison].sort((a, b) => a.nodes - b.nodes) };
}

async function main(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      sizes: { type: "string", default: "100000,1000000" },
      nodes: { type: "string", default: "1,3" },
      site: { type: "string" },
      out: { type: "string" },
    },
  });
  await prepareOpenSearch();
  const obstacle = await findOpenSearchObstacle();
  if (obstacle !== undefined) throw new Error(`No OpenSearch can be started here: ${obstacle}`);
  const committed = join(findRepositoryRoot(), "packages/search/bench/opensearch.json");
  const whole = args.length === 0 ? committed : undefined;
  const out = values.out === undefined ? whole : pathFromCaller(values.out);
  const readNumbers = (list: string): number[] => list.split(",").map(Number);
  const sitesIndex = values.site === undefined ? join(findRepositoryRoot(), SITE_INDEX) : pathFromCaller(values.site);
  if (values.site !== undefined || whole !== undefined) {
    for (const nodes of readNumbers(values.nodes)) {
      const comparison = await compareOnSite(sitesIndex, nodes, HEAP_MIB);
      const { queries, same, beginnings, sameBeginnings } = comparison;
      console.log(
        `Site, ${nodes} nodes: same first hits for ${same} of ${queries} queries and ${sameBeginnings} of ${beginnings} beginnings`,
      );
      if (out !== undefined) await writeResults(out, (before) => addComparison(before, comparison));
    }
  }
  for (const records of values.site === undefined ? readNumbers(values.sizes) : []) {
    await measureSize(records, readNumbers(values.nodes), async (row) => {
      printRow(row);
      if (out !== undefined) await writeResults(out, (before) => addRow(before, row));
    });
  }
}

const [mode, first = "", second = "", third = ""] = process.argv.slice(2);
if (mode === "build") await build(Number(first), second, third === "changed");
else if (mode === "upload") await upload(first, JSON.parse(second));
else if (mode === "serve") await serveIndex(JSON.parse(first));
else await main(process.argv.slice(2));
if (["build", "upload"].includes(mode ?? "")) process.disconnect?.();
