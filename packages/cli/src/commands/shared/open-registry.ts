/** The registry for a command: read here and not by the supervisor, so that looking at it starts nothing. */
import { ConfigFile, type LoadedRegistry, RegistryCache, RegistryCatalog } from "@toolhive/core";
import { resolveDirectories } from "@toolhive/core/directories";
import type { CommandContext } from "../../command-line/command.ts";

export function openConfig({ env }: CommandContext): ConfigFile {
  return new ConfigFile(resolveDirectories({ env }).config);
}

/** Reads the registry in use; says so when that is an old copy. */
export async function loadRegistry(context: CommandContext): Promise<LoadedRegistry> {
  const config = openConfig(context);
  const loaded = await openCatalog(context, () => config.load()).load();
  if (loaded.staleReason !== undefined) {
    const { terminal } = context;
    terminal.info(`${terminal.err("yellow", "Warning:")} ${loaded.staleReason}`);
  }
  return loaded;
}

/** @param refreshAfterMs Age from which on a copy is checked at its origin. Default: an hour. */
export function openCatalog(
  { env }: CommandContext,
  loadConfig: ConstructorParameters<typeof RegistryCatalog>[0]["loadConfig"],
  refreshAfterMs?: number,
): RegistryCatalog {
  const quiet = () => undefined;
  // What the log says of the registry, the result says too.
  const log = { error: quiet, warn: quiet, info: quiet, debug: quiet };
  const cache = new RegistryCache(resolveDirectories({ env }).state);
  return new RegistryCatalog({ loadConfig, cache, log, ...(refreshAfterMs !== undefined && { refreshAfterMs }) });
}
