/** A file that only one process can create: what locks are made of. */
import { open, rm } from "node:fs/promises";
import { readSystemCode } from "../support/errors.ts";
import { createWriteError } from "./file-failure.ts";
import { retryInUse } from "./retry-in-use.ts";

/**
 * Creates a file of the user's own. When it cannot be written, it removes the file: a full disk has room for a name but not for
 * the content, and a lock without an owner would block everybody.
 *
 * @returns Whether it is new; an existing file stays as it is. @throws {ThvError} `FILE_FAILED` saying why.
 */
export async function createNewFile(path: string, text: string): Promise<boolean> {
  try {
    const file = await retryInUse(() => open(path, "wx", 0o600));
    try {
      await file.writeFile(text);
    } catch (error) {
      await rm(path, { force: true });
      throw error;
    } finally {
      await file.close();
    }
    return true;
  } catch (error) {
    if (readSystemCode(error) === "EEXIST") return false;
    throw createWriteError(error, path);
  }
}
