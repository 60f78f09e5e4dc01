/** `thv export`: the configuration of a workload, to start the same one again. Read from disk, so that it starts nothing. */
import { toCreateRequest } from "@toolhive/api/exported-workload";
import { atomicWrite, type CreateRequest, RunConfigStore, ThvError } from "@toolhive/core";
import type { CommandHandler } from "../../command-line/command.ts";
import { supervisorFiles } from "../../supervisor/supervisor-files.ts";
import type { EXPORT } from "./definition.ts";
import { askBeforeReplacing } from "./export-file.ts";
import { exportSet } from "./export-set.ts";

export const exportWorkload: CommandHandler<typeof EXPORT> = async (input, context) => {
  if (input.all || input.group !== undefined) return await exportSet(input, context);
  const { terminal, env } = context;
  const [name, path] = input.positionals;
  if (name === undefined) {
    throw new ThvError("USAGE", "thv export needs NAME, --group or --all.", { hint: "See: thv export --help" });
  }
  if (input.projectName !== undefined) throw new ThvError("USAGE", "--project-name is for --all and --group.");
  const { state } = supervisorFiles(env).directories;
  const config = isFileName(name) ? await new RunConfigStore(state).find(name) : undefined;
  if (!config || config.desired_state === "removed") {
    throw new ThvError("WORKLOAD_NOT_FOUND", `There is no server "${name}".`, {
      hint: "See all servers: thv list --all",
    });
  }
  const request = toCreateRequest(config);
  const isManifest = input.format === "k8s";
  const text = isManifest ? await printForCluster(request) : JSON.stringify(request, null, 2);
  if (path === undefined || path === "-") terminal.print(text);
  else {
    await assertFile(path, new RunConfigStore(state));
    if (!input.force) await askBeforeReplacing(path, terminal);
    // Readable for its owner only, because of the variables.
    await atomicWrite(path, `${text}\n`);
    if (input.format === "json") terminal.printJson({ name, path });
    const next = isManifest ? `kubectl apply -f ${path}` : `thv run --from-config ${path}`;
    terminal.info(`Successfully exported run configuration of ${name} to ${path}. Start it from there: ${next}`);
  }
  const count = Object.keys(config.env_vars).length;
  if (count > 0) {
    const variables = count === 1 ? "variable" : "variables";
    terminal.info(`It holds ${count} ${variables} in plain text. What is secret belongs into thv secret set.`);
  }
};

async function printForCluster(request: CreateRequest): Promise<string> {
  const { createManifest, printManifest } = await import("@toolhive/operator/manifest");
  return printManifest(createManifest(request)).trimEnd();
}

/** Names come from the command line: none may lead out of the directory. */
function isFileName(name: string): boolean {
  return /^[a-zA-Z0-9._-]+$/.test(name);
}

/** Other commands take several servers: a second one is no file here. @throws {ThvError} `USAGE`. */
async function assertFile(path: string, configs: RunConfigStore): Promise<void> {
  if (!isFileName(path) || !(await configs.find(path))) return;
  throw new ThvError("USAGE", `thv export takes one server, and "${path}" is the name of another.`, {
    hint: `Export that one by itself: thv export ${path}. To write a file of that name: ./${path}`,
  });
}
