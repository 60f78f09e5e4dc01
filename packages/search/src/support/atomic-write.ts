/** Writes files completely or not at all. */
import { randomUUID } from "node:crypto";
import { mkdir, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * Replaces a file: writes beside it, flushes to disk, renames. Readers see the old or the new one.
 *
 * @throws the system's error; nothing remains.
 */
export async function writeFileAtomically(file: string, pieces: readonly Uint8Array[]): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  const temporary = `${file}.${process.pid}.${randomUUID()}.tmp`;
  try {
    await writeDurably(temporary, pieces);
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

async function writeDurably(file: string, pieces: readonly Uint8Array[]): Promise<void> {
  // Not `await using`: this is bundled for Node 20 by builds that do not all translate it.
  const handle = await open(file, "wx", 0o644);
  try {
    for (const piece of pieces) {
      let written = 0;
      while (written < piece.byteLength) written += (await handle.write(piece, written)).bytesWritten;
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
}
