/** What the last committed runs of the benchmarks measured. */

import growth from "../../bench/growth/results.json" with { type: "json" };
import journeys from "../../bench/journeys.json" with { type: "json" };
import recovery from "../../bench/recovery.json" with { type: "json" };
import tried from "../../bench/servers/results.json" with { type: "json" };
import servers from "../../bench/servers/servers.json" with { type: "json" };
import type { Server, TriedServer } from "../../bench/servers/tried-server.ts";
import sleep from "../../bench/sleep.json" with { type: "json" };

export type { Comparison, Counts, Server, TriedServer } from "../../bench/servers/tried-server.ts";

export const GROWTH_RESULTS = growth;
export const JOURNEY_RESULTS = journeys;
export const RECOVERY_RESULTS = recovery;
export const SLEEP_RESULTS = sleep;
/** Servers that `npm run bench -- servers` tries, and what it found. */
export const SERVERS_TO_TRY: readonly Server[] = servers.servers;
export const SERVERS_TRIED: readonly TriedServer[] = tried.servers;
