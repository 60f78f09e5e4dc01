/** A registry in the other form, and what that form has no place for. */
import { readRegistry } from "./parse-registry.ts";
import { findUpstream } from "./read-upstream.ts";
import { type Registry, type RegistryEntry, SERVER_NAME_PATTERN } from "./registry-schema.ts";
import { DEFAULT_VERSION, EXTENSION_KEY } from "./server-json-schema.ts";
import { type Loss, writeUpstream } from "./write-upstream.ts";

export const REGISTRY_FORMATS = ["upstream", "toolhive"] as const;
export type RegistryFormat = (typeof REGISTRY_FORMATS)[number];

export interface ConvertedRegistry {
  readonly value: object;
  readonly registry: Registry;
  readonly losses: readonly Loss[];
}

/** @throws {ThvError} `REGISTRY_INVALID` for a registry that cannot be read. */
export function convertRegistry(value: unknown, to: RegistryFormat, from: string): ConvertedRegistry {
  const registry = readRegistry(value, from);
  const losses: Loss[] = registry.skipped.map(({ name, reason }) => ({ name, what: `it is left out: ${reason}` }));
  for (const server of findUpstream(value)?.servers ?? []) losses.push(...listUnread(server));
  const written = to === "upstream" ? writeUpstream(registry, losses) : writeMap(registry, losses);
  return { value: written, registry, losses };
}

/** Of an entry with several ways to run it, one is read. */
function listUnread(value: unknown): Loss[] {
  const whole = value as { server?: unknown } | null;
  const server = (whole?.server ?? whole) as Record<string, unknown> | null;
  const { name, packages, remotes, icons, websiteUrl } = server ?? {};
  const count = (list: unknown) => (Array.isArray(list) ? list.length : 0);
  const further = count(packages) + count(remotes) - 1;
  const unread = [
    ...(further > 0 ? [`${further} further ${further === 1 ? "way" : "ways"} to run it`] : []),
    ...(count(icons) > 0 ? ["icons"] : []),
    ...(websiteUrl === undefined ? [] : ["websiteUrl"]),
  ];
  return unread.length === 0 ? [] : [{ name: String(name), what: `not kept: ${unread.join(", ")}` }];
}

function writeMap(registry: Registry, losses: Loss[]): object {
  const { version, lastUpdated, servers, remoteServers, groups, olderVersions } = registry;
  for (const { name, version: older } of olderVersions) {
    losses.push({ name, what: `version ${older} is left out: there each server is listed once` });
  }
  const top = writeSections(servers, remoteServers);
  return {
    version,
    last_updated: lastUpdated,
    ...top,
    ...(groups.length > 0 && {
      groups: groups.map((group) => ({
        name: group.name,
        description: group.description,
        ...writeSections(group.servers, group.remoteServers),
      })),
    }),
  };
}

function writeSections(servers: readonly RegistryEntry[], remoteServers: readonly RegistryEntry[]) {
  const taken = new Set<string>();
  const write = (entries: readonly RegistryEntry[]) =>
    Object.fromEntries(
      entries.map((entry) => {
        const key = chooseKey(entry.name, taken);
        taken.add(key);
        const { name, longName, version, ...rest } = entry;
        const long = longName ?? (name.includes("/") && name !== `${EXTENSION_KEY}/${key}` ? name : undefined);
        return [
          key,
          {
            ...(long !== undefined && { name: long }),
            ...rest,
            ...(version !== DEFAULT_VERSION && version && { version }),
          },
        ];
      }),
    );
  const local = write(servers);
  return { servers: local, ...(remoteServers.length > 0 && { remote_servers: write(remoteServers) }) };
}

const KEY = new RegExp(SERVER_NAME_PATTERN);

/** The last part of a long name, with more of it when that is taken. */
function chooseKey(name: string, taken: ReadonlySet<string>): string {
  const last = formatKey(name.slice(name.lastIndexOf("/") + 1));
  const candidates = [name, last, formatKey(name)];
  const found = candidates.find((each) => KEY.test(each) && !taken.has(each));
  if (found !== undefined) return found;
  for (let number = 2; ; number++) {
    const numbered = `${last}-${number}`;
    if (!taken.has(numbered)) return numbered;
  }
}

function formatKey(text: string): string {
  const key = text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");
  return key.length >= 3 ? key : `server-${key || "x"}`;
}
