/** Which entries of the registry are shown, the best matches first. */
import type { OperationAnswer } from "../../api/client.ts";

export type LocalEntry = OperationAnswer<"listServers">["servers"][number];
export type RemoteEntry = OperationAnswer<"listServers">["remote_servers"][number];
export type RegistryEntry = LocalEntry | RemoteEntry;

export function isRemoteEntry(entry: RegistryEntry): entry is RemoteEntry {
  return "url" in entry;
}

export interface EntryFilter {
  readonly text: string;
  /** Empty: any. */
  readonly tier: string;
  /** Empty: any. */
  readonly transport: string;
}

export function selectEntries(entries: readonly RegistryEntry[], filter: EntryFilter): RegistryEntry[] {
  const words = filter.text.toLowerCase().split(/\s+/).filter(Boolean);
  return entries
    .filter(({ tier, transport }) => (filter.tier || tier) === tier && (filter.transport || transport) === transport)
    .map((entry) => ({ entry, rank: rankEntry(entry, words) }))
    .filter(({ rank }) => rank > 0)
    .sort((a, b) => b.rank - a.rank || a.entry.name.localeCompare(b.entry.name))
    .map(({ entry }) => entry);
}

/** @returns 0 when a word is nowhere; more for a word in the name than for one in a tool or the description. */
function rankEntry({ name, description, tags = [], tools }: RegistryEntry, words: readonly string[]): number {
  const places = [name, `${tags.join(" ")} ${tools.join(" ")}`, description].map((text) => text.toLowerCase());
  const ranks = words.map((word) => {
    const place = places.findIndex((text) => text.includes(word));
    return place === -1 ? 0 : places.length - place;
  });
  return ranks.includes(0) ? 0 : 1 + ranks.reduce((sum, rank) => sum + rank, 0);
}
