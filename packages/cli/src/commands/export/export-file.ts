/** The file of an export: nothing is replaced unasked. */
import { lstat } from "node:fs/promises";
import { ThvError } from "@toolhive/core/errors";
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
