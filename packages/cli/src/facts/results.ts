/** What the last committed runs of the benchmarks measured. */
import recovery from "../../bench/recovery.json" with { type: "json" };
import sleep from "../../bench/sleep.json" with { type: "json" };

export const RECOVERY_RESULTS = recovery;
export const SLEEP_RESULTS = sleep;
