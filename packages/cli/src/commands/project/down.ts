/** `thv down`: what `thv up` of this file has created goes, known by its label, and nothing else. */
import {
  formatProjectLabel,
  formatSharedLabel,
  inspectProject,
  PROJECT_LABEL,
  parseSharedReference,
} from "@toolhive/core";
import { readBoundedText } from "@toolhive/core/bounded-file";
import type { CommandHandler } from "../../command-line/command.ts";
import type { Input } from "../../command-line/input.ts";
import { connectIfNeeded } from "../../supervisor/connect.ts";
import { removeWorkloads } from "../lifecycle/lifecycle.ts";
import { printOutcome } from "../print-outcome.ts";
import { awaitTakeOver } from "../shared/settle.ts";
import type { DOWN } from "./definition.ts";
import { formatWith, readOwnership, throwOtherFile } from "./records/project-owner.ts";
import { openProject, resolveProjectPath } from "./source/project-files.ts";
import { assertOneSource } from "./source/project-source.ts";

export const down: CommandHandler<typeof DOWN> = async (input, context) => {
  const project = await identify(input);
  const { path, name } = project;
  const { labels, other } = await readOwnership(project, context.env);
  const client = await connectIfNeeded(context);
  if (client) await awaitTakeOver(client, context);
  const { workloads } = client ? await client.call("listWorkloads", { query: { all: "true" } }) : { workloads: [] };
  const own = workloads.filter((workload) => labels.has(workload.labels?.[PROJECT_LABEL] ?? ""));
  if (own.length > 0 && other?.isThere)
    throwOtherFile(path, name, other.path, `Remove them there: ${formatWith("thv down", other.path)}`);
  if (own.length === 0) {
    printOutcome(input, context, []);
    context.terminal.info(`No server from ${path} exists.`);
    return;
  }
  const { format, force, timeout } = input;
  const positionals = own.map((workload) => workload.name);
  await removeWorkloads({ all: false, positionals, format, force, timeout, yes: true }, context);
};

interface Identity {
  readonly path: string;
  readonly label: string;
  readonly name?: string | undefined;
}

/** A project at an image registry is not asked for: its label follows from its name. */
async function identify(input: Input<typeof DOWN>): Promise<Identity> {
  assertOneSource(input);
  const [given] = input.positionals;
  if (given !== undefined) {
    const reference = parseSharedReference(given);
    return { path: reference.repository, label: formatSharedLabel(reference) };
  }
  // The last one is the project's own.
  const path = await resolveProjectPath(input.file.at(-1) ?? "thv.yaml");
  const name = await readName(input.file, path);
  return { path, name, label: formatProjectLabel(path, name) };
}

/** The command also works when the file is gone or wrong: then the records say which servers it has made. */
async function readName(files: readonly string[], path: string): Promise<string | undefined> {
  const project = await openProject(files).catch(() => undefined);
  if (project) return project.name;
  const text = await readBoundedText(path).catch(() => "");
  return inspectProject(text, path).project.name;
}
