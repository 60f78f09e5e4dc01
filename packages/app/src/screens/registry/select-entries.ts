/** Which entries of the registries are shown: those of the search, in its order, that the choices beside it allow. */
import type { OperationAnswer } from "../../api/client.ts";

export type Catalog = OperationAnswer<"listCatalog">;
export type CatalogEntry = Catalog["entries"][number];
export type Source = Catalog["sources"][number];
export type CatalogGroup = Catalog["groups"][number];
export type LocalEntry = NonNullable<CatalogEntry["server"]>;
export type RemoteEntry = NonNullable<CatalogEntry["remote_server"]>;

export interface EntryFilter {
  /** Each empty: any. */
  readonly source: string;
  readonly place: "" | "container" | "remote";
  readonly tier: string;
}

export const ANY_ENTRY: EntryFilter = { source: "", place: "", tier: "" };

/** What both kinds of entries have. @throws {Error} For an answer that no supervisor sends. */
export function readFacts({ server, remote_server: remote }: CatalogEntry): LocalEntry | RemoteEntry {
  const facts = server ?? remote;
  if (facts === undefined) throw new Error("An entry is either a server or a remote server.");
  return facts;
}

export function selectEntries(entries: readonly CatalogEntry[], filter: EntryFilter): CatalogEntry[] {
  return entries.filter((entry) => {
    const place = entry.server === undefined ? "remote" : "container";
    return (
      (filter.source || entry.source) === entry.source &&
      (filter.place || place) === place &&
      (filter.tier || readFacts(entry).tier) === readFacts(entry).tier
    );
  });
}

/** The list that comes with the program is marked: it is not refreshed. @returns For example `bundled, July 2025`. */
export function describeSourceDate({ type, last_updated: updated }: Pick<Source, "type" | "last_updated">): string {
  const date = new Date(updated);
  if (Number.isNaN(date.getTime()) || date.getTime() === 0) return "";
  const style: Intl.DateTimeFormatOptions =
    type === "default" ? { month: "long", year: "numeric" } : { dateStyle: "long" };
  const text = new Intl.DateTimeFormat("en", { ...style, timeZone: "UTC" }).format(date);
  return type === "default" ? `bundled, ${text}` : text;
}

/** Large numbers as `12.9K`. */
export function formatCount(count: number): string {
  return new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 }).format(count);
}
