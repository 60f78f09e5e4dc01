/** How often a cluster answers the readers of the documentation's own site as the embedded engine does. */

import { readFile } from "node:fs/promises";
import { OpenSearchNodes } from "@toolhive/testing";
import { decodeIndex } from "../engine/index/index-format.ts";
import { OwnEngine } from "../engine/memory/memory-engine.ts";
import { replaceOpenSearchIndex } from "../engine/opensearch/index-upload.ts";
import { OpenSearchEngine } from "../engine/opensearch/opensearch-engine.ts";
import { PLAIN_QUERY } from "../testing/plain-query.ts";
import fixtureQueries from "../testing/relevance-queries.json" with { type: "json" };
import siteQueries from "../testing/relevance-site-queries.json" with { type: "json" };
import tuningQueries from "../testing/relevance-tuning-queries.json" with { type: "json" };
import type { SiteComparison } from "./scale-row.ts";
import { FIRST_HITS } from "./scale-service.ts";

const ALIAS = "site";
const DEADLINE_MS = 60_000;
/** One query of so many is asked again by its beginning. */
const BEGINNINGS_APART = 3;
/** Characters of a beginning: each number of these in turn. */
const BEGINNING = { shortest: 3, longest: 11 };

/** @param indexFile The site's index, as its build writes it. @param heapMiB Of each node. */
export async function compareOnSite(indexFile: string, nodes: number, heapMiB: number): Promise<SiteComparison> {
  const data = decodeIndex(await readFile(indexFile));
  await using cluster = await OpenSearchNodes.start({ count: nodes, isForMeasuring: true, heapMiB });
  const target = { urls: cluster.urls, alias: ALIAS };
  await replaceOpenSearchIndex(data, { ...target, shards: nodes, replicas: 0 });
  using engine = new OpenSearchEngine({ ...target, deadlineMs: DEADLINE_MS, watchIntervalMs: 0 });
  const own = new OwnEngine({ data });
  const countSame = async (queries: readonly string[]): Promise<number> => {
    let same = 0;
    for (const text of queries) {
      const query = { ...PLAIN_QUERY, text };
      const listFirst = (hits: readonly { readonly record: { readonly objectID: string } }[]): string =>
        hits
          .slice(0, FIRST_HITS)
          .map(({ record }) => record.objectID)
          .join(" ");
      if (listFirst((await engine.search(query)).hits) === listFirst(own.search(query).hits)) same += 1;
      else console.log(`  ${JSON.stringify(text)} has other first hits`);
    }
    return same;
  };
  const sets = [fixtureQueries, siteQueries, tuningQueries];
  const queries = [...new Set(sets.flatMap((set) => set.queries.map(({ query }) => query)))];
  const beginnings = queries.filter((_, at) => at % BEGINNINGS_APART === 0).map(cutBeginning);
  return {
    nodes,
    pages: data.meta.pageCount,
    records: data.meta.recordCount,
    queries: queries.length,
    same: await countSame(queries),
    beginnings: beginnings.length,
    sameBeginnings: await countSame(beginnings),
    date: new Date().toISOString().slice(0, 10),
  };
}

function cutBeginning(query: string, at: number): string {
  const { shortest, longest } = BEGINNING;
  return query.slice(0, shortest + (at % (longest - shortest + 1)));
}
