/** What the last committed runs of the operator's benchmarks found. */
import changes from "../../bench/changes.json" with { type: "json" };
import scale from "../../bench/scale.json" with { type: "json" };

export const CHANGE_BENCH_RESULTS = changes;
export const SCALE_BENCH_RESULTS = scale;
