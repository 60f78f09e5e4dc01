/** `thv registry source add`, `list` and `remove` */
import { readdir } from "node:fs/promises";
import { stateBody } from "@toolhive/api/registry-info";
import { RunConfigStore } from "@toolhive/core";
import type { CommandContext, CommandHandler } from "../../command-line/command.ts";
import { supervisorFiles } from "../../supervisor/supervisor-files.ts";
import { printTable } from "../../terminal/table.ts";
import { printOutcome } from "../print-outcome.ts";
import { countServers, describeDate, openRegistry, reportChosen, resolveLocation } from "../shared/open-registry.ts";
import type { SOURCE_ADD, SOURCE_LIST, SOURCE_REMOVE } from "./definition.ts";

export const sourceAdd: CommandHandler<typeof SOURCE_ADD> = async (input, context) => {
  const [name, location] = input.positionals;
  const setting = {
    name,
    url: resolveLocation(location),
    ...(input.allowPrivateIp && { allow_private_ip: true }),
  };
  const { registry } = await openRegistry(context).addSource(setting, { usedImages: await listImages(context) });
  printOutcome(input, context, setting, `The registry source "${name}" is ${setting.url} (${countServers(registry)}).`);
  reportChosen(registry, input.allowPrivateIp, context);
};

export const sourceList: CommandHandler<typeof SOURCE_LIST> = async (input, context) => {
  const states = (await openRegistry(context).loadAll()).map(stateBody);
  if (input.format === "json") {
    context.terminal.printJson(states);
    return;
  }
  const rows = states.map((state) => [
    state.name,
    state.problem === undefined ? String(state.server_count) : "-",
    state.problem === undefined ? describeDate(state) : "-",
    state.checked_at ?? "-",
    state.source,
  ]);
  printTable({ header: ["NAME", "SERVERS", "LIST OF", "LAST READ", "FROM"], rows, cut: "FROM" }, context.terminal);
  for (const { name, problem, stale_reason: stale } of states) {
    const reason = problem ?? stale;
    if (reason !== undefined) context.terminal.info(`${context.terminal.err("yellow", "Warning:")} ${name}: ${reason}`);
  }
};

export const sourceRemove: CommandHandler<typeof SOURCE_REMOVE> = async (input, context) => {
  const [name] = input.positionals;
  const removed = await openRegistry(context).removeSource(name);
  printOutcome(input, context, removed, `The registry source "${name}" is removed.`);
  const flag = removed.allow_private_ip ? " --allow-private-ip" : "";
  context.terminal.info(`To undo it: thv registry source add ${name} ${removed.url}${flag}`);
};

/** Of the servers that exist, running or not: no source may take one of their names. */
async function listImages({ env }: CommandContext): Promise<string[]> {
  const { directories, runConfigs } = supervisorFiles(env);
  const store = new RunConfigStore(directories.state);
  const files = await readdir(runConfigs).catch(() => []);
  const configs = await Promise.all(
    files
      .filter((file) => file.endsWith(".json"))
      // A damaged one runs nothing.
      .map((file) => store.find(file.slice(0, -".json".length)).catch(() => undefined)),
  );
  return configs.flatMap((config) => config?.image ?? []);
}
