/**
 * The terminal session of the home page: commands and outputs of the CLI quickstart, whose blocks are run and compared
 * in the tests. Nothing on the home page is typed by hand.
 */
export interface SessionStep {
  readonly command: string;
  readonly output: readonly string[];
}

/** Commands of the quickstart that are shown, by how they begin. */
const SHOWN = ["thv run", "thv list", "thv logs", "thv stop"];

/** @throws {Error} when the quickstart no longer holds one of the commands with its output. */
export function readSession(quickstart: string): SessionStep[] {
  const pairs = [...quickstart.matchAll(/```bash run[^\n]*\n([\s\S]*?)```\s*```text output[^\n]*\n([\s\S]*?)```/g)];
  return SHOWN.map((start) => {
    const pair = pairs.find(([, command]) => command?.startsWith(start));
    if (pair === undefined) throw new Error(`The CLI quickstart has no block "${start}" with its output.`);
    const [, command = "", output = ""] = pair;
    return { command: command.trim().split("\n").join(" && "), output: output.trimEnd().split("\n") };
  });
}
