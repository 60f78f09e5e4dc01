/** Says what a command has done, in the form that was asked for. */
import type { CommandContext } from "../command-line/command.ts";

/** The part of a command's input that says for whom it prints. */
export interface FormatInput {
  readonly format: "text" | "json";
}

/**
 * @param outcome What `--format json` prints.
 * @param line The same for a person. Absent: a notice on standard error has said it.
 */
export function printOutcome(
  { format }: FormatInput,
  { terminal }: Pick<CommandContext, "terminal">,
  outcome: unknown,
  line?: string,
): void {
  if (format === "json") terminal.printJson(outcome);
  else if (line !== undefined) terminal.print(line);
}
