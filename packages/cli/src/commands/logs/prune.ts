/**
 * `thv logs prune`: deletes log files without a workload. `thv rm` removes a server's own, so there are some only where that
 * failed, where a configuration was deleted by hand, or where another version left them.
 */
import { readdir, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { readSystemCode, ThvError } from "@toolhive/core/errors";
import { describeFileFailure } from "@toolhive/core/file-failure";
import type { CommandHandler } from "../../command-line/command.ts";
import { supervisorFiles } from "../../supervisor/supervisor-files.ts";
import { confirmLoss } from "../shared/questions/confirm.ts";
import type { LOGS_PRUNE } from "./definition.ts";

export const pruneLogs: CommandHandler<typeof LOGS_PRUNE> = async (input, context) => {
  const { terminal, env } = context;
  const files = supervisorFiles(env);
  const folder = dirname(files.log);
  const workloads = (await listFolder(files.runConfigs))
    .filter((name) => name.endsWith(".json"))
    .map((name) => name.slice(0, -".json".length));
  const orphans = [
    ...(await listFolder(folder))
      .filter((file) => isOldOrphan(file, workloads, basename(files.log)))
      .map((file) => join(folder, file)),
    ...(await listFolder(files.serverLogs))
      .filter((file) => isOrphan(file, workloads))
      .map((file) => join(files.serverLogs, file)),
    ...(await listFolder(files.failedOutputs)).map((file) => join(files.failedOutputs, file)),
  ].sort();
  const isDryRun = input.dryRun;
  // Scripts call this without a terminal and without a flag since the first version: they are not asked.
  if (!isDryRun && orphans.length > 0 && terminal.canAsk) {
    for (const path of orphans) terminal.info(path);
    const question = orphans.length === 1 ? "Delete this file?" : `Delete these ${orphans.length} files?`;
    await confirmLoss({ what: "", question, command: "thv logs prune --yes" }, input.yes, context);
  }
  const removed: string[] = [];
  const failures: { path: string; reason: string }[] = [];
  for (const path of orphans) {
    try {
      if (!isDryRun) await rm(path);
      removed.push(path);
    } catch (error) {
      failures.push({ path, reason: describeFileFailure(error) });
    }
  }
  if (input.format === "json") terminal.printJson({ removed, failed: failures });
  else if (orphans.length === 0) terminal.info("Every log file belongs to a server that exists.");
  else for (const path of removed) terminal.print(`${isDryRun ? "Would remove" : "Removed"}: ${path}`);
  if (failures.length === 0) return;
  const list = failures.map(({ path, reason }) => `${path}: ${reason}`).join("; ");
  throw new ThvError("FILE_FAILED", `${failures.length} of ${orphans.length} log files could not be removed: ${list}`, {
    hint: `Look at who owns ${folder}`,
  });
};

/** `NAME.log` and `NAME.log.1`. */
function isOrphan(file: string, workloads: readonly string[]): boolean {
  const name = /^(.+)\.log(?:\.1)?$/s.exec(file)?.[1];
  return name !== undefined && !workloads.includes(name);
}

/** Where other versions put them, with a name that only begins with the server's. */
function isOldOrphan(file: string, workloads: readonly string[], own: string): boolean {
  const isKept = workloads.some((name) => file.startsWith(name) && /^[.-]/.test(file.slice(name.length)));
  return file.endsWith(".log") && file !== own && !isKept;
}

async function listFolder(path: string): Promise<string[]> {
  try {
    return await readdir(path);
  } catch (error) {
    if (readSystemCode(error) === "ENOENT") return [];
    throw new ThvError("FILE_FAILED", `${path} cannot be read: ${describeFileFailure(error)}`, { cause: error });
  }
}
