/**
 * Command: how fast, how large, how good. `npm run bench -w @toolhive/search -- [--sizes 1500,10000] [--site INDEX] [--rival-answers FILE] [--out FILE] [--plot FILE]`
 *
 * Every size is measured in a process of its own, our engine beside MiniSearch 7 on the same records and queries; then
 * relevance on the fixture site, and requests a second over HTTP. `--site` also measures the index of a built site, and
 * `--rival-answers` scores what another search found there (`bench/rivals/`). `--sizes ""` keeps the curve of the last run. `crowd FOLDER` measures only readers beside a crowd.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { cpus, loadavg, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { buildIndexData } from "../engine/index/build-index-data.ts";
import { decodeIndex } from "../engine/index/index-format.ts";
import { OwnEngine } from "../engine/memory/memory-engine.ts";
import { pathFromCaller } from "../programs/command-path.ts";
import type { SearchRecord } from "../records/search-record.ts";
import { createSearchService } from "../service/search-service.ts";
import { FIXTURE_SEGMENT } from "../testing/fixture-site.ts";
import { MiniSearchRival } from "../testing/minisearch-rival.ts";
import { type GradedQuery, measureRelevance, type Relevance } from "../testing/relevance.ts";
import { findGaps, findUrls, type Gap } from "../testing/relevance-gaps.ts";
import graded from "../testing/relevance-queries.json" with { type: "json" };
import { buildFixtureIndex } from "../testing/search-server.ts";
import { measureCrowd } from "./crowd.ts";
import { type HttpMeasurement, measureHttp } from "./http-load.ts";
import { type Measurement, measure } from "./measure.ts";
import { plotCurve } from "./plot.ts";

const SCRIPT = fileURLToPath(import.meta.url);
const QUERIES: readonly GradedQuery[] = graded.queries;
/** MiniSearch is not measured above: it needs about 10 kB of heap a record. */
const MAX_RIVAL_RECORDS = 100_000;

