/** What the last committed runs of the benchmarks, of the soak test and of the conformance suite found. */
import beside from "../../bench/beside-bare.json" with { type: "json" };
import containers from "../../bench/container-results.json" with { type: "json" };
import finding from "../../bench/find-tools/results.json" with { type: "json" };
import groupCost from "../../bench/groups/beside-apart.json" with { type: "json" };
import groups from "../../bench/groups/results.json" with { type: "json" };
import bench from "../../bench/results.json" with { type: "json" };
import conformance from "../../conformance/results.json" with { type: "json" };
import soak from "../../soak/results.json" with { type: "json" };

export const PROXY_BENCH_RESULTS = bench;
export const GROUP_BENCH_RESULTS = groups;
export const GROUP_COST_RESULTS = groupCost;
export const FIND_BENCH_RESULTS = finding;
export const BESIDE_BARE_RESULTS = beside;
export const CONTAINER_BENCH_RESULTS = containers;
export const CONFORMANCE_RESULTS = conformance;
export const SOAK_RESULTS = soak;
