/** Names that completion offers: read from files, or asked of a supervisor that runs already. Nothing is started or fetched. */
import { readdir } from "node:fs/promises";
import { ApiClient } from "@toolhive/api/client";
import { startTimeout } from "@toolhive/core/timeout-signal";
import type { CommandContext } from "../command-line/command.ts";
import type { CompletionSource } from "../command-line/flag.ts";
import { followSocket, supervisorFiles } from "../supervisor/supervisor-files.ts";
import type { AskSource, Candidate } from "./candidates.ts";

/** Milliseconds that a supervisor has to answer: a key press waits for it. */
const ANSWER_TIMEOUT_MS = 500;

type Lookup = (context: CommandContext) => Promise<readonly Candidate[]>;

const LOOKUPS: Partial<Record<CompletionSource, Lookup>> = {
  workload: listWorkloads,
  "workload-or-group": listWorkloadsAndGroups,
  "registry-server": listRegistryServers,
  "registry-source": listRegistrySources,
  client: listClients,
  group: listGroups,
  secret: listSecrets,
};

/** @returns Nothing when a source cannot be read: completion is silent. */
export function askSources(context: CommandContext): AskSource {
  return async (source) => {
    try {
      return (await LOOKUPS[source]?.(context)) ?? [];
    } catch {
      // A missing file, a locked store, damaged settings: the command itself reports it, completion does not.
      return [];
    }
  };
}

/** Every saved server, running or not. */
async function listWorkloads({ env }: CommandContext): Promise<Candidate[]> {
  const files = await readdir(supervisorFiles(env).runConfigs);
  return files
    .filter((file) => file.endsWith(".json"))
    .map((file) => ({ value: file.slice(0, -".json".length) }))
    .sort((left, right) => (left.value < right.value ? -1 : 1));
}

/** Groups are known while a supervisor runs. */
async function listWorkloadsAndGroups(context: CommandContext): Promise<Candidate[]> {
  const [workloads, groups] = await Promise.all([
    listWorkloads(context).catch(() => []),
    listGroups(context).catch(() => []),
  ]);
  const names = new Set(workloads.map(({ value }) => value));
  const others = groups.filter(({ value }) => !names.has(value));
  return [...workloads, ...others.map(({ value }) => ({ value, description: "a group" }))];
}

/** Of registries on the web, the copies on disk, whatever their age. */
async function listRegistryServers(context: CommandContext): Promise<Candidate[]> {
  const { joinSources } = await import("@toolhive/core");
  const { openCatalog, openConfig } = await import("../commands/shared/open-registry.ts");
  const settings = await openConfig(context).load();
  const states = await openCatalog(context, async () => settings, { isOffline: true }).loadAll();
  const entries = joinSources(states).map(({ entry, reference }) => ({ ...entry, name: reference }));
  const olderVersions = states.flatMap(({ name, loaded }) =>
    (loaded?.registry.olderVersions ?? []).map((entry) => ({
      ...entry,
      name: name === "default" ? entry.name : `${name}/${entry.name}`,
    })),
  );
  const withOlder = new Set(olderVersions.map(({ name }) => name));
  const versions = [...entries.filter(({ name }) => withOlder.has(name)), ...olderVersions];
  return [
    ...entries.map(({ name, description }) => ({ value: name, description })),
    ...versions.map(({ name, version, description }) => ({ value: `${name}@${version}`, description })),
  ];
}

async function listRegistrySources(context: CommandContext): Promise<Candidate[]> {
  const { openConfig } = await import("../commands/shared/open-registry.ts");
  const { registry_sources: sources = [] } = await openConfig(context).load();
  return sources.map(({ name, url }) => ({ value: name, description: url }));
}

async function listClients(): Promise<Candidate[]> {
  const { CLIENTS } = await import("@toolhive/core");
  return CLIENTS.map(({ id, name }) => ({ value: id, description: name }));
}

async function listGroups({ env, signal }: CommandContext): Promise<Candidate[]> {
  const client = new ApiClient(followSocket(supervisorFiles(env)));
  const { groups } = await client.call("listGroups", {
    signal: AbortSignal.any([signal, startTimeout(ANSWER_TIMEOUT_MS)]),
  });
  return groups.map(({ name }) => ({ value: name }));
}

/** Their names are encrypted too, so only a supervisor that has the password can list them. */
async function listSecrets({ env, signal }: CommandContext): Promise<Candidate[]> {
  const client = new ApiClient(followSocket(supervisorFiles(env)));
  const { keys } = await client.call("listSecrets", {
    signal: AbortSignal.any([signal, startTimeout(ANSWER_TIMEOUT_MS)]),
  });
  return keys.map(({ key, description }) => ({ value: key, ...(description && { description }) }));
}
