/** Creates folders, with errors that name the reason. */
import { access, mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { readSystemCode } from "../support/errors.ts";
import { createWriteError } from "./file-failure.ts";

/**
 * Creates a folder and its missing parents; an existing one stays unchanged.
 *
 * @param mode Permission bits of folders that are made. Default 0700.
 * @throws {ThvError} `FILE_FAILED`.
 */
export async function makeDirectory(path: string, mode = 0o700): Promise<void> {
  try {
    await mkdir(path, { recursive: true, mode }).catch(async (error: unknown) => {
      // Node says this of a read-only file system, too: created one folder at a time, the system's own error appears.
      if (readSystemCode(error) !== "ENOENT") throw error;
      await makeOneByOne(path, mode);
    });
  } catch (error) {
    throw createWriteError(error, path);
  }
}

async function makeOneByOne(path: string, mode: number): Promise<void> {
  const missing: string[] = [];
  for (let at = path; !(await isThere(at)) && dirname(at) !== at; at = dirname(at)) missing.unshift(at);
  for (const each of missing) {
    await mkdir(each, { mode }).catch((error: unknown) => {
      // Another process has just created it.
      if (readSystemCode(error) !== "EEXIST") throw error;
    });
  }
}

async function isThere(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch {
    return false;
  }
}
