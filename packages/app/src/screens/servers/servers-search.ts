/** What the list of servers shows: kept in the address, so that a link shows the same. */
import { findShownStatus, needsAttention } from "../../parts/status-mark.tsx";
import type { Workload } from "../../store/live-store.ts";
import { compareNames } from "../../store/natural-order.ts";

export const SHOWN = ["all", "running", "attention"] as const;
export const SORTED = ["name", "status", "transport"] as const;

export interface ServersSearch {
  readonly q?: string;
  readonly show?: (typeof SHOWN)[number];
  readonly sort?: (typeof SORTED)[number];
  /** Name of the group whose servers are shown. */
  readonly group?: string;
  readonly down?: true;
}

/** Anything else in the address is omitted. */
export function readServersSearch(search: Record<string, unknown>): ServersSearch {
  const { q, show, sort, group, down } = search;
  const shown = SHOWN.find((each) => each === show);
  const sorted = SORTED.find((each) => each === sort);
  return {
    ...(typeof q === "string" && q !== "" && { q: q.slice(0, 100) }),
    ...(shown !== undefined && shown !== "all" && { show: shown }),
    ...(sorted !== undefined && sorted !== "name" && { sort: sorted }),
    ...((typeof group === "string" || typeof group === "number") &&
      group !== "" && { group: String(group).slice(0, 100) }),
    ...(down === true && { down: true as const }),
  };
}

/** @param members Names of the servers of the group that the search names; `undefined` for all servers. */
export function selectServers(
  all: readonly Workload[],
  search: ServersSearch,
  members?: ReadonlySet<string>,
): Workload[] {
  const { q = "", show = "all", sort = "name", down = false } = search;
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  const selected = all
    .filter(({ name }) => members === undefined || members.has(name))
    .filter((each) => show === "all" || (show === "running" ? each.status === "running" : needsAttention(each)))
    .filter((each) => {
      const text =
        `${each.name} ${each.package} ${findShownStatus(each)} ${each.transport_type} ${each.remote === true ? "remote" : ""}`.toLowerCase();
      return words.every((word) => text.includes(word));
    });
  const key = { name: "name", status: "status", transport: "transport_type" } as const;
  const sorted = selected.sort((a, b) => compareNames(a[key[sort]], b[key[sort]]) || compareNames(a.name, b.name));
  return down ? sorted.reverse() : sorted;
}
