/** What may be read without Node: entries of clients' files, as the application reads them when they are pasted. */
export { type FoundServer, findServers } from "./find-servers.ts";
export type { ImportedEntry, ImportedSecret, OpenVolume, ReadEntry, ReadSecret } from "./imported-entry.ts";
export { readEntry } from "./read-entry.ts";
export { readClientJson } from "./read-json.ts";
export { formatServerName } from "./server-name.ts";
