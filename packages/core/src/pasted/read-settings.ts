/** Servers in a client's settings that stand in a link, a command or a pasted text. */
import { isRecord } from "@toolhive/http/values";
import { type FoundServer, findServers } from "../client-import/find-servers.ts";

/** @returns Its servers; one that stands alone has the name that its entry gives, or none. */
export function readSettings(settings: unknown): readonly FoundServer[] | undefined {
  return findServers(settings)?.map((found) => {
    const { name } = isRecord(found.settings) ? found.settings : {};
    return found.name === "" && typeof name === "string" ? { ...found, name } : found;
  });
}
