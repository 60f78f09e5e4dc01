/** How a workload is connected, from its profile and whether it was to be isolated. */
import type { RunConfig } from "../run-config.ts";
import { forbidsNetwork } from "./permission-profile.ts";

/**
 * - `open`: the engine's own network.
 * - `none`: none at all.
 * - `filtered`: through a sidecar that lets out what the profile allows.
 */
export type NetworkAccess = "open" | "none" | "filtered";

export function networkAccessOf({
  isolate_network,
  permission_profile,
  transport,
}: {
  readonly isolate_network?: boolean | undefined;
  readonly permission_profile?: RunConfig["permission_profile"] | undefined;
  readonly transport: RunConfig["transport"];
}): NetworkAccess {
  if (isolate_network) return "filtered";
  if (!forbidsNetwork(permission_profile)) return "open";
  // A server that speaks HTTP has to be reached, which takes a network; the sidecar sees to it that nothing comes out.
  return transport === "stdio" ? "none" : "filtered";
}
