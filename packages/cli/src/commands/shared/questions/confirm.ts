/** Asks before something goes that cannot be had back. */
import { ThvError } from "@toolhive/core/errors";
import type { CommandContext } from "../../../command-line/command.ts";
import { askYes } from "../../../terminal/input.ts";

/** Names in a question; further ones are counted. */
const MAX_NAMES = 40;

export interface Loss {
  /** The loss, as one sentence of the error without a terminal. */
  readonly what: string;
  /** Ends with a question mark. */
  readonly question: string;
  /** The same command without the question. */
  readonly command: string;
}

/**
 * @param isConfirmed Whether `--yes` was given.
 * @throws {ThvError} `USAGE` without a terminal, `INTERRUPTED` when the answer is no. Nothing was done then.
 */
export async function confirmLoss(
  { what, question, command }: Loss,
  isConfirmed: boolean,
  { terminal }: CommandContext,
): Promise<void> {
  if (isConfirmed) return;
  if (!terminal.canAsk) {
    throw new ThvError("USAGE", what, { hint: `Confirm with: ${command}` });
  }
  if (!(await askYes(terminal, question))) throw new ThvError("INTERRUPTED", "Cancelled: nothing was changed.");
}

/** For example `2 servers: everything, fetch`. */
export function describeServers(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMES).join(", ");
  const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : "";
  return `${names.length} ${names.length === 1 ? "server" : "servers"}: ${shown}${more}`;
}
