/** What was measured of an OpenSearch cluster beside the embedded search engine. */
import { findChangeover, OPENSEARCH_BENCH_RESULTS as results } from "@toolhive/search/facts/results";
import { fence, table } from "../markdown.ts";
import { round } from "./names.ts";

/** The memory of a server process for which the page says how many records fit. */
const EXAMPLE_GIB = 2;

export function writeOpenSearch(): string[] {
  const { machine, rows, site } = results;
  const clients = rows[0]?.clients.map((row) => row.clients) ?? [];
  return [
    "### OpenSearch {#opensearch}",
    `The search service answers over HTTP, with its embedded engine or with [an OpenSearch cluster](../concepts/search-at-scale.mdx#search-an-opensearch-cluster), and stores no answers. The site is synthetic, and the 600 queries are mostly beginnings of words, as readers type them. All processes run on one machine with ${machine.cores} cores (${machine.cpu}, ${machine.memoryGiB} GiB, Node ${machine.node}); each node has a heap of ${machine.heapMiB} MiB. *Load* is the time from an index file to the first answer, and *update* the time from one changed record until a search finds it: both engines read a whole new index. *Same first five* is the proportion of queries for which the cluster returns the same first five results, in the same order, as the embedded engine. *Other work* is the load of the machine before and after: it was busy, so that the times are upper bounds, and only rows of one size compare.`,
    table(
      [
        "Records",
        "Engine",
        ...clients.flatMap((count) => [
          `p50 with ${count === 1 ? "1 client" : `${count} clients`}, ms`,
          "p99, ms",
          "Searches/s",
        ]),
        "Same first five",
      ],
      rows.map((row) => [
        ...nameRow(row),
        ...row.clients.flatMap(({ p50Ms, p99Ms, perSecond }) => [p50Ms, p99Ms, perSecond].map(round)),
        row.sameFirstFive === undefined ? "–" : `${(100 * row.sameFirstFive).toFixed(1)} %`,
      ]),
    ),
    "The cluster chooses the eighty pages that are ranked. If hundreds of pages contain a word, or no page contains all words, it can choose other pages than the embedded engine. The synthetic queries are of that kind. On this site, a comparison with readers' queries gave:",
    table(
      [
        "Engine",
        "Pages",
        "Records",
        "Queries with the same first five",
        "Beginnings of queries with the same first five",
      ],
      site.map(({ nodes, pages, records, queries, same, beginnings, sameBeginnings }) => [
        nameCluster(nodes),
        ...[pages, records].map((count) => count.toLocaleString("en-US")),
        `${same} of ${queries}`,
        `${sameBeginnings} of ${beginnings}`,
      ]),
    ),
    table(
      [
        "Records",
        "Engine",
        "Load, s",
        "Update, s",
        "Memory of the service, MiB",
        "Memory of the nodes, MiB",
        "Disk, MiB",
        "Other work",
      ],
      rows.map((row) => [
        ...nameRow(row),
        ...[row.loadS, row.updateS].map(round),
        mib(row.serviceBytes),
        row.nodes === 0 ? "–" : mib(row.nodesBytes),
        mib(row.diskBytes),
        `${row.loadBefore}, ${row.loadAfter}`,
      ]),
    ),
    describeChangeover(),
    fence("bash", 'norun="Takes half an hour, and Java"', "npm run bench -- opensearch"),
  ];
}

function nameRow({ records, nodes }: (typeof results.rows)[number]): string[] {
  return [records.toLocaleString("en-US"), nodes === 0 ? "Embedded" : nameCluster(nodes)];
}

function nameCluster(nodes: number): string {
  return nodes === 1 ? "OpenSearch, 1 node" : `OpenSearch, ${nodes} nodes`;
}

function mib(bytes: number): string {
  return round(bytes / 1024 ** 2);
}

/** Says when a site should change to a cluster, from the measured figures. */
function describeChangeover(): string {
  const { fasterFrom, largest, bytesPerRecord, bytesBesideCluster, recordsThatFill } = findChangeover(results.rows);
  const count = (records: number): string => Number(records.toPrecision(1)).toLocaleString("en-US");
  const speed =
    fasterFrom === undefined
      ? `With up to ${largest.toLocaleString("en-US")} records, the embedded engine responds faster than a cluster on the same machine, so change to a cluster for memory and not for speed.`
      : `From ${fasterFrom.toLocaleString("en-US")} records on, a cluster responds to 16 clients faster than the embedded engine.`;
  if (bytesPerRecord * largest <= bytesBesideCluster) {
    return `${speed} A server process of the embedded engine needs no more memory than one with a cluster (${mib(bytesPerRecord * largest)} and ${mib(bytesBesideCluster)} MiB), so that these measurements give no number of records from which to change.`;
  }
  return `${speed} Each server process of the embedded engine needs about ${mib(bytesPerRecord * 100_000)} MiB for 100,000 records; with a cluster, it needs ${mib(bytesBesideCluster)} MiB. If a server process has ${EXAMPLE_GIB} GiB, change to a cluster at about ${count(recordsThatFill(EXAMPLE_GIB * 1024 ** 3))} records.`;
}
