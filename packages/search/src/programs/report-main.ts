/**
 * Command: print what people searched.
 *
 *   search:report [--events FILE] [--limit N] [--json]
 *
 * Without a file it reads the one that the site's server writes: `SEARCH_EVENTS_FILE`, or its default.
 */
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { createReport, formatReport } from "../events/report.ts";
import { pathFromCaller } from "./command-path.ts";

const { values } = parseArgs({
  options: {
    events: { type: "string" },
    limit: { type: "string", default: "20" },
    json: { type: "boolean", default: false },
  },
});
/** npm runs this command in the folder of its package. */
const siteEventsFile = resolve("../../website/.data/search-events.ndjson");
const file = values.events ?? (process.env.SEARCH_EVENTS_FILE || siteEventsFile);
const limit = Number(values.limit);
if (file === "" || !Number.isInteger(limit) || limit < 1) {
  console.error("Usage: search:report --events FILE [--limit N] [--json]   (or set SEARCH_EVENTS_FILE)");
  process.exitCode = 64;
} else {
  const path = pathFromCaller(file);
  const report = await createReport([`${path}.1`, path], limit);
  console.log(values.json ? JSON.stringify(report, undefined, 2) : formatReport(report));
}
