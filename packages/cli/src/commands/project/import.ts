/** `thv import`: a first project file from a client's settings or a command. Nothing is run, and no secret is written. */

import { groupSkipped, type ImportedProject, importClientFile, importCommand } from "@toolhive/core";
import { ThvError } from "@toolhive/core/errors";
import type { CommandContext, CommandHandler } from "../../command-line/command.ts";
import type { Input } from "../../command-line/input.ts";
import { readTextFile } from "../../terminal/input.ts";
import { printOutcome } from "../print-outcome.ts";
import type { IMPORT } from "./definition.ts";
import { formatUp, resolveProjectPath } from "./source/project-files.ts";
import { writeNewProject } from "./source/write-project.ts";

export const importFile: CommandHandler<typeof IMPORT> = async (input, context) => {
  const { terminal } = context;
  const path = await resolveProjectPath(input.file);
  const project = await readSource(input, context, path);
  await writeNewProject(path, project.text, input.force);
  const { servers, secrets, skipped, notes } = project;
  printOutcome(
    input,
    context,
    { file: path, servers, secrets, skipped, notes },
    `${path} lists ${servers.join(", ")}.`,
  );
  for (const { names, reason } of groupSkipped(skipped))
    terminal.info(`${names.join(", ")} ${names.length === 1 ? "was" : "were"} left out: ${reason}.`);
  for (const { name, note } of notes) terminal.info(`${name}: ${note}.`);
  const [source = "-"] = input.positionals;
  const place = source === "-" ? "are not in it" : "are still in the client's file";
  if (secrets.length > 0) terminal.info(`Store these secrets, whose values ${place}:`);
  for (const { name, target, server } of secrets) terminal.info(`  thv secret set ${name}   # ${target} of ${server}`);
  terminal.info(`Review the file, then start its servers: ${formatUp(input.file)}`);
};

/** @throws {ThvError} `USAGE` when neither a file nor a command is given, or both are. */
async function readSource(
  { positionals: [source], rest }: Input<typeof IMPORT>,
  { terminal }: CommandContext,
  path: string,
): Promise<ImportedProject> {
  if (rest.length > 0 && source === undefined) return importCommand(rest, path);
  if (source === undefined || rest.length > 0) {
    const problem = source === undefined ? "thv import needs FILE" : "thv import takes FILE or a command, not both";
    throw new ThvError("USAGE", `${problem}.`, {
      hint: "Name a client's file, or give a command: thv import -- docker run -i --rm IMAGE",
    });
  }
  const text = await readTextFile(source, terminal);
  return importClientFile(text, source === "-" ? "Standard input" : source, path);
}
