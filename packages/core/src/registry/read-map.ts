/** Reads a registry in the form of our map. A damaged entry is omitted with its reason; the others are read. */
import { isRecord } from "@toolhive/http/values";
import { listProblems } from "../schemas/schema-problems.ts";
import { listSentences } from "../support/located-problem.ts";
import { listRegistryProblems } from "./map-problems.ts";
import {
  MAX_ENTRIES,
  MAX_SKIPPED,
  type Registry,
  type RegistryFile,
  RegistryFileSchema,
  type RegistryGroup,
  RegistryGroupSchema,
  type RegistryRemoteServer,
  type RegistryServer,
  type SkippedEntry,
} from "./registry-schema.ts";
import { LONG_NAME_PATTERN } from "./server-json-schema.ts";

/** `undefined` when the file as a whole is wrong, or no entry of it can be read. */
export function readMap(value: object): Registry | undefined {
  if (!("servers" in value) || listSentences(listProblems(RegistryFileSchema, { ...value, ...NO_ENTRIES })).length > 0)
    return undefined;
  const file = value as Unchecked;
  const skipped: SkippedEntry[] = [];
  const { servers, remoteServers } = readMembers(file, skipped);
  const groups = (Array.isArray(file.groups) ? file.groups : []).flatMap((group) => readGroup(group, skipped) ?? []);
  const isEmpty = servers.length === 0 && remoteServers.length === 0 && groups.length === 0;
  if (skipped.length > 0 && isEmpty) return undefined;
  const { version, last_updated: lastUpdated } = file;
  return { version, lastUpdated, servers, remoteServers, groups, olderVersions: [], skipped };
}

const NO_ENTRIES = { servers: {}, remote_servers: {}, groups: [] };

interface Unchecked extends Pick<RegistryFile, "version" | "last_updated"> {
  readonly servers?: unknown;
  readonly remote_servers?: unknown;
  readonly groups?: unknown;
}

type Sections = Pick<Unchecked, "servers" | "remote_servers">;

function readMembers(sections: Sections, skipped: SkippedEntry[]) {
  const servers = readSection<RegistryServer>("servers", sections.servers, skipped);
  const taken = new Set(servers.map(({ name }) => name));
  const remoteServers = readSection<RegistryRemoteServer>("remote_servers", sections.remote_servers, skipped).filter(
    ({ name }) => {
      if (!taken.has(name)) return true;
      skip(skipped, name, "remote_servers names it, and so does servers");
      return false;
    },
  );
  return { servers, remoteServers };
}

function readSection<T extends { readonly name: string }>(
  section: "servers" | "remote_servers",
  value: unknown,
  skipped: SkippedEntry[],
): T[] {
  if (value === undefined) return [];
  if (!isRecord(value)) {
    skip(skipped, section, `${section} is not an object`);
    return [];
  }
  const entries = Object.entries(value as Record<string, object>);
  if (entries.length > MAX_ENTRIES) {
    skip(skipped, section, `it has ${entries.length} entries, of which the first ${MAX_ENTRIES} are read`);
  }
  const read = entries.slice(0, MAX_ENTRIES);
  // Checking all of them at once is far cheaper, and most files are right.
  const isSound = listRegistryProblems({ ...FRAME, [section]: Object.fromEntries(read) }).length === 0;
  return read
    .filter(([name, entry]) => {
      if (isSound) return true;
      // A file with so many mistakes is of the wrong kind, and finding each takes time.
      if (skipped.length >= MAX_SKIPPED) return false;
      const problems = listRegistryProblems({ ...FRAME, [section]: { [name]: entry } });
      if (problems.length > 0) skip(skipped, name, problems.join("; "));
      return problems.length === 0;
    })
    .map(([name, entry]) => {
      const longName = "name" in entry && LONG_NAME.test(String(entry.name)) ? { longName: String(entry.name) } : {};
      return { ...entry, ...longName, name } as unknown as T;
    })
    .sort((left, right) => (left.name < right.name ? -1 : 1));
}

const LONG_NAME = new RegExp(LONG_NAME_PATTERN);

/** A registry without entries. */
const FRAME = { version: "1.0.0", last_updated: "1970-01-01T00:00:00Z", servers: {} };

function readGroup(value: unknown, skipped: SkippedEntry[]): RegistryGroup | undefined {
  const group = (typeof value === "object" && value !== null ? value : {}) as Sections & Record<string, unknown>;
  const name = typeof group.name === "string" ? group.name : "a group without a name";
  const problems = listSentences(
    listProblems(
      RegistryGroupSchema,
      typeof value === "object" ? { ...group, servers: {}, remote_servers: {} } : value,
      { root: "the group" },
    ),
  );
  if (problems.length > 0) {
    skip(skipped, name, problems.join("; "));
    return undefined;
  }
  return { name, description: String(group.description), ...readMembers(group, skipped) };
}

function skip(skipped: SkippedEntry[], name: string, reason: string): void {
  skipped.push({ name, reason });
}
