/**
 * Command: how well an index answers the graded queries, and why not better.
 *
 *   search:relevance [--index FILE] [--segment NAME] [--set public|site]
 *
 * Without a file it reads the index of the built site; without a set it takes the public queries.
 */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { decodeIndex } from "../engine/index/index-format.ts";
import { OwnEngine } from "../engine/memory/memory-engine.ts";
import { type GradedQuery, intervalOf, meanOf, type QueryScore, scoreQuery } from "../testing/relevance.ts";
import { findGaps, urlsOf, type WantedPage } from "../testing/relevance-gaps.ts";
import publicSet from "../testing/relevance-queries.json" with { type: "json" };
import siteSet from "../testing/relevance-site-queries.json" with { type: "json" };
import { pathFromCaller } from "./command-path.ts";

const { values } = parseArgs({
  options: {
    index: { type: "string" },
    segment: { type: "string", default: "toolhive" },
    set: { type: "string", default: "public" },
  },
});
const sets = new Map([
  ["public", publicSet.queries],
  ["site", siteSet.queries],
]);
const queries: readonly GradedQuery[] | undefined = sets.get(values.set);
if (queries === undefined)
  throw new Error(`--set is "${values.set}" but must be one of: ${[...sets.keys()].join(", ")}`);
/** npm runs this command in the folder of its package. */
const file = values.index === undefined ? resolve("../../website/dist/search-index.bin") : pathFromCaller(values.index);
const engine = new OwnEngine({ data: decodeIndex(await readFile(file)) });
const records = Array.from({ length: engine.data.meta.recordCount }, (_, number) => engine.recordAt(number));

function describe({ route, rank, lacks }: WantedPage): string {
  const place = rank === undefined ? "not found" : `page ${rank}`;
  if (lacks === undefined) return `${route} (not written)`;
  return lacks.length === 0 ? `${route} (${place})` : `${route} (${place}, lacks: ${lacks.join(", ")})`;
}

const answers = queries.map((query) => ({
  category: query.category,
  score: scoreQuery(query, urlsOf(engine, query.query), values.segment),
}));
const gaps = findGaps(queries, records, values.segment);
const lost = gaps.reduce((sum, { reachedNdcg10 }) => sum + 1 - reachedNdcg10, 0);
function formatShare(share: number): string {
  return share.toFixed(3);
}

/** One line of the table: nDCG@10 with its interval of 95 %, and shares. */
function printRow(name: string, scores: readonly QueryScore[]): void {
  const ndcg = scores.map(({ ndcg10 }) => ndcg10);
  const [low, high] = intervalOf(ndcg).map(formatShare);
  const sections = scores.flatMap(({ section }) => (section === undefined ? [] : [section]));
  const cells = [
    name.padEnd(12),
    String(scores.length).padStart(4),
    `${formatShare(meanOf(ndcg))} (${low} to ${high})`,
    formatShare(meanOf(scores.map(({ success1 }) => success1))),
    formatShare(meanOf(scores.map(({ success5 }) => success5))),
    formatShare(meanOf(scores.map(({ none }) => none))),
    sections.length === 0 ? "    –" : formatShare(meanOf(sections)),
  ];
  console.log(cells.join("  "));
}

console.log("queries             nDCG@10                 @1     @5     none   section");
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
