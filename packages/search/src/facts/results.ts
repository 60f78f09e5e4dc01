/** What the last committed run of the benchmark measured, and how a page draws it. */
import openSearch from "../../bench/opensearch.json" with { type: "json" };
import bench from "../../bench/results.json" with { type: "json" };
import type { ScaleRow, SiteComparison } from "../bench/scale-row.ts";
import graded from "../testing/relevance-queries.json" with { type: "json" };

export type { Measurement } from "../bench/measure.ts";
export { plotCurve } from "../bench/plot.ts";
export { findChangeover } from "../bench/scale-row.ts";

export const SEARCH_BENCH_RESULTS = bench;
/** Queries with graded pages that the ranking was scored with. */
export const GRADED_QUERIES_COUNT = graded.queries.length;
/** An OpenSearch cluster beside the embedded engine, each behind a site's service. */
export const OPENSEARCH_BENCH_RESULTS = {
  machine: openSearch.machine,
  rows: openSearch.rows as readonly ScaleRow[],
  site: openSearch.site as readonly SiteComparison[],
};
