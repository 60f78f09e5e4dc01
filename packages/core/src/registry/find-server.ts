/** Looks servers up by name, with or without a version, by image, and by a word. */
import { parseImageReference } from "../images/image-reference.ts";
import { ThvError } from "../support/errors.ts";
import { findNearest } from "../support/nearest.ts";
import { parseTarget } from "../target/target.ts";
import type { Registry, RegistryEntry, RegistryServer } from "./registry-schema.ts";

/** Candidates that an error names at most. */
const MAX_NAMED = 8;
/** All servers, wherever they run, by name. */
export function listEntries({ servers, remoteServers }: Pick<Registry, "servers" | "remoteServers">): RegistryEntry[] {
  return [...servers, ...remoteServers].sort((left, right) => (left.name < right.name ? -1 : 1));
}

/**
 * The server of this name, in the registry's list and then in its groups: whole names go first and are case-sensitive, then last parts of long names (`server` of
 * `io.github.owner/server`).
 *
 * @throws {ThvError} `INVALID_ARGUMENT` naming the candidates when a last part is that of several, `REGISTRY_SERVER_NOT_FOUND` when
 * the server has no such version.
 */
export function findEntry(registry: Registry, text: string): RegistryEntry | undefined {
  return findAmong(registry, listEntries(registry), text) ?? findAmong(registry, listGroupEntries(registry), text);
}

/** Servers that are in groups alone. */
function listGroupEntries({ groups }: Registry): RegistryEntry[] {
  return groups.flatMap(listEntries);
}

function findAmong(registry: Registry, entries: readonly RegistryEntry[], text: string): RegistryEntry | undefined {
  const whole = entries.find(({ name, longName }) => name === text || longName === text);
  if (whole) return whole;
  const { name, version } = splitReference(text);
  const newest = findByName(entries, name);
  if (!newest || version === undefined || newest.version === version) return newest;
  const versions = registry.olderVersions.filter((entry) => entry.name === newest.name);
  const chosen = versions.find((entry) => entry.version === version);
  if (chosen) return chosen;
  throw new ThvError("REGISTRY_SERVER_NOT_FOUND", `The registry has no version "${version}" of "${newest.name}".`, {
    hint: describeVersions([newest, ...versions]),
  });
}

/** @throws {ThvError} As `findEntry`, and `REGISTRY_SERVER_NOT_FOUND` when there is none. */
export function getEntry(registry: Registry, text: string): RegistryEntry {
  const entry = findEntry(registry, text);
  if (entry) return entry;
  const { name } = splitReference(text);
  const suggestion = findNearest(
    name,
    listEntries(registry).map((each) => each.name),
  );
  const skipped = registry.skipped.find((each) => each.name === name || getLastPart(each.name) === name);
  throw new ThvError("REGISTRY_SERVER_NOT_FOUND", `The registry has no server named "${name}".`, {
    hint: skipped
      ? `Its entry cannot be used: ${skipped.reason}`
      : suggestion
        ? `Did you mean: thv registry info ${suggestion}`
        : "See the available servers: thv registry list",
  });
}

function splitReference(text: string): { readonly name: string; readonly version: string | undefined } {
  const target = parseTarget(text);
  return target.kind === "entry" ? target : { name: text, version: undefined };
}

function findByName(entries: readonly RegistryEntry[], wanted: string): RegistryEntry | undefined {
  const exact = entries.find(({ name, longName }) => name === wanted || longName === wanted);
  if (exact || wanted.includes("/")) return exact;
  const [found, ...others] = entries.filter(({ name }) => name.includes("/") && getLastPart(name) === wanted);
  if (!found || others.length === 0) return found;
  const names = [found, ...others].map(({ name }) => name);
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : "";
  throw new ThvError("INVALID_ARGUMENT", `"${wanted}" is the name of ${names.length} servers of the registry.`, {
    hint: `Give the whole name: ${names.slice(0, MAX_NAMED).join(", ")}${more}`,
  });
}

function getLastPart(name: string): string {
  return name.slice(name.lastIndexOf("/") + 1);
}

function describeVersions(entries: readonly RegistryEntry[]): string {
  const versions = entries.flatMap(({ version }) => version ?? []);
  if (versions.length === 0) return "Its entry has no version: leave it out.";
  const more = versions.length > MAX_NAMED ? ` and ${versions.length - MAX_NAMED} older ones` : "";
  return `It has ${versions.slice(0, MAX_NAMED).join(", ")}${more}.`;
}

/** The server whose image is this one, whatever the tag and the digest of either. */
export function findServerByImage({ servers }: Pick<Registry, "servers">, image: string): RegistryServer | undefined {
  const repository = readRepository(image);
  return servers.find((server) => readRepository(server.image) === repository);
}

function readRepository(image: string): string {
  try {
    return parseImageReference(image).repository;
  } catch {
    // Nothing else is like it.
    return image;
  }
}

/** Servers whose name, description or tags hold the text, whatever its case; best match first, then by name. */
export function searchServers<T extends RegistryEntry>(servers: readonly T[], query: string): T[] {
  const wanted = query.trim().toLowerCase();
  return servers
    .map((server) => ({ server, rank: computeRank(server, wanted) }))
    .filter(({ rank }) => rank < Number.POSITIVE_INFINITY)
    .sort((left, right) => left.rank - right.rank || (left.server.name < right.server.name ? -1 : 1))
    .map(({ server }) => server);
}

function computeRank({ name, tags = [], description, title = "" }: RegistryEntry, wanted: string): number {
  const lower = name.toLowerCase();
  if (lower === wanted || getLastPart(lower) === wanted) return 0;
  if (lower.includes(wanted)) return 1;
  if (tags.includes(wanted)) return 2;
  if (tags.some((tag) => tag.includes(wanted))) return 3;
  return description.toLowerCase().includes(wanted) || title.toLowerCase().includes(wanted)
    ? 4
    : Number.POSITIVE_INFINITY;
}
