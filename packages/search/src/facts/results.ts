/** What the last committed run of the benchmark measured, and how a page draws it. */
import bench from "../../bench/results.json" with { type: "json" };
import graded from "../testing/relevance-queries.json" with { type: "json" };

export type { Measurement } from "../bench/measure.ts";
export { plotCurve } from "../bench/plot.ts";

export const SEARCH_BENCH_RESULTS = bench;
/** Queries with graded pages that the ranking was scored with. */
export const GRADED_QUERIES_COUNT = graded.queries.length;
