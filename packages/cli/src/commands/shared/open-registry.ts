/** The registry for a command: the command reads it itself, so that no supervisor is started. */
import { resolve } from "node:path";
import {
  ConfigFile,
  DEFAULT_SOURCE,
  type Registry,
  RegistryCache,
  RegistryCatalog,
  type RegistryCatalogOptions,
  type SourceState,
} from "@toolhive/core";
import { resolveDirectories } from "@toolhive/core/directories";
import type { CommandContext } from "../../command-line/command.ts";
import { showLine } from "../../terminal/shown-text.ts";

/** The settings; a problem that may be ignored becomes a warning when they are read. */
export function openConfig(context: CommandContext): ConfigFile {
  const { config } = resolveDirectories({ env: context.env });
  return new ConfigFile(config, { onWarning: (warning) => warn(warning, context) });
}

/** The registry in use, opened and not read yet. */
export function openRegistry(context: CommandContext): RegistryCatalog {
  const config = openConfig(context);
  return openCatalog(context, () => config.load(), {
    updateConfig: (change) => config.update((current) => ({ ...current, ...change(current) })),
  });
}

/**
 * Reads all sources, or one; prints a notice of each that is an old copy, and of each that cannot be read.
 *
 * @throws {ThvError} Why it cannot be read, when none can; `REGISTRY_NOT_FOUND` for a source that is not there.
 */
export async function loadSources(
  context: CommandContext,
  only?: string,
  catalog: RegistryCatalog = openRegistry(context),
): Promise<SourceState[]> {
  const all = await catalog.loadAll();
  if (only !== undefined && !all.some(({ name }) => name === only)) await catalog.load(only);
  const states = only === undefined ? all : all.filter(({ name }) => name === only);
  const [first] = states;
  if (first?.problem && states.every(({ problem }) => problem !== undefined)) throw first.problem;
  for (const { name, problem, loaded } of states) {
    const reason = problem?.message ?? loaded?.staleReason;
    const owner = name === DEFAULT_SOURCE ? "" : `Source "${name}": `;
    if (reason !== undefined) warn(`${owner}${reason}`, context);
  }
  return states;
}

/** The month of a list: the one that comes with thv is marked, because it is not refreshed. */
export function describeDate({ type, last_updated: date }: { readonly type: string; readonly last_updated: string }) {
  const at = new Date(date);
  const isKnown = !Number.isNaN(at.getTime()) && at.getTime() > 0;
  const month = isKnown ? new Intl.DateTimeFormat("en", { dateStyle: "long", timeZone: "UTC" }).format(at) : "-";
  return type === "default" ? `bundled, ${month.replace(/ \d+,/, "")}` : month;
}

/** Names the list that comes with thv, with its age: it is not refreshed. */
export function noteBundled(states: readonly SourceState[], { terminal }: CommandContext): void {
  const bundled = states.find(({ loaded }) => loaded?.source.kind === "embedded");
  if (!bundled?.loaded) return;
  const date = describeDate({ type: "default", last_updated: bundled.loaded.registry.lastUpdated });
  terminal.info(`Registry: ${date}. For a list of today: thv config set-registry-url URL`);
}

/** One line, however many there are. */
export function warnOfSkipped({ skipped }: Pick<Registry, "skipped">, context: CommandContext): void {
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

export function warn(text: string, { terminal }: CommandContext): void {
  terminal.info(`${terminal.err("yellow", "Warning:")} ${text}`);
}

export function openCatalog(
  { env }: CommandContext,
  loadConfig: RegistryCatalogOptions["loadConfig"],
  options: Pick<RegistryCatalogOptions, "isOffline" | "updateConfig"> = {},
): RegistryCatalog {
  const quiet = () => undefined;
  // The result contains the log's messages about the registry, too.
  const log = { error: quiet, warn: quiet, info: quiet, debug: quiet };
  const cache = new RegistryCache(resolveDirectories({ env }).state);
  return new RegistryCatalog({ loadConfig, cache, log, ...options });
}

/** Entries that are named, and characters of them. */
const MAX_NAMED = 5;
const MAX_SHOWN = 500;

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

/** @returns Of a registry that was read: `1 server`, `12 servers`. */
export function countServers({ servers, remoteServers }: Registry): string {
  const count = servers.length + remoteServers.length;
  return count === 1 ? "1 server" : `${count} servers`;
}

/** What somebody who chose a registry should know of it. */
export function reportChosen(registry: Registry, allowsPrivate: boolean, context: CommandContext): void {
  warnOfSkipped(registry, context);
  reportFolders(registry, context);
  if (allowsPrivate) context.terminal.info("Addresses of this machine and of private networks are allowed for it.");
}

/** A path is kept in full: another command is called in another directory. */
export function resolveLocation(location: string): string {
  return /^[a-z][a-z0-9+.-]+:/i.test(location) ? location : resolve(location);
}
