/**
 * Command: how well an index answers the graded queries, and why not better.
 *
 *   search:relevance [--index FILE] [--segment NAME] [--set public|site|tuning|readers|other-hand|third-hand|fourth-hand|fifth-hand|FILE] [--rivals] [--rival-answers FILE]...
 * [--scores]
 *   search:relevance [--index FILE] --write-records FILE
 *
 * Without a file it reads the index of the built site; without a set it reads the public queries. `--rivals` prints the same
 * table for MiniSearch on the same records, `--rival-answers` for what `bench/rivals/` wrote. `--scores` prints the tables only,
 * so that a set can be measured without showing its queries. `--write-records` writes the records for rivals that read them.
 */
import { readFile, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { decodeIndex } from "../engine/index/index-format.ts";
import { OwnEngine } from "../engine/memory/memory-engine.ts";
import { MiniSearchRival } from "../testing/minisearch-rival.ts";
import { computeInterval, computeMean, type GradedQuery, type QueryScore, scoreQuery } from "../testing/relevance.ts";
import fifthHandSet from "../testing/relevance-fifth-hand-queries.json" with { type: "json" };
import fourthHandSet from "../testing/relevance-fourth-hand-queries.json" with { type: "json" };
import { findGaps, findUrls, type WantedPage } from "../testing/relevance-gaps.ts";
import otherHandSet from "../testing/relevance-other-hand-queries.json" with { type: "json" };
import publicSet from "../testing/relevance-queries.json" with { type: "json" };
import readersSet from "../testing/relevance-readers-queries.json" with { type: "json" };
import siteSet from "../testing/relevance-site-queries.json" with { type: "json" };
import thirdHandSet from "../testing/relevance-third-hand-queries.json" with { type: "json" };
import tuningSet from "../testing/relevance-tuning-queries.json" with { type: "json" };
import { pathFromCaller } from "./command-path.ts";

const { values } = parseArgs({
  options: {
    index: { type: "string" },
    segment: { type: "string", default: "toolhive" },
    set: { type: "string", default: "public" },
    rivals: { type: "boolean", default: false },
    "rival-answers": { type: "string", multiple: true, default: [] },
    scores: { type: "boolean", default: false },
    "write-records": { type: "string" },
  },
});
const sets = new Map<string, readonly GradedQuery[]>([
  ["public", publicSet.queries],
  ["site", siteSet.queries],
  ["tuning", tuningSet.queries],
  ["readers", readersSet.queries],
  ["other-hand", otherHandSet.queries],
  ["third-hand", thirdHandSet.queries],
  ["fourth-hand", fourthHandSet.queries],
  ["fifth-hand", fifthHandSet.queries],
]);
const queries = sets.get(values.set) ?? (await readSet(values.set));
/** npm runs this command in the folder of its package. */
const file = values.index === undefined ? resolve("../../website/dist/search-index.bin") : pathFromCaller(values.index);
const engine = new OwnEngine({ data: decodeIndex(await readFile(file)) });
const records = Array.from({ length: engine.data.meta.recordCount }, (_, number) => engine.recordAt(number));

function describe({ route, rank, lacks }: WantedPage): string {
  const place = rank === undefined ? "not found" : `page ${rank}`;
  if (lacks === undefined) return `${route} (not written)`;
  return lacks.length === 0 ? `${route} (${place})` : `${route} (${place}, lacks: ${lacks.join(", ")})`;
}

function formatShare(share: number): string {
  return share.toFixed(3);
}

/** One line of the table: nDCG@10 with its interval of 95 %, and shares. */
function printRow(name: string, scores: readonly QueryScore[]): void {
  const ndcg = scores.map(({ ndcg10 }) => ndcg10);
  const [low, high] = computeInterval(ndcg).map(formatShare);
  const sections = scores.flatMap(({ section }) => (section === undefined ? [] : [section]));
  const cells = [
    name.padEnd(12),
    String(scores.length).padStart(4),
    `${formatShare(computeMean(ndcg))} (${low} to ${high})`,
    formatShare(computeMean(scores.map(({ success1 }) => success1))),
    formatShare(computeMean(scores.map(({ success5 }) => success5))),
    formatShare(computeMean(scores.map(({ none }) => none))),
    sections.length === 0 ? "    –" : formatShare(computeMean(sections)),
  ];
  console.log(cells.join("  "));
}

/** Prints how well one search answers the set, in all and by category. */
function printTable(name: string, search: (query: string) => readonly string[]): void {
  const answers = queries.map((query) => ({
    category: query.category,
    score: scoreQuery(query, search(query.query), values.segment),
  }));
  console.log(`${name}\nqueries             nDCG@10                 @1     @5     none   section`);
  printRow(
    "all",
    answers.map(({ score }) => score),
  );
  for (const category of new Set(answers.map((answer) => answer.category))) {
    printRow(
      category,
      answers.filter((answer) => answer.category === category).map(({ score }) => score),
    );
  }
  console.log();
}

/** @throws {Error} When the file cannot be read or holds no queries. */
async function readSet(file: string): Promise<readonly GradedQuery[]> {
  const hint = `--set is "${file}" but must be one of ${[...sets.keys()].join(", ")}, or a file of graded queries`;
  const read = JSON.parse(
    await readFile(pathFromCaller(file), "utf8").catch((error: unknown) => {
      throw new Error(`${hint}.`, { cause: error });
    }),
  ) as { readonly queries?: readonly GradedQuery[] };
  if (!read.queries?.length) throw new Error(`${hint}: it has no queries.`);
  return read.queries;
}

const recordsFile = values["write-records"];
if (recordsFile !== undefined) {
  await writeFile(pathFromCaller(recordsFile), JSON.stringify(records));
  process.exit(0);
}
printTable("ours", (query) => findUrls(engine, query));
if (values.rivals) {
  const rival = new MiniSearchRival(records);
  printTable("MiniSearch", (query) => rival.search(query));
}
for (const answersFile of values["rival-answers"]) {
  const { engine: name, answers } = JSON.parse(await readFile(pathFromCaller(answersFile), "utf8")) as {
    readonly engine: string;
    readonly answers: Readonly<Record<string, readonly string[]>>;
  };
  const missing = queries.find(({ query }) => answers[query] === undefined);
  if (missing) throw new Error(`${answersFile} has no answer to "${missing.query}": it was made from another set.`);
  printTable(name, (query) => answers[query] ?? []);
}
if (values.scores) process.exit(0);
const gaps = findGaps(queries, records, values.segment);
const lost = gaps.reduce((sum, { reachedNdcg10 }) => sum + 1 - reachedNdcg10, 0);
console.log(`Of what the pages can answer: nDCG@10 ${formatShare(1 - lost / queries.length)}`);
for (const kind of ["page missing", "text missing", "ranking"] as const) {
  const ofKind = gaps.filter((gap) => gap.kind === kind);
  console.log(`\n${kind}: ${ofKind.length} of ${queries.length} queries`);
  for (const { query, wanted, found } of ofKind) {
    console.log(`  "${query.query}" finds ${found[0] ?? "nothing"}`);
    const isCause = (page: WantedPage): boolean => kind === "ranking" || page.lacks?.length !== 0;
    for (const page of wanted.filter(isCause)) console.log(`      ${describe(page)}`);
  }
}
