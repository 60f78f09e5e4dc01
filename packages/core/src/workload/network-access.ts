/** How a workload is connected, from its profile and whether it was to be isolated. */

import { forbidsNetwork, readOutbound } from "../permissions/permission-profile.ts";
import type { OutgoingRules } from "../sidecar-rules/sidecar-rules.ts";
import type { RunConfig } from "./run-config.ts";

export interface NetworkMembers {
  readonly isolate_network?: boolean | undefined;
  readonly learn_network?: boolean | undefined;
  readonly permission_profile?: RunConfig["permission_profile"] | undefined;
  readonly transport: RunConfig["transport"];
}

/**
 * - `open`: the engine's own network.
 * - `none`: none at all.
 * - `filtered`: through a sidecar that lets out what the profile allows.
 */
export type NetworkAccess = "open" | "none" | "filtered";

export function resolveNetworkAccess({
  isolate_network,
  learn_network,
  permission_profile,
  transport,
}: NetworkMembers): NetworkAccess {
  if (isolate_network || learn_network) return "filtered";
  if (!forbidsNetwork(permission_profile)) return "open";
  // A server that speaks HTTP has to be reached, which takes a network; the sidecar prevents connections to the outside.
  return transport === "stdio" ? "none" : "filtered";
}

/** What the sidecar of a workload lets out. */
export function resolveOutgoing({
  learn_network,
  permission_profile,
}: Pick<NetworkMembers, "learn_network" | "permission_profile">): OutgoingRules {
  const { allowAll, hosts, ports } = readOutbound(permission_profile);
  // Addresses that the profile lists stay open: those of this machine are closed for everybody else.
  return learn_network ? { allowAll: true, hosts, ports: [], learns: true } : { allowAll, hosts, ports };
}

/** @returns That nothing is enforced while the rules are learned; `undefined` when they are not. */
export function describeLearning({
  name,
  learn_network,
}: Pick<NetworkMembers, "learn_network"> & { readonly name: string }): string | undefined {
  if (!learn_network) return undefined;
  return `Its network rules are being learned: the server reaches the whole network except for this machine and its containers. To enforce what was learned: thv permission learn ${name} --apply`;
}

const SHOWN_ITEMS = 5;

/** @returns The rules of a profile that are not enforced, as one sentence for a person; `undefined` when there are none. */
export function describeUnenforcedRules(config: NetworkMembers): string | undefined {
  if (resolveNetworkAccess(config) !== "open") return undefined;
  const { allowAll, hosts, ports } = readOutbound(config.permission_profile);
  if (allowAll || (hosts.length === 0 && ports.length === 0)) return undefined;
  const what =
    hosts.length > 0 ? `hosts (${joinItems(hosts)})` : `${ports.length === 1 ? "port" : "ports"} (${joinItems(ports)})`;
  return `The permission profile lists ${what}, and that is not enforced: the server reaches the whole network. To enforce it, run the server with --isolate-network.`;
}

function joinItems(items: readonly (string | number)[]): string {
  const more = items.length - SHOWN_ITEMS;
  return [...items.slice(0, SHOWN_ITEMS), ...(more > 0 ? [`${more} more`] : [])].join(", ");
}
