/**
 * Replaces a file so that every reader, and the next start after a power loss, sees the old or the new content.
 * Write to a temporary sibling, fsync it, rename over the target, fsync the directory.
 */
import { randomBytes } from "node:crypto";
import { open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { createWriteError } from "./file-failure.ts";
import { makeDirectory } from "./make-directory.ts";
import { retryInUse } from "./retry-in-use.ts";

/** Suffix of the temporary sibling; a leftover from a crash is recognised by it. */
export const TEMPORARY_SUFFIX = ".tmp";

interface AtomicWriteOptions {
  /** Permission bits of the file, default 0600. */
  readonly mode?: number;
  /** Permission bits of directories that have to be made, default 0700. */
  readonly directoryMode?: number;
}

/** @throws {ThvError} `FILE_FAILED` saying why; the old content is then still there. */
export async function atomicWrite(
  path: string,
  content: string | Uint8Array,
  options: AtomicWriteOptions = {},
): Promise<void> {
  try {
    await replaceFile(path, content, options);
  } catch (error) {
    throw createWriteError(error, path);
  }
}

interface WholeFile {
  readonly path: string;
  readonly content: string | Uint8Array;
}

/**
 * Several files at once: each is written in full before the first one takes its place, so that a full disk leaves the old ones.
 *
 * @throws {ThvError} `FILE_FAILED` saying why, with the path of the file that could not be written.
 */
export async function atomicWriteAll(files: readonly WholeFile[], options: AtomicWriteOptions = {}): Promise<void> {
  const staged: { readonly path: string; readonly temporary: string }[] = [];
  try {
    for (const { path, content } of files) {
      const temporary = await stageFile(path, content, options).catch((error) =>
        Promise.reject(createWriteError(error, path)),
      );
      staged.push({ path, temporary });
    }
    for (const { path, temporary } of staged) {
      await retryInUse(() => rename(temporary, path)).catch((error) => Promise.reject(createWriteError(error, path)));
    }
  } catch (error) {
    // Those that have taken their place are not there any more.
    await Promise.all(staged.map(({ temporary }) => rm(temporary, { force: true })));
    throw error;
  }
  for (const directory of new Set(files.map(({ path }) => dirname(path)))) await syncDirectory(directory);
}

async function replaceFile(path: string, content: string | Uint8Array, options: AtomicWriteOptions): Promise<void> {
  const temporary = await stageFile(path, content, options);
  try {
    await retryInUse(() => rename(temporary, path));
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncDirectory(dirname(path));
}

/** @returns The path of a sibling with the whole content, on the disk. */
async function stageFile(
  path: string,
  content: string | Uint8Array,
  { mode = 0o600, directoryMode = 0o700 }: AtomicWriteOptions,
): Promise<string> {
  await makeDirectory(dirname(path), directoryMode);
  const temporary = `${path}.${randomBytes(6).toString("hex")}${TEMPORARY_SUFFIX}`;
  try {
    const file = await open(temporary, "wx", mode);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  return temporary;
}

/** Makes a rename or removal in the directory durable. Windows has no such call and needs none. */
export async function syncDirectory(directory: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await open(directory, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
