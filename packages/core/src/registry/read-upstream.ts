/** Reads a registry in the form of the official one: a `server.json`, a list of them, a file of them, or a page of its API. */
import { toRecord } from "@toolhive/http/values";
import { readServerJson } from "./read-server-json.ts";
import {
  isRemoteServer,
  MAX_ENTRIES,
  MAX_REASON_LENGTH,
  MAX_SKIPPED,
  MAX_VERSIONS,
  type Registry,
  type RegistryEntry,
  type RegistryGroup,
  type RegistryRemoteServer,
  type RegistryServer,
  type SkippedEntry,
} from "./registry-schema.ts";

interface Found {
  readonly servers: readonly unknown[];
  readonly groups: readonly unknown[];
  readonly version?: unknown;
  readonly lastUpdated?: unknown;
}

/** `undefined` when the value has another form. */
export function findUpstream(value: unknown): Found | undefined {
  if (Array.isArray(value)) return { servers: value, groups: [] };
  if (typeof value !== "object" || value === null) return undefined;
  const { servers, data, version, meta, metadata, server, name } = value as Record<string, unknown>;
  if (typeof data === "object" && data !== null && "servers" in data && Array.isArray(data.servers)) {
    const groups = "groups" in data && Array.isArray(data.groups) ? data.groups : [];
    const lastUpdated = typeof meta === "object" && meta !== null && "last_updated" in meta && meta.last_updated;
    return { servers: data.servers, groups, version, lastUpdated };
  }
  // An empty list does not show its form; a page of an API has this member, too.
  if (Array.isArray(servers) && (servers.length > 0 || metadata)) return { servers, groups: [] };
  if (typeof server === "object" && server !== null) return { servers: [value], groups: [] };
  if (typeof name === "string" && name.includes("/")) return { servers: [value], groups: [] };
  return undefined;
}

/** A damaged entry is omitted with its reason; the others are read. */
export function readUpstream({ servers, groups, version, lastUpdated }: Found): Registry {
  const skipped: SkippedEntry[] = [];
  const entries = readEntries(servers, skipped);
  const isDate = typeof lastUpdated === "string" && !Number.isNaN(Date.parse(lastUpdated));
  return {
    version: typeof version === "string" && /^\d+\.\d+\.\d+$/.test(version) ? version : "1.0.0",
    lastUpdated: isDate ? lastUpdated : findNewestDate(servers),
    ...entries,
    groups: groups.flatMap((group) => readGroup(group, skipped) ?? []),
    skipped,
  };
}

type Entries = Pick<Registry, "servers" | "remoteServers" | "olderVersions">;

function readEntries(values: readonly unknown[], skipped: SkippedEntry[]): Entries {
  const byName = new Map<string, { entry: RegistryEntry; isLatest: boolean }[]>();
  for (const value of values.slice(0, MAX_ENTRIES)) {
    const { name, entry, reason = "", isLatest = false } = readServerJson(value);
    if (!entry) {
      // Finding each mistake takes time, and further ones are not shown.
      if (skipped.length >= MAX_SKIPPED) break;
      skipped.push({ name, reason: reason.slice(0, MAX_REASON_LENGTH) });
      continue;
    }
    const known = byName.get(name);
    if (known) known.push({ entry, isLatest });
    else byName.set(name, [{ entry, isLatest }]);
  }
  if (values.length > MAX_ENTRIES) {
    const reason = `the registry has ${values.length} entries, of which the first ${MAX_ENTRIES} are read`;
    skipped.push({ name: "further entries", reason });
  }
  const newest: RegistryEntry[] = [];
  const olderVersions: RegistryEntry[] = [];
  for (const [name, versions] of [...byName].sort(([left], [right]) => (left < right ? -1 : 1))) {
    versions.sort(
      (left, right) =>
        Number(right.isLatest) - Number(left.isLatest) ||
        compareEntryVersions(right.entry.version ?? "", left.entry.version ?? ""),
    );
    const distinct = versions.filter(
      ({ entry }, index) => index === 0 || entry.version !== versions[index - 1]?.entry.version,
    );
    if (distinct.length < versions.length) skipped.push({ name, reason: "it is listed twice with the same version" });
    if (distinct.length > MAX_VERSIONS) {
      skipped.push({
        name,
        reason: `it has ${distinct.length} versions, of which the newest ${MAX_VERSIONS} are read`,
      });
    }
    const [first, ...older] = distinct.slice(0, MAX_VERSIONS);
    if (first) newest.push(first.entry);
    olderVersions.push(...older.map(({ entry }) => entry));
  }
  return { ...splitEntries(newest), olderVersions };
}

function splitEntries(entries: readonly RegistryEntry[]) {
  const remoteServers: RegistryRemoteServer[] = [];
  const servers: RegistryServer[] = [];
  for (const entry of entries) {
    if (isRemoteServer(entry)) remoteServers.push(entry);
    else servers.push(entry);
  }
  return { servers, remoteServers };
}

function readGroup(value: unknown, skipped: SkippedEntry[]): RegistryGroup | undefined {
  const { name, description, servers } = toRecord(value);
  if (typeof name !== "string" || typeof description !== "string" || !Array.isArray(servers)) {
    const reason = "a group has a name, a description and a list of servers";
    skipped.push({ name: typeof name === "string" ? name : "a group without a name", reason });
    return undefined;
  }
  const read = readEntries(servers, skipped);
  return { name, description, servers: read.servers, remoteServers: read.remoteServers };
}

/** The newest date of the entries: the API has no date for the whole registry. */
function findNewestDate(values: readonly unknown[]): string {
  let newest = "1970-01-01T00:00:00Z";
  for (const value of values) {
    const meta = (value as { _meta?: Record<string, { updatedAt?: unknown; publishedAt?: unknown }> } | null)?._meta;
    for (const each of Object.values(meta ?? {})) {
      const date = each?.updatedAt ?? each?.publishedAt;
      if (typeof date === "string" && Date.parse(date) > Date.parse(newest)) newest = date;
    }
  }
  return newest;
}

/** By semantic versioning as far as they follow it: https://semver.org/#spec-item-11. Positive when the first is newer. */
export function compareEntryVersions(left: string, right: string): number {
  const [one, other] = [splitVersion(left), splitVersion(right)];
  return (
    compareParts(one.numbers, other.numbers) ||
    // A release is newer than its pre-releases.
    Number(other.pre.length > 0) - Number(one.pre.length > 0) ||
    compareParts(one.pre, other.pre)
  );
}

function splitVersion(version: string) {
  const [plain = ""] = version.replace(/^v(?=\d)/, "").split("+", 1);
  const at = plain.indexOf("-");
  return {
    numbers: (at === -1 ? plain : plain.slice(0, at)).split("."),
    pre: at === -1 ? [] : plain.slice(at + 1).split("."),
  };
}

function compareParts(left: readonly string[], right: readonly string[]): number {
  for (let index = 0; index < Math.max(left.length, right.length); index++) {
    const difference = comparePart(left[index], right[index]);
    if (difference !== 0) return difference;
  }
  return 0;
}

function comparePart(left: string | undefined, right: string | undefined): number {
  if (left === right) return 0;
  if (left === undefined) return -1;
  if (right === undefined) return 1;
  const areNumbers = [/^\d{1,15}$/.test(left), /^\d{1,15}$/.test(right)] as const;
  if (areNumbers[0] && areNumbers[1]) return Number(left) - Number(right);
  if (areNumbers[0] !== areNumbers[1]) return areNumbers[0] ? -1 : 1;
  return left < right ? -1 : 1;
}
