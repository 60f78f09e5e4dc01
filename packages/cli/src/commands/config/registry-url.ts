/** `thv config get-registry-url`, `set-registry-url`, `unset-registry-url` */
import { ThvError } from "@toolhive/core";
import type { CommandHandler } from "../../command-line/command.ts";
import { printOutcome } from "../print-outcome.ts";
import { countServers, openConfig, openRegistry, reportChosen, resolveLocation } from "../shared/open-registry.ts";
import type { CONFIG_GET_REGISTRY_URL, CONFIG_SET_REGISTRY_URL, CONFIG_UNSET_REGISTRY_URL } from "./definition.ts";

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
    registry_url: resolveLocation(location),
    allow_private_registry_ip: input.allowPrivateIp,
  };
  const { registry } = await openRegistry(context).choose(settings);
  printOutcome(input, context, settings, `The registry is ${settings.registry_url} (${countServers(registry)}).`);
  reportChosen(registry, input.allowPrivateIp, context);
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
