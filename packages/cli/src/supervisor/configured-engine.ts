/** The engine that `thv config set-engine` chose. */
import { ConfigFile } from "@toolhive/core";
import { supervisorFiles } from "./supervisor-files.ts";

/**
 * @returns Its address; empty when none was chosen. A settings file that cannot be read chooses none here: what reads
 *   settings for their own sake reports it.
 */
export async function readConfiguredEngine(env: Readonly<Record<string, string | undefined>>): Promise<string> {
  const reading = await new ConfigFile(supervisorFiles(env).directories.config).read();
  return reading.ok ? (reading.config.engine ?? "") : "";
}
