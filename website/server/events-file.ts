/** Where the server keeps what readers search. */
import path from "node:path";

/** @returns An absolute path, or `undefined` when nothing is to be kept. */
export function findEventsFile(setting: string | undefined, siteFolder: string): string | undefined {
  if (setting === "off") return undefined;
  return setting ? path.resolve(setting) : path.join(siteFolder, "../.data/search-events.ndjson");
}
