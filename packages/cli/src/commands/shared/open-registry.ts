/** The registry for a command: the command reads it itself, so that no supervisor is started. */
import {
  ConfigFile,
  type LoadedRegistry,
  type Registry,
  RegistryCache,
  RegistryCatalog,
  type RegistryCatalogOptions,
} from "@toolhive/core";
import { resolveDirectories } from "@toolhive/core/directories";
import type { CommandContext } from "../../command-line/command.ts";

/** The settings; a problem that may be ignored becomes a warning when they are read. */
export function openConfig(context: CommandContext): ConfigFile {
  const { config } = resolveDirectories({ env: context.env });
  return new ConfigFile(config, { onWarning: (warning) => warn(warning, context) });
}

/** For a command whose supervisor reads the settings: what is ignored of them is a warning here, too. */
export async function warnOfSettings(context: CommandContext): Promise<void> {
  // Settings that cannot be used at all are the supervisor's to refuse.
  await openConfig(context)
    .load()
    .catch(() => undefined);
}

/** The registry in use, opened and not read yet. */
export function openRegistry(context: CommandContext): RegistryCatalog {
  const config = openConfig(context);
  return openCatalog(context, () => config.load());
}

/** Reads the registry in use; prints a notice when that is an old copy. */
export async function loadRegistry(
  context: CommandContext,
  catalog: RegistryCatalog = openRegistry(context),
): Promise<LoadedRegistry> {
  const loaded = await catalog.load();
  if (loaded.staleReason !== undefined) warn(loaded.staleReason, context);
  return loaded;
}

/** One line, however many there are. */
export function warnOfSkipped({ skipped }: Registry, context: CommandContext): void {
  const [first] = skipped;
  if (!first) return;
  const count = skipped.length === 1 ? "1 entry" : `${skipped.length} entries`;
  const reason = first.reason.length > MAX_REASON ? `${first.reason.slice(0, MAX_REASON - 3)}...` : first.reason;
  const name = skipped.length === 1 ? first.name : `for example ${first.name}`;
  warn(
    `${count} of the registry cannot be used, ${name}: ${reason.replace(/\.$/, "")}. See: thv registry list --skipped`,
    context,
  );
}

/** Characters of a reason in a warning. */
const MAX_REASON = 200;

function warn(text: string, { terminal }: CommandContext): void {
  terminal.info(`${terminal.err("yellow", "Warning:")} ${text}`);
}

export function openCatalog(
  { env }: CommandContext,
  loadConfig: RegistryCatalogOptions["loadConfig"],
  options: Pick<RegistryCatalogOptions, "refreshAfterMs" | "saveConfig"> = {},
): RegistryCatalog {
  const quiet = () => undefined;
  // The result contains the log's messages about the registry, too.
  const log = { error: quiet, warn: quiet, info: quiet, debug: quiet };
  const cache = new RegistryCache(resolveDirectories({ env }).state);
  return new RegistryCatalog({ loadConfig, cache, log, ...options });
}
