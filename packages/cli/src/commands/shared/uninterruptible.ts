/** For work that has to be finished after Ctrl-C, such as undoing a step. */
import type { CommandContext } from "../../command-line/command.ts";

/** @returns The context with a signal that is never aborted. */
export function uninterruptible(context: CommandContext): CommandContext {
  return { ...context, signal: new AbortController().signal };
}
