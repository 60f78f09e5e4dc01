/**
 * A lock held by one living process: a file with its id and start time, made with link(2), which only one can win.
 * A holder that died is recognised by its process id being free or reused, so a crash needs no cleaning up by hand.
 */
import { randomBytes } from "node:crypto";
import { link, readFile, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { readBoundedText } from "@toolhive/core/bounded-file";
import { createNewFile } from "@toolhive/core/create-new-file";
import { readSystemCode } from "@toolhive/core/errors";
import { createWriteError } from "@toolhive/core/file-failure";
import { makeDirectory } from "@toolhive/core/make-directory";
import { isPipeOpen, type LifePipe, openLifePipe } from "./life-pipe.ts";
import { type LockHolder, parseHolder } from "./lock-holder.ts";

/** Milliseconds after which a takeover that did not finish counts as abandoned. */
const TAKEOVER_TIMEOUT_MS = 10_000;

export type LockResult =
  | { readonly acquired: true; readonly lock: ProcessLock }
  | { readonly acquired: false; readonly holder: LockHolder };

export interface ProcessLock {
  /** Whether it is still ours: somebody may have deleted the whole state directory. A file that cannot be read is no sign of that. */
  readonly isHeld: () => Promise<boolean>;
  readonly release: () => Promise<void>;
}

/** @param openPipe Default: on Windows a named pipe, elsewhere none. */
export async function acquireProcessLock(
  path: string,
  openPipe: (() => Promise<LifePipe>) | undefined = process.platform === "win32" ? openLifePipe : undefined,
): Promise<LockResult> {
  await makeDirectory(dirname(path));
  const own = `${path}.${randomBytes(6).toString("hex")}`;
  const pipe = await openPipe?.();
  let isAcquired = false;
  try {
    await createNewFile(
      own,
      JSON.stringify({ ...(await describeProcess(process.pid)), ...(pipe && { pipe: pipe.path }) }),
    );
    for (;;) {
      isAcquired = await tryLink(own, path);
      if (isAcquired) return { acquired: true, lock: heldLock(path, pipe) };
      const holder = await readHolder(path);
      if (holder && (await isHolderAlive(holder))) return { acquired: false, holder };
      await removeStale(path);
    }
  } finally {
    if (!isAcquired) pipe?.close();
    await rm(own, { force: true });
  }
}

function heldLock(path: string, pipe: LifePipe | undefined): ProcessLock {
  const isLost = async () => ["gone", "other"].includes(await readLockState(path));
  // Asked twice, because everything ends when the answer is no.
  const isHeld = async () => !((await isLost()) && (await isLost()));
  const release = async () => {
    if ((await readLockState(path)) === "ours") await rm(path, { force: true });
    pipe?.close();
  };
  return { isHeld, release };
}

/** Whose a lock is. Where that cannot be read, because no file can be opened any more, say, it is unknown. */
async function readLockState(path: string): Promise<"ours" | "other" | "gone" | "unknown"> {
  try {
    const holder = parseHolder(await readBoundedText(path));
    if (holder === undefined) return "unknown";
    return holder.pid === process.pid ? "ours" : "other";
  } catch (error) {
    return readSystemCode(error) === "ENOENT" ? "gone" : "unknown";
  }
}

async function tryLink(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if (readSystemCode(error) === "EEXIST") return false;
    throw createWriteError(error, to);
  }
}

/** Removes a dead holder's lock. One at a time: the second process could otherwise remove the lock of the first. */
async function removeStale(path: string): Promise<void> {
  const takeover = `${path}.takeover`;
  if (!(await createNewFile(takeover, ""))) {
    const age = await ageMs(takeover);
    if (age !== undefined && age > TAKEOVER_TIMEOUT_MS) await rm(takeover, { force: true });
    return;
  }
  try {
    const holder = await readHolder(path);
    if (!holder || !(await isHolderAlive(holder))) await rm(path, { force: true });
  } finally {
    await rm(takeover, { force: true });
  }
}

async function ageMs(path: string): Promise<number | undefined> {
  try {
    return Date.now() - (await stat(path)).mtimeMs;
  } catch {
    // Gone in the meantime.
    return undefined;
  }
}

/** The process that holds the lock, or `undefined` when the file is missing or unreadable. */
export async function readHolder(path: string): Promise<LockHolder | undefined> {
  try {
    return parseHolder(await readBoundedText(path));
  } catch {
    return undefined;
  }
}

export async function isHolderAlive(holder: LockHolder): Promise<boolean> {
  try {
    process.kill(holder.pid, 0);
  } catch (error) {
    if (readSystemCode(error) === "ESRCH") return false;
  }
  if (holder.pipe !== undefined) return await isPipeOpen(holder.pipe);
  const now = await describeProcess(holder.pid);
  return holder.startTicks === "" || now.startTicks === "" || now.startTicks === holder.startTicks;
}

async function describeProcess(pid: number): Promise<LockHolder> {
  try {
    const fields = (await readFile(`/proc/${pid}/stat`, "utf8")).replace(/^.*\)\s/s, "").split(" ");
    // Field 22 of proc(5), counted after the command's closing parenthesis. "Z" is a process that has ended.
    return { pid, startTicks: fields[0] === "Z" ? "ended" : (fields[19] ?? "") };
  } catch {
    // No /proc on this system: the process id alone has to do.
    return { pid, startTicks: "" };
  }
}
