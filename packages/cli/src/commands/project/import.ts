/** `thv import`: a first project file from a client's settings. Nothing is run, and no secret is written. */

import { access } from "node:fs/promises";
import { atomicWrite, importClientFile } from "@toolhive/core";
import { ThvError } from "@toolhive/core/errors";
import type { CommandHandler } from "../../command-line/command.ts";
import { readTextFile } from "../../terminal/input.ts";
import { printOutcome } from "../print-outcome.ts";
import type { IMPORT } from "./definition.ts";
import { formatUp, resolveProjectPath } from "./project-files.ts";

export const importFile: CommandHandler<typeof IMPORT> = async (input, context) => {
  const [source] = input.positionals;
  const { terminal } = context;
  const text = await readTextFile(source, terminal);
  const path = await resolveProjectPath(input.file);
  const project = importClientFile(text, source === "-" ? "Standard input" : source, path);
  if (!input.force && (await exists(path))) {
    throw new ThvError("INVALID_ARGUMENT", `${path} already exists.`, {
      hint: "Choose another name with --file, or replace it: --force",
    });
  }
  await atomicWrite(path, project.text, { mode: 0o644 });
  const { servers, secrets, skipped, notes } = project;
  printOutcome(
    input,
    context,
    { file: path, servers, secrets, skipped, notes },
    `${path} lists ${servers.join(", ")}.`,
  );
  for (const { name, reason } of skipped) terminal.info(`${name} was left out: ${reason}.`);
  for (const { name, note } of notes) terminal.info(`${name}: ${note}.`);
  if (secrets.length > 0) terminal.info("Store these secrets, whose values are still in the client's file:");
  for (const { name, target, server } of secrets) terminal.info(`  thv secret set ${name}   # ${target} of ${server}`);
  terminal.info(`Review the file, then start its servers: ${formatUp(input.file)}`);
};

async function exists(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    () => false,
  );
}
