/** Removes a file of ours, or a folder with all that is in it. */
import { rm } from "node:fs/promises";
import { createWriteError } from "./file-failure.ts";
import { retryInUse } from "./retry-in-use.ts";

/** Removing what is not there succeeds. @throws {ThvError} `FILE_FAILED`. */
export async function removeFile(path: string, { recursive = false } = {}): Promise<void> {
  try {
    await retryInUse(() => rm(path, { force: true, recursive }));
  } catch (error) {
    throw createWriteError(error, path, "removed");
  }
}
