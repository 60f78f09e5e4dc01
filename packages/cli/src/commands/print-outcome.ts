/** Says what a command has done, in the form that was asked for. */
import type { CommandContext } from "../command-line/command.ts";
import type { ParsedInput } from "../command-line/parse.ts";

export function asksForJson(input: ParsedInput): boolean {
  return input.string("format") === "json";
}

/**
 * @param outcome What `--format json` prints.
 * @param line The same for a person. Absent: a notice on standard error has said it.
 */
export function printOutcome(
  input: ParsedInput,
  { terminal }: Pick<CommandContext, "terminal">,
  outcome: unknown,
  line?: string,
): void {
  if (asksForJson(input)) terminal.printJson(outcome);
  else if (line !== undefined) terminal.print(line);
}
