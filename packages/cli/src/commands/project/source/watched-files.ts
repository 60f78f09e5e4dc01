/** Waits until the files of a project are saved again. */
import { stat } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";

/** Milliseconds between two checks of the files. */
const POLL_MS = 300;

/** What distinguishes one save of a file from the next; a file that is not there is a state, too. */
async function describeFile(path: string): Promise<string> {
  const found = await stat(path, { bigint: true }).catch(() => undefined);
  return found === undefined ? "absent" : `${found.ino} ${found.size} ${found.mtimeNs}`;
}

export async function describeFiles(paths: readonly string[]): Promise<string> {
  return (await Promise.all(paths.map(describeFile))).join("\n");
}

/**
 * @param before The files as they were read: a save since then counts.
 * @returns Once they are other ones, and stay so from one check to the next; `false` when the signal ends the wait.
 */
export async function awaitSave(paths: readonly string[], before: string, signal: AbortSignal): Promise<boolean> {
  let last = before;
  while (!signal.aborted) {
    await delay(POLL_MS, undefined, { signal }).catch(() => undefined);
    const now = await describeFiles(paths);
    if (now !== before && now === last) return !signal.aborted;
    last = now;
  }
  return false;
}
