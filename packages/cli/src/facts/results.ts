/** What the last committed run of a benchmark measured. */
import recovery from "../../bench/recovery.json" with { type: "json" };

export const RECOVERY_RESULTS = recovery;
