/** What was measured, from the committed results of the benchmarks: no number on the page is typed. */
import {
  GRADED_QUERIES_COUNT,
  type Measurement,
  plotCurve,
  SEARCH_BENCH_RESULTS as search,
} from "@toolhive/search/facts/results";
import keystrokes from "../../bench/keystrokes.json" with { type: "json" };
import site from "../../bench/results.json" with { type: "json" };
import type { GeneratedPage } from "../cli-pages.ts";
import { blocks, code, fence, LOOKED_UP, pageHead, table } from "../markdown.ts";
import { writeCluster } from "./cluster.ts";
import { writeGrowth } from "./growth.ts";
import { round } from "./names.ts";
import { writeOpenSearch } from "./opensearch.ts";
import { writeBesideBare, writeContainers, writeProxy } from "./proxy.ts";
import { writeFinding, writeGroupCost, writeGroups, writeJourneys, writeSleep, writeSoak } from "./sets.ts";

const ENGINES: Readonly<Record<string, string>> = { own: "Ours", minisearch: "MiniSearch 7" };

export function measurementsPage(): GeneratedPage {
  return {
    path: "measurements.mdx",
    content: blocks(
      pageHead({
        title: "Measurements",
        description:
          "Speed and size of the ToolHive proxy, its search and its pages compared with other tools, with the machine, the date and the command to repeat it.",
        keywords: [
          "benchmark",
          "performance",
          "latency",
          "throughput",
          "memory",
          "comparison",
          "supergateway",
          "mcp-proxy",
        ],
      }),
      LOOKED_UP,
      "Every number on this page comes from a results file in the repository. Each section has the command that repeats its run; results differ between machines.",
      ...writeProxy(),
      ...writeContainers(),
      ...writeBesideBare(),
      ...writeGroups(),
      ...writeGroupCost(),
      ...writeFinding(),
      ...writeJourneys(),
      ...writeSleep(),
      ...writeSoak(),
      ...writeGrowth(),
      ...writeCluster(),
      ...writeSearch(),
      ...writeOpenSearch(),
      ...writePages(),
    ),
  };
}

function writeSearch(): string[] {
  return [
    "## Search {#search}",
    `Each engine searches synthetic sites of increasing size, on ${search.machine.cores} cores (${search.machine.cpu}, Node ${search.machine.node}, ${search.date}). A search is one query within the process, without the network.`,
    table(
      ["Engine", "Records", "Build", "Memory", "p50", "p99", "Queries with an answer"],
      search.curve.map((point) => [
        ENGINES[point.engine] ?? point.engine,
        point.records.toLocaleString("en-US"),
        `${round(point.buildMs / 1000)} s`,
        `${round(point.memoryBytes / 1024 ** 2)} MiB`,
        `${round(point.p50Ms)} ms`,
        `${round(point.p99Ms)} ms`,
        `${(100 * point.answered).toFixed(1)} %`,
      ]),
    ),
    `The quality of the ranking, measured with ${GRADED_QUERIES_COUNT} queries whose pages are graded, on this site and on a small test site. Each engine searches the same pages. nDCG@10 compares the order of the first ten pages with the best possible order; success@5 is the proportion of queries with a good page among the first five.`,
    table(
      ["Site", "Engine", "nDCG@10", "success@1", "success@5", "MRR@10", "No results"],
      search.relevance.map(({ site: name, engine, scores }) => [
        name === "site" ? "This site" : "Test site",
        ENGINES[engine] ?? engine,
        ...[scores.ndcg10, scores.success1, scores.success5, scores.mrr10].map((score) => score.toFixed(3)),
        `${(100 * scores.none).toFixed(1)} %`,
      ]),
    ),
    `Sixteen simulated readers type letter by letter and search over HTTP, with a load of ${search.machine.load} from other work:`,
    table(
      ["Site", "Cached responses", "Requests per CPU second", "Response", "Compressed"],
      search.http.map((row) => [
        row.site === "site" ? "This site" : "Test site",
        row.isCached ? "yes" : "no",
        round(row.requestsPerSecond / row.serverCores),
        `${round(row.answerBytes / 1000)} kB`,
        `${round(row.brotliBytes / 1000)} kB`,
      ]),
    ),
    `In Chromium ${keystrokes.browser}, on the same machine as the server, the search box shows results within ${round(keystrokes.best.p50Ms)} ms for half of ${keystrokes.best.keystrokes} keystrokes and within ${round(keystrokes.best.p95Ms)} ms for 95 % of them, with a load of ${keystrokes.best.load} from other work.`,
    fence(
      "bash",
      'norun="Takes minutes"',
      "npm run bench -w @toolhive/search\nnpm run bench:search -w @toolhive/website",
    ),
  ];
}

function writePages(): string[] {
  return [
    "## Pages {#pages}",
    `With an empty cache, a browser loads this much for each page, compressed, in ${site.unit} (measured on ${site.machine}):`,
    table(
      ["Page", "Document", "Styles", "Scripts", "Fonts", "Images", "Total", "Goal"],
      site.results.map((page) => [
        code(page.address),
        ...[page.document, page.style, page.script, page.font, page.image, page.total].map(round),
        String(page.goal.total),
      ]),
    ),
  ];
}

/** The picture of the search curve in the colors of one mode: a page shows the one that fits its own. */
export function searchCurve(mode: "light" | "dark"): string {
  const both = plotCurve(search.curve as readonly Measurement[]);
  const dark = /@media \(prefers-color-scheme: dark\) \{(.*)\}\n/;
  return mode === "dark" ? both.replace(dark, "$1\n") : both.replace(dark, "");
}
