/** `thv config get-registry-url`, `set-registry-url`, `unset-registry-url` */
import { resolve } from "node:path";
import { type Registry, type RegistrySettings, ThvError } from "@toolhive/core";
import type { CommandContext, CommandHandler } from "../../command-line/command.ts";
import { showLine } from "../../terminal/shown-text.ts";
import { printOutcome } from "../print-outcome.ts";
import { openCatalog, openConfig, warnOfSkipped } from "../shared/open-registry.ts";
import type { CONFIG_GET_REGISTRY_URL, CONFIG_SET_REGISTRY_URL, CONFIG_UNSET_REGISTRY_URL } from "./definition.ts";

/** Entries that are named, and characters of them. */
const MAX_NAMED = 5;
const MAX_SHOWN = 500;

const NOT_CONFIGURED = "No registry is configured; the one that comes with thv is used.";

export const getRegistryUrl: CommandHandler<typeof CONFIG_GET_REGISTRY_URL> = async (input, context) => {
  const { registry_url, allow_private_registry_ip } = await openConfig(context).load();
  if (input.format === "json") {
    context.terminal.printJson({ registry_url, allow_private_registry_ip });
  } else if (registry_url === "") context.terminal.info(NOT_CONFIGURED);
  else context.terminal.print(registry_url);
};

export const setRegistryUrl: CommandHandler<typeof CONFIG_SET_REGISTRY_URL> = async (input, context) => {
  const [location] = input.positionals;
  if (location.trim() === "") {
    throw new ThvError("USAGE", "The address of the registry is empty.", {
      hint: "For the built-in registry: thv config unset-registry-url",
    });
  }
  const settings = {
    registry_url: absolute(location),
    allow_private_registry_ip: input.allowPrivateIp,
  };
  const config = openConfig(context);
  const saveConfig = (chosen: RegistrySettings) => config.update((current) => ({ ...current, ...chosen }));
  const { registry } = await openCatalog(context, () => config.load(), { saveConfig }).choose(settings);
  const count = registry.servers.length + registry.remoteServers.length;
  const servers = count === 1 ? "1 server" : `${count} servers`;
  printOutcome(input, context, settings, `The registry is ${settings.registry_url} (${servers}).`);
  warnOfSkipped(registry, context);
  reportFolders(registry, context);
  if (settings.allow_private_registry_ip) {
    context.terminal.info("Addresses of this machine and of private networks are allowed for it.");
  }
};

export const unsetRegistryUrl: CommandHandler<typeof CONFIG_UNSET_REGISTRY_URL> = async (input, context) => {
  const config = openConfig(context);
  const { registry_url, allow_private_registry_ip } = await config.load();
  if (registry_url === "") {
    context.terminal.info(NOT_CONFIGURED);
    printOutcome(input, context, { registry_url, allow_private_registry_ip });
    return;
  }
  // What was allowed was allowed for that registry.
  const settings = { registry_url: "", allow_private_registry_ip: false };
  await config.update((current) => ({ ...current, ...settings }));
  printOutcome(input, context, settings, "The registry that comes with thv is used again.");
  const flag = allow_private_registry_ip ? " --allow-private-ip" : "";
  context.terminal.info(`To undo it: thv config set-registry-url ${registry_url}${flag}`);
};

/** Entries that would get folders of this machine: `thv run` of such a name gives them. */
function reportFolders({ servers }: Registry, { terminal }: CommandContext): void {
  const asking = servers.flatMap(({ name, permissions: { read = [], write = [] } = {} }) =>
    read.length + write.length > 0 ? [`${name} (${[...read, ...write].join(", ")})`] : [],
  );
  if (asking.length === 0) return;
  const more = asking.length > MAX_NAMED ? `, and ${asking.length - MAX_NAMED} more` : "";
  const names = `${showLine(asking.slice(0, MAX_NAMED).join(", ")).slice(0, MAX_SHOWN)}${more}`;
  terminal.info(`Its entries ask for folders of this machine: ${names}. Look at one: thv registry info NAME`);
}

/** A path is kept in full: another command is called in another directory. */
function absolute(location: string): string {
  return /^[a-z][a-z0-9+.-]+:/i.test(location) ? location : resolve(location);
}
