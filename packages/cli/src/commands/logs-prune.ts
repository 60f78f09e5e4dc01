/** `thv logs prune`: deletes log files that belong to nothing that exists. */
import { readdir, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { messageOf, systemCodeOf, ThvError } from "@toolhive/core/errors";
import type { CommandHandler } from "../command.ts";
import { supervisorFiles } from "../supervisor/supervisor-files.ts";

const LOG = ".log";

export const pruneLogs: CommandHandler = async (input, { terminal, env }) => {
  const files = supervisorFiles(env);
  const folder = dirname(files.log);
  const workloads = (await listFolder(files.runConfigs))
    .filter((name) => name.endsWith(".json"))
    .map((name) => name.slice(0, -".json".length));
  const isKept = (file: string) =>
    file === basename(files.log) ||
    workloads.some((name) => file.startsWith(name) && /^[.-]/.test(file.slice(name.length)));
  const orphans = (await listFolder(folder)).filter((file) => file.endsWith(LOG) && !isKept(file)).sort();
  const isDryRun = input.bool("dry-run");
  const removed: string[] = [];
  const failures: { path: string; reason: string }[] = [];
  for (const file of orphans) {
    const path = join(folder, file);
    try {
      if (!isDryRun) await rm(path);
      removed.push(path);
    } catch (error) {
      failures.push({ path, reason: messageOf(error) });
    }
  }
  if (input.string("format") === "json") terminal.printJson({ removed, failed: failures });
  else if (orphans.length === 0) terminal.note("Every log file belongs to a server that exists.");
  else for (const path of removed) terminal.print(`${isDryRun ? "Would remove" : "Removed"}: ${path}`);
  if (failures.length === 0) return;
  const list = failures.map(({ path, reason }) => `${path}: ${reason}`).join("; ");
  throw new ThvError("FILE_FAILED", `${failures.length} of ${orphans.length} log files could not be removed: ${list}`, {
    hint: `Look at who owns ${folder}`,
  });
};

async function listFolder(path: string): Promise<string[]> {
  try {
    return await readdir(path);
  } catch (error) {
    if (systemCodeOf(error) === "ENOENT") return [];
    throw new ThvError("FILE_FAILED", `${path} cannot be read: ${messageOf(error)}`, { cause: error });
  }
}
