/** `thv down`: what `thv up` of this file has created goes, known by its label, and nothing else. */
import { formatProjectLabel, formatSharedLabel, PROJECT_LABEL, parseSharedReference } from "@toolhive/core";
import type { CommandHandler } from "../../command-line/command.ts";
import type { Input } from "../../command-line/input.ts";
import { connectIfNeeded } from "../../supervisor/connect.ts";
import { removeWorkloads } from "../lifecycle/lifecycle.ts";
import { printOutcome } from "../print-outcome.ts";
import { awaitTakeOver } from "../shared/settle.ts";
import type { DOWN } from "./definition.ts";
import { resolveProjectPath } from "./source/project-files.ts";
import { assertOneSource } from "./source/project-source.ts";

export const down: CommandHandler<typeof DOWN> = async (input, context) => {
  const { path, label: project } = await identify(input);
  const client = await connectIfNeeded(context);
  if (client) await awaitTakeOver(client, context);
  const label = `${PROJECT_LABEL}=${project}`;
  const { workloads } = client
    ? await client.call("listWorkloads", { query: { all: "true", label } })
    : { workloads: [] };
  if (workloads.length === 0) {
    printOutcome(input, context, []);
    context.terminal.info(`No server from ${path} exists.`);
    return;
  }
  const { format, force, timeout } = input;
  const positionals = workloads.map(({ name }) => name);
  await removeWorkloads({ all: false, positionals, format, force, timeout, yes: true }, context);
};

/** A project at an image registry is not asked for: its label follows from its name. */
async function identify(input: Input<typeof DOWN>): Promise<{ readonly path: string; readonly label: string }> {
  assertOneSource(input);
  const [given] = input.positionals;
  if (given !== undefined) {
    const reference = parseSharedReference(given);
    return { path: reference.repository, label: formatSharedLabel(reference) };
  }
  const path = await resolveProjectPath(input.file);
  return { path, label: formatProjectLabel(path) };
}
