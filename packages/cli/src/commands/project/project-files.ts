/** The project file and its lock on disk. */
import { realpath } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { atomicWrite, formatLock, type LockEntries, type Project, readLock, readProject } from "@toolhive/core";
import { describeReadFailure, readBoundedText } from "@toolhive/core/bounded-file";
import { systemCodeOf, ThvError } from "@toolhive/core/errors";

/** A project file without symbolic links in its folder: the same file has one path, whatever the way to it. */
export async function resolveProjectPath(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    const folder = await realpath(dirname(path)).catch(() => dirname(path));
    return join(folder, basename(path));
  }
}

/** @throws {ThvError} `INVALID_ARGUMENT` with every problem. */
export async function openProject(given: string): Promise<Project> {
  const path = await resolveProjectPath(given);
  let text: string;
  try {
    text = await readBoundedText(path);
  } catch (error) {
    const reason = systemCodeOf(error) === "ENOENT" ? "it does not exist" : describeReadFailure(error);
    throw new ThvError("INVALID_ARGUMENT", `${path} cannot be used: ${reason}.`, {
      hint: "Name it with --file, or write a first one from a client's settings: thv import mcp.json",
      cause: error,
    });
  }
  return readProject(text, path);
}

export function lockPathOf(path: string): string {
  return `${path.replace(/\.ya?ml$/i, "")}.lock`;
}

/** @returns The entries; `undefined` where there is no lock. @throws {ThvError} `INVALID_ARGUMENT`. */
export async function openLock(path: string): Promise<LockEntries | undefined> {
  let text: string;
  try {
    text = await readBoundedText(path);
  } catch (error) {
    if (systemCodeOf(error) === "ENOENT") return undefined;
    throw new ThvError("INVALID_ARGUMENT", `${path} cannot be used: ${describeReadFailure(error)}.`, {
      hint: "Take it from version control again, or write it anew: thv up --update-lock",
      cause: error,
    });
  }
  return readLock(text, path);
}

/** Writes the lock where it says something else than before. @throws {ThvError} `FILE_FAILED`. */
export async function saveLock(path: string, before: LockEntries | undefined, after: LockEntries): Promise<void> {
  const text = formatLock(after);
  if (before !== undefined && formatLock(before) === text) return;
  // Everybody who works in the folder reads it.
  await atomicWrite(path, text, { mode: 0o644 });
}