async function inOwnProcess(engine: Measurement["engine"], records: number): Promise<Measurement> {
  const child = fork(SCRIPT, ["measure", engine, String(records)], {
    execArgv: ["--expose-gc", "--max-old-space-size=14000"],
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const exited = once(child, "exit");
  const answer = await Promise.race([
    once(child, "message"),
    exited.then(([code]) => Promise.reject(new Error(`exit ${code}`))),
  ]);
  await exited;
  return answer[0] as Measurement;
}

interface RelevanceRow {
  readonly site: string;
  readonly records: number;
  readonly engine: string;
  readonly scores: Relevance;
  /** Our engine only: nDCG@10 by what the pages can answer, and why queries are not answered best. */
  readonly reachedNdcg10?: number;
  readonly gaps?: Readonly<Record<Gap["kind"], number>>;
}

/** Urls by query, as another search answered on the same site. */
interface RivalAnswers {
  readonly engine: string;
  readonly answers: Readonly<Record<string, readonly string[]>>;
}

async function compareRelevance(
  site: string,
  records: readonly SearchRecord[],
  rivalAnswers: RivalAnswers | undefined,
): Promise<RelevanceRow[]> {
  const engine = new OwnEngine({ data: buildIndexData({ indexName: FIXTURE_SEGMENT, records }) });
  const scoreSearch = (search: (query: string) => readonly string[]): Promise<Relevance> =>
    measureRelevance(QUERIES, search, FIXTURE_SEGMENT);
  const gaps = findGaps(QUERIES, records, FIXTURE_SEGMENT);
  const countGaps = (kind: Gap["kind"]): number => gaps.filter((gap) => gap.kind === kind).length;
  const rows: RelevanceRow[] = [
    {
      site,
      records: records.length,
      engine: "own",
      scores: await scoreSearch((query) => findUrls(engine, query)),
      reachedNdcg10: 1 - gaps.reduce((sum, { reachedNdcg10 }) => sum + 1 - reachedNdcg10, 0) / QUERIES.length,
      gaps: {
        "page missing": countGaps("page missing"),
        "text missing": countGaps("text missing"),
        ranking: countGaps("ranking"),
      },
    },
  ];
  const rival = new MiniSearchRival(records);
  const minisearch = await scoreSearch((query) => rival.search(query));
  rows.push({ site, records: records.length, engine: "minisearch", scores: minisearch });
  if (rivalAnswers !== undefined) {
    const scores = await scoreSearch((query) => rivalAnswers.answers[query] ?? []);
    rows.push({ site, records: records.length, engine: rivalAnswers.engine, scores });
  }
  return rows;
}

async function serve(indexFile: string, isCached: boolean): Promise<void> {
  const service = createSearchService({
    indexFile,
    indexName: FIXTURE_SEGMENT,
    rateLimit: false,
    watchIntervalMs: 0,
    ...(isCached ? {} : { cacheBytes: 0 }),
  });
  const server = createServer((request, response) => void service.handle(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  process.on("message", () => {
    const { user, system } = process.cpuUsage();
    process.send?.((user + system) / 1e6);
  });
  process.send?.({ port: (server.address() as AddressInfo).port });
}

/** The curve of an earlier run: `--sizes ""` measures everything else again. */
async function readCurve(resultsFile: string): Promise<unknown> {
  const { curve }: { curve: unknown } = JSON.parse(await readFile(resultsFile, "utf8"));
  return curve;
}

function mib(bytes: number | undefined): string {
  return bytes === undefined ? "–" : (bytes / 2 ** 20).toFixed(1);
}

function ms(value: number | undefined): string {
  return value === undefined ? "–" : value.toFixed(value < 10 ? 2 : 0);
}

function print(title: string, header: readonly string[], rows: readonly (readonly string[])[]): void {
  const widths = header.map((name, at) => Math.max(name.length, ...rows.map((row) => (row[at] ?? "").length)));
  const line = (cells: readonly string[]): string => cells.map((cell, at) => cell.padStart(widths[at] ?? 0)).join("  ");
  console.log(`\n${title}\n${line(header)}`);
  for (const row of rows) console.log(line(row));
}

async function main(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      sizes: { type: "string", default: "1500,10000,100000" },
      site: { type: "string" },
      "rival-answers": { type: "string" },
      seconds: { type: "string", default: "5" },
      out: { type: "string" },
      plot: { type: "string" },
    },
  });
  const sizes = (values.sizes === "" ? [] : values.sizes.split(",")).map(Number);
  const machine = {
    cpu: cpus()[0]?.model ?? "",
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    node: process.version,
  };
  console.log(`${machine.cores} × ${machine.cpu}, ${machine.memoryGiB} GiB, Node ${machine.node}`);

  const curve: Measurement[] = [];
  for (const records of sizes) {
    for (const engine of ["own", "minisearch"] as const) {
      if (engine === "own" || records <= MAX_RIVAL_RECORDS) curve.push(await inOwnProcess(engine, records));
    }
  }
  print(
    "Size",
    ["records", "engine", "build ms", "load ms", "file MiB", "memory MiB", "p50 ms", "p99 ms", "answered"],
    curve.map((row) => [
      String(row.records),
      row.engine,
      ms(row.buildMs),
      ms(row.loadMs),
      mib(row.fileBytes),
      mib(row.memoryBytes),
      ms(row.p50Ms),
      ms(row.p99Ms),
      row.answered.toFixed(2),
    ]),
  );

  const folder = await mkdtemp(join(tmpdir(), "search-bench-"));
  try {
    const readRecords = async (indexFile: string): Promise<SearchRecord[]> => {
      const engine = new OwnEngine({ data: decodeIndex(await readFile(indexFile)) });
      return Array.from({ length: engine.data.meta.recordCount }, (_, at) => engine.recordAt(at));
    };
    const fixtureFile = await buildFixtureIndex(folder);
    const sites: [string, readonly SearchRecord[], string][] = [
      ["fixture", await readRecords(fixtureFile), fixtureFile],
    ];
    if (values.site !== undefined) {
      const siteFile = pathFromCaller(values.site);
      sites.push(["site", await readRecords(siteFile), siteFile]);
    }
    const rivalFile = values["rival-answers"];
    const rivalAnswers: RivalAnswers | undefined =
      rivalFile === undefined ? undefined : JSON.parse(await readFile(pathFromCaller(rivalFile), "utf8"));
    const relevance: RelevanceRow[] = [];
    const http: (HttpMeasurement & { site: string })[] = [];
    for (const [site, records, indexFile] of sites) {
      relevance.push(...(await compareRelevance(site, records, site === "site" ? rivalAnswers : undefined)));
      for (const isCached of [true, false]) {
        const queries = QUERIES.map(({ query }) => query);
        http.push({ site, ...(await measureHttp(SCRIPT, indexFile, queries, isCached, Number(values.seconds))) });
      }
    }
    print(
      "Relevance",
      ["site", "records", "engine", "nDCG@10", "success@1", "success@5", "MRR@10", "nothing"],
      relevance.map(({ site, records, engine, scores }) => [
        site,
        String(records),
        engine,
        ...[scores.ndcg10, scores.success1, scores.success5, scores.mrr10, scores.none].map((score) =>
          score.toFixed(3),
        ),
      ]),
    );
    print(
      "HTTP, readers typing letter by letter",
      ["site", "cache", "requests/s", "server cores", "per core", "p50 ms", "p99 ms", "bytes", "gzip", "br"],
      http.map((row) => [
        row.site,
        row.isCached ? "on" : "off",
        String(row.requestsPerSecond),
        row.serverCores.toFixed(2),
        String(Math.round(row.requestsPerSecond / row.serverCores)),
        ms(row.p50Ms),
        ms(row.p99Ms),
        String(row.answerBytes),
        String(row.gzipBytes),
        String(row.brotliBytes),
      ]),
    );
    const crowd = await measureCrowd(SCRIPT, folder);
    print(
      "Readers beside 16 who ask for the dearest that is allowed",
      ["what they ask for", "answers", "readers' searches", "p50 ms", "p99 ms", "slowest ms"],
      crowd.map((row) => [
        row.name,
        Object.entries(row.statuses)
          .map(([status, count]) => `${count} × ${status}`)
          .join(", "),
        String(row.readers),
        ms(row.readersP50Ms),
        ms(row.readersP99Ms),
        ms(row.worstMs),
      ]),
    );
    if (values.plot !== undefined) await writeFile(pathFromCaller(values.plot), plotCurve(curve));
    if (values.out !== undefined) {
      const kept = sizes.length === 0 ? await readCurve(pathFromCaller(values.out)) : undefined;
      const results = {
        date: new Date().toISOString().slice(0, 10),
        machine: { ...machine, load: Math.round((loadavg()[0] ?? 0) * 10) / 10 },
        curve: kept ?? curve,
        relevance,
        http,
        crowd,
      };
      await writeFile(pathFromCaller(values.out), `${JSON.stringify(results, undefined, 2)}\n`);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const [mode, first = "", second = ""] = process.argv.slice(2);
if (mode === "measure")
  process.send?.(measure(first === "minisearch" ? "minisearch" : "own", Number(second)), () => process.disconnect());
else if (mode === "server") await serve(first, second === "cached");
else if (mode === "crowd") console.log(await measureCrowd(SCRIPT, first));
else await main(process.argv.slice(2));
