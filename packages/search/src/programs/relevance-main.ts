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
import { type GradedQuery, measureRelevance } from "../testing/relevance.ts";
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

const scores = await measureRelevance(queries, (query) => urlsOf(engine, query), values.segment);
const gaps = findGaps(queries, records, values.segment);
const lost = gaps.reduce((sum, { reachedNdcg10 }) => sum + 1 - reachedNdcg10, 0);
function formatShare(share: number): string {
  return share.toFixed(3);
}

console.log(
  `nDCG@10 ${formatShare(scores.ndcg10)}, of what the pages can answer ${formatShare(1 - lost / queries.length)}`,
);
console.log(
  `success@1 ${formatShare(scores.success1)}, success@5 ${formatShare(scores.success5)}, nothing ${formatShare(scores.none)}`,
);
for (const kind of ["page missing", "text missing", "ranking"] as const) {
  const ofKind = gaps.filter((gap) => gap.kind === kind);
  console.log(`\n${kind}: ${ofKind.length} of ${queries.length} queries`);
  for (const { query, wanted, found } of ofKind) {
    console.log(`  "${query.query}" finds ${found[0] ?? "nothing"}`);
    const isCause = (page: WantedPage): boolean => kind === "ranking" || page.lacks?.length !== 0;
    for (const page of wanted.filter(isCause)) console.log(`      ${describe(page)}`);
  }
}
