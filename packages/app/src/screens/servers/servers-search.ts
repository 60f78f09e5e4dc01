/** What the list of servers shows: kept in the address, so that a link shows the same. */
import { findShownStatus, needsAttention } from "../../parts/status-mark.tsx";
import type { Workload } from "../../store/live-store.ts";
import { compareNames } from "../../store/natural-order.ts";
import type { UsageSummary } from "../usage/use-usage.ts";

export const SHOWN = ["all", "running", "attention"] as const;
export const SORTED = ["name", "status", "calls", "used"] as const;

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
  usage: ReadonlyMap<string, Pick<UsageSummary, "calls" | "last_used_at">> = new Map(),
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
  const compare: Readonly<Record<(typeof SORTED)[number], (a: Workload, b: Workload) => number>> = {
    name: () => 0,
    status: (a, b) => compareNames(findShownStatus(a), findShownStatus(b)),
    // The most used first: they matter most.
    calls: (a, b) => (usage.get(b.name)?.calls ?? 0) - (usage.get(a.name)?.calls ?? 0),
    used: (a, b) => compareNames(usage.get(b.name)?.last_used_at ?? "", usage.get(a.name)?.last_used_at ?? ""),
  };
  const sorted = selected.sort((a, b) => compare[sort](a, b) || compareNames(a.name, b.name));
  return down ? sorted.reverse() : sorted;
}
