/** Which clients are registered and for which groups, as the settings file keeps it. */
import { isDeepStrictEqual } from "node:util";
import type { ConfigFile } from "../config/config-file.ts";
import { DEFAULT_GROUP } from "../groups/kept-groups.ts";

/** What the settings file knows about clients. */
export interface ClientSettings {
  read(): Promise<readonly string[]>;
  /** Replaces the list under the file's lock. */
  update(change: (registered: readonly string[]) => readonly string[]): Promise<void>;
  /** Groups of clients, by their ids. Those that are missing are in `default`. */
  readGroups(): Promise<ClientGroups>;
  updateGroups(change: (groups: ClientGroups) => ClientGroups): Promise<void>;
}

export type ClientGroups = Readonly<Record<string, readonly string[]>>;

/** The section of the settings file. */
export function createClientSettings(config: ConfigFile): ClientSettings {
  return {
    read: async () => (await config.load()).clients.registered_clients,
    update: async (change) => {
      await config.update((all) => ({
        ...all,
        clients: { ...all.clients, registered_clients: [...change(all.clients.registered_clients)] },
      }));
    },
    readGroups: async () => (await config.load()).clients.groups ?? {},
    updateGroups: async (change) => {
      const { groups: before = {} } = (await config.load()).clients;
      // Most clients are in no group, and their settings file stays as it is.
      if (isDeepStrictEqual(change(before), before)) return;
      await config.update((all) => {
        const { groups, ...clients } = all.clients;
        const next: Record<string, string[]> = {};
        for (const [id, names] of Object.entries(change(groups ?? {}))) next[id] = [...names];
        return { ...all, clients: { ...clients, ...(Object.keys(next).length > 0 && { groups: next }) } };
      });
    },
  };
}

export function listClientGroups(groups: ClientGroups, id: string): readonly string[] {
  return (Object.hasOwn(groups, id) ? groups[id] : undefined) ?? [DEFAULT_GROUP];
}

/** A client that is not registered yet joins this group alone. */
export async function joinGroup(settings: ClientSettings, ids: readonly string[], group: string): Promise<void> {
  const registered = await settings.read();
  await settings.updateGroups((now) => {
    const next: Record<string, readonly string[]> = { ...now };
    for (const id of ids)
      next[id] = [...new Set([...(registered.includes(id) ? listClientGroups(now, id) : []), group])];
    return dropDefaults(next);
  });
}

/** These clients are in no group and not registered any more. */
export async function forgetClients(settings: ClientSettings, ids: readonly string[]): Promise<void> {
  await settings.updateGroups((now) => Object.fromEntries(Object.entries(now).filter(([id]) => !ids.includes(id))));
  await settings.update((now) => now.filter((id) => !ids.includes(id)));
}

/** A client that is in `default` alone needs no word. */
function dropDefaults(groups: ClientGroups): ClientGroups {
  const isPlain = (names: readonly string[]) => names.length === 1 && names[0] === DEFAULT_GROUP;
  return Object.fromEntries(Object.entries(groups).filter(([, names]) => !isPlain(names)));
}
