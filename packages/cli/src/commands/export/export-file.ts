/** The file of an export: nothing is replaced unasked, and nothing half-written is left. */
import { lstat } from "node:fs/promises";
import { atomicWrite, ThvError } from "@toolhive/core";
import { describeFileFailure } from "@toolhive/core/file-failure";
import { askYes } from "../../terminal/input.ts";
import type { Terminal } from "../../terminal/terminal.ts";

/** @throws {ThvError} `INVALID_ARGUMENT` without a terminal, `INTERRUPTED` when the answer is no. */
export async function askBeforeReplacing(path: string, terminal: Terminal): Promise<void> {
  const isThere = await lstat(path).then(
    () => true,
    () => false,
  );
  if (!isThere) return;
  if (!terminal.canAsk) {
    throw new ThvError("INVALID_ARGUMENT", `${path} already exists.`, {
      hint: "Choose another name, or replace it: --force",
    });
  }
  if (await askYes(terminal, `${path} already exists. Replace it?`)) return;
  throw new ThvError("INTERRUPTED", "Cancelled: nothing was changed.");
}

/** Readable for its owner only, because of the variables. */
export async function writeOwnFile(path: string, text: string): Promise<void> {
  try {
    await atomicWrite(path, text);
  } catch (error) {
    throw new ThvError("INVALID_ARGUMENT", `${path} cannot be written: ${describeFileFailure(error)}`, {
      cause: error,
    });
  }
}
