/** What the last committed runs of the benchmarks measured. */

import recovery from "../../bench/recovery.json" with { type: "json" };
import tried from "../../bench/servers/results.json" with { type: "json" };
import servers from "../../bench/servers/servers.json" with { type: "json" };
import sleep from "../../bench/sleep.json" with { type: "json" };

export const RECOVERY_RESULTS = recovery;
export const SLEEP_RESULTS = sleep;
/** Servers that `npm run bench -- servers` tries, and what it found. */
export const SERVERS_TO_TRY = servers.servers;
export const SERVERS_TRIED = tried.servers;
