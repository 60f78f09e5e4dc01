/** `thv down`: what `thv up` of this file has created goes, known by its label, and nothing else. */
import { formatProjectLabel, PROJECT_LABEL } from "@toolhive/core";
import type { CommandHandler } from "../../command-line/command.ts";
import { connectIfNeeded } from "../../supervisor/connect.ts";
import { removeWorkloads } from "../lifecycle/lifecycle.ts";
import { printOutcome } from "../print-outcome.ts";
import { awaitTakeOver } from "../shared/settle.ts";
import type { DOWN } from "./definition.ts";
import { resolveProjectPath } from "./project-files.ts";

export const down: CommandHandler<typeof DOWN> = async (input, context) => {
  const path = await resolveProjectPath(input.file);
  const client = await connectIfNeeded(context);
  if (client) await awaitTakeOver(client, context);
  const label = `${PROJECT_LABEL}=${formatProjectLabel(path)}`;
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
