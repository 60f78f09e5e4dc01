/** `thv k8s import`: a server of a manifest as a workload of this machine, or all of them as a project file. */
import { describeLeftOut, formatProject } from "@toolhive/core";
import { ThvError } from "@toolhive/core/errors";
import type { JsonObject } from "@toolhive/operator/contract";
import { parseManifest, readManifest, readManifestSet } from "@toolhive/operator/manifest";
import type { CommandContext, CommandHandler } from "../../command-line/command.ts";
import type { Input } from "../../command-line/input.ts";
import { readTextFile } from "../../terminal/input.ts";
import { showLine } from "../../terminal/shown-text.ts";
import { printOutcome } from "../print-outcome.ts";
import { formatUp, resolveProjectPath } from "../project/source/project-files.ts";
import { writeNewProject } from "../project/source/write-project.ts";
import { runRequest } from "../run/run.ts";
import { readAll, readNamed } from "./cluster-objects.ts";
import type { K8S_IMPORT } from "./definition.ts";

export const importServer: CommandHandler<typeof K8S_IMPORT> = async (input, context) => {
  const { terminal } = context;
  assertUsage(input);
  const { objects, what, source } = await readSource(input, context);
  if (input.file !== undefined) return await writeSet(objects, { what, file: input.file }, input, context);
  const { request, notes } = readManifest(objects, what);
  const body = { ...request, ...(input.name !== undefined && { name: input.name }) };
  for (const note of notes) terminal.info(showLine(note));
  if (input.dryRun) terminal.print(JSON.stringify(body, null, 2));
  else {
    const file = { source: what, command: `thv k8s import ${source} --yes` };
    await runRequest(body, { format: input.format, foreground: false }, context, { file, isAllowed: input.yes });
  }
};

/** @throws {ThvError} `USAGE`. */
function assertUsage({ positionals: [source], all, file, name, force }: Input<typeof K8S_IMPORT>): void {
  const refuse = (problem: string) => new ThvError("USAGE", problem, { hint: "See: thv k8s import --help" });
  if (source === undefined && !all) throw refuse("thv k8s import needs FILE_OR_NAME, or --all.");
  if (source !== undefined && all) throw refuse(`--all takes every server of a namespace, and not also ${source}.`);
  if (all && file === undefined) throw refuse("--all writes a project file: name it with --file.");
  if (name !== undefined && file !== undefined)
    throw refuse("--name is for one server that is run; change names in the project file.");
  if (force && file === undefined) throw refuse("--force replaces a project file, and there is no --file.");
}

interface Source {
  readonly objects: readonly JsonObject[];
  /** For messages. */
  readonly what: string;
  /** As it was given. */
  readonly source: string;
}

async function readSource(
  { positionals: [source], namespace }: Input<typeof K8S_IMPORT>,
  { terminal, signal }: CommandContext,
): Promise<Source> {
  if (source === undefined) {
    const what = namespace === undefined ? "The namespace" : `Namespace ${namespace}`;
    return { objects: await readAll(namespace, signal), what, source: "--all" };
  }
  const isFile = source === "-" || /\/|\.(ya?ml|json)$/.test(source);
  const what = source === "-" ? "Standard input" : source;
  if (!isFile) return { objects: await readNamed(source, namespace, signal), what, source };
  if (namespace === undefined)
    return { objects: parseManifest(await readTextFile(source, terminal), what), what, source };
  throw new ThvError("USAGE", `--namespace says where ${source} is on the cluster, and ${source} is a file.`, {
    hint: "See: thv k8s import --help",
  });
}

/** Everything that can be a server or group of this machine, in one file; everything else is named. */
async function writeSet(
  objects: readonly JsonObject[],
  { what, file }: { readonly what: string; readonly file: string },
  input: Input<typeof K8S_IMPORT>,
  context: CommandContext,
): Promise<void> {
  const { terminal } = context;
  const { set, leftOut: damaged, notes } = readManifestSet(objects, what);
  const { text, servers, groups, secrets, leftOut } = formatProject(set, damaged);
  if (servers.length === 0) {
    const reasons = leftOut.map((each) => showLine(describeLeftOut(each))).join("; ");
    throw new ThvError("INVALID_ARGUMENT", `${what} has no server that this machine can run. ${reasons}`, {
      hint: "Correct a copy of the manifest: thv docs manifests",
    });
  }
  const path = await resolveProjectPath(file);
  if (input.dryRun) terminal.print(text.trimEnd());
  else {
    await writeNewProject(path, text, input.force);
    const outcome = { file: path, servers, groups, secrets, left_out: leftOut, notes };
    printOutcome(input, context, outcome, `${path} lists ${servers.join(", ")}.`);
  }
  for (const note of notes) terminal.info(showLine(note));
  for (const each of leftOut) terminal.info(`Left out: ${showLine(describeLeftOut(each))}.`);
  if (secrets.length > 0) terminal.info("Store these secrets, whose values are on the cluster:");
  for (const secret of secrets) terminal.info(`  thv secret set ${secret}`);
  if (!input.dryRun) terminal.info(`Review the file, then start its servers: ${formatUp(file)}`);
}
