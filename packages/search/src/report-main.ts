/**
 * Command: print what people searched.
 *
 *   search:report [--events FILE] [--limit N] [--json]
 */
import { parseArgs } from "node:util";
import { pathFromCaller } from "./command-path.ts";
import { formatReport, reportOf } from "./events/report.ts";

const { values } = parseArgs({
  options: {
    events: { type: "string" },
    limit: { type: "string", default: "20" },
    json: { type: "boolean", default: false },
  },
});
const file = values.events ?? process.env.TOOLHIVE_SEARCH_EVENTS;
const limit = Number(values.limit);
if (file === undefined || file === "" || !Number.isInteger(limit) || limit < 1) {
  console.error("Usage: search:report --events FILE [--limit N] [--json]   (or set TOOLHIVE_SEARCH_EVENTS)");
  process.exitCode = 64;
} else {
  const path = pathFromCaller(file);
  const report = await reportOf([`${path}.1`, path], limit);
  console.log(values.json ? JSON.stringify(report, undefined, 2) : formatReport(report));
}
