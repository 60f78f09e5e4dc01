/**
 * Why a supervisor in the background ended at its start, reported to the command that started it: its log may be on the very
 * disk that is full.
 */
import { ERRORS, type ErrorCode, ThvError } from "@toolhive/core/errors";
import { createFileError } from "@toolhive/core/file-failure";

/** Reports the failure to the process that started this one, if there is one that still listens. Never rejects. */
export async function reportStartFailure(thrown: unknown): Promise<void> {
  const error = thrown instanceof ThvError ? thrown : createFileError(thrown);
  if (!error || !process.send || !process.connected) return;
  const { code, message, hint } = error;
  // Settled by the callback, with an error when the other side has disconnected.
  await new Promise<void>((resolve) => {
    process.send?.({ code, message, hint }, undefined, undefined, () => resolve());
  });
}

/** @returns `undefined` for what is no such message, and for what everybody knows who starts two at once. */
export function readStartFailure(message: unknown): ThvError | undefined {
  if (typeof message !== "object" || message === null) return undefined;
  const { code, message: text, hint } = message as Record<string, unknown>;
  if (typeof code !== "string" || !Object.hasOwn(ERRORS, code) || typeof text !== "string") return undefined;
  return new ThvError(code as ErrorCode, text, { hint: typeof hint === "string" ? hint : undefined });
}
