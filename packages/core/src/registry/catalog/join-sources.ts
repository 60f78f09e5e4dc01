/** The entries of all sources in one list, each with the name by which it alone is meant. */
import { listEntries } from "../find-server.ts";
import type { Registry, RegistryEntry } from "../registry-schema.ts";
import type { SourceState } from "./registry-catalog.ts";

export interface JoinedEntry {
  readonly entry: RegistryEntry;
  /** Name of its source. */
  readonly source: string;
  /** What to run it by: its name, or `source/name` where the plain name is that of an entry in an earlier source. */
  readonly reference: string;
  /** Other sources that have an entry of this name. */
  readonly alsoIn: readonly string[];
}

/** Sorted by name; of one name in the order of the sources. */
export function joinSources(states: readonly SourceState[]): JoinedEntry[] {
  const names = states.map(({ loaded }) => (loaded ? readNames(loaded.registry) : undefined));
  return states
    .flatMap(({ name: source, loaded }, at) => {
      if (!loaded) return [];
      const isFirstUnread = names.slice(0, at).includes(undefined);
      return listEntries(loaded.registry).map((entry): JoinedEntry => {
        const isTaken = isFirstUnread || names.slice(0, at).some((each) => each?.has(entry.name));
        const alsoIn = states.filter((_, other) => other !== at && names[other]?.has(entry.name));
        return {
          entry,
          source,
          reference: isTaken ? `${source}/${entry.name}` : entry.name,
          alsoIn: alsoIn.map(({ name }) => name),
        };
      });
    })
    .map((joined, at) => ({ joined, at }))
    .sort((left, right) => compareTexts(left.joined.entry.name, right.joined.entry.name) || left.at - right.at)
    .map(({ joined }) => joined);
}

const known = new WeakMap<Registry, ReadonlySet<string>>();

/** Everything that finds an entry of it: whole names, long names, and last parts of long names. */
function readNames(registry: Registry): ReadonlySet<string> {
  const found = known.get(registry);
  if (found) return found;
  const names = new Set<string>();
  for (const { name, longName } of listEntries(registry)) {
    names.add(name);
    if (longName !== undefined) names.add(longName);
    if (name.includes("/")) names.add(name.slice(name.lastIndexOf("/") + 1));
  }
  known.set(registry, names);
  return names;
}

function compareTexts(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
