/**
 * Lets one process at a time change a file: a sibling `<file>.lock` exists while a process works on it. A lock whose
 * process has ended, or that is older than any such work, is taken over.
 */
import { mkdir, readFile, rm, rmdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { readSystemCode } from "../support/errors.ts";
import { createNewFile } from "./create-new-file.ts";
import { createWriteError } from "./file-failure.ts";
import { makeDirectory } from "./make-directory.ts";
import { retryInUse } from "./retry-in-use.ts";

const POLL_MS = 20;
/** Milliseconds a caller waits for its turn: several changes go before it, each of which waits for a slow disk. */
const DEFAULT_TIMEOUT_MS = 15_000;
/** Milliseconds after which a lock counts as forgotten; work under a lock takes well below a second. */
const FORGOTTEN_AFTER_MS = 30_000;

interface FileLockOptions {
  /** Milliseconds, default 15000. */
  readonly timeoutMs?: number;
  /** Creates the error that is thrown when the lock was not free in time. */
  readonly onTimeout: (lockPath: string) => Error;
}

/** Runs the work while holding the lock of `path`. The directory is made when it is not there. */
export async function withFileLock<T>(
  path: string,
  { timeoutMs = DEFAULT_TIMEOUT_MS, onTimeout }: FileLockOptions,
  work: () => Promise<T>,
): Promise<T> {
  const lock = `${path}.lock`;
  await makeDirectory(dirname(path));
  const deadline = Date.now() + timeoutMs;
  while (!(await createNewFile(lock, String(process.pid)))) {
    if (await isForgotten(lock)) await removeForgotten(lock);
    else if (Date.now() > deadline) throw onTimeout(lock);
    else await delay(POLL_MS);
  }
  try {
    return await work();
  } finally {
    await retryInUse(() => rm(lock, { force: true }));
  }
}

async function isForgotten(lock: string): Promise<boolean> {
  try {
    const { mtimeMs } = await stat(lock);
    if (Date.now() - mtimeMs > FORGOTTEN_AFTER_MS) return true;
    const pid = Number(await readFile(lock, "utf8"));
    // An empty lock has been made this moment by a process that is about to write its id.
    return pid > 0 && !isRunning(pid);
  } catch (error) {
    if (readSystemCode(error) === "ENOENT") return false;
    throw error;
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return readSystemCode(error) !== "ESRCH";
  }
}

/** One process at a time: otherwise the second could remove the lock of the first. */
async function removeForgotten(lock: string): Promise<void> {
  const takeover = `${lock}.takeover`;
  try {
    await mkdir(takeover);
  } catch (error) {
    if (readSystemCode(error) !== "EEXIST") throw createWriteError(error, lock);
    const age = await stat(takeover).then(
      ({ mtimeMs }) => Date.now() - mtimeMs,
      () => 0,
    );
    if (age > FORGOTTEN_AFTER_MS) await rm(takeover, { recursive: true, force: true });
    await delay(POLL_MS);
    return;
  }
  try {
    if (await isForgotten(lock)) await rm(lock, { force: true });
  } finally {
    await rmdir(takeover);
  }
}
