/** Builds the container spec of a sidecar, and the variables that point its server to it. */

import type { ContainerSpec } from "../../ports/container-engine.ts";
import { RULES_VARIABLE, type SidecarRules } from "../../sidecar-rules/sidecar-rules.ts";
import { buildSidecarLabels } from "../../workload/labels.ts";
import { resolveOutgoing } from "../../workload/network-access.ts";
import type { RunConfig } from "../../workload/run-config.ts";

const LIMITS = { memoryBytes: 256 * 1024 * 1024, cpus: 1, pids: 64 };

export function formatSidecarName({ container_name }: Pick<RunConfig, "container_name">): string {
  return `${container_name}.network`;
}

interface SidecarSpecOptions {
  readonly image: string;
  readonly instanceId: string;
  /** Addresses of names that the sidecar finds without DNS. */
  readonly hosts: Readonly<Record<string, string>>;
  /** The machine's addresses and the engine's networks. */
  readonly closed: readonly string[];
}

export function buildSidecarSpec(
  config: RunConfig,
  { image, instanceId, hosts, closed }: SidecarSpecOptions,
): ContainerSpec {
  const { target_port, target_host, transport } = config;
  const ingressPort = transport === "stdio" ? undefined : target_port;
  const lasting = { ...resolveOutgoing(config), ...(ingressPort !== undefined && { ingressPort }) };
  const rules: SidecarRules = { ...lasting, closed };
  return {
    name: formatSidecarName(config),
    image,
    args: [],
    env: { [RULES_VARIABLE]: JSON.stringify(rules) },
    // Without the closed networks: those of a laptop change with the place, and that must not cause a new container.
    labels: buildSidecarLabels(config, instanceId, { made: { image, rules: lasting, hosts }, closed }),
    // Attached during the start, to read that it is ready.
    stdio: true,
    ...(ingressPort !== undefined && { publish: ingressPort }),
    ...(ingressPort !== undefined && target_host !== undefined && { publishAddress: target_host }),
    limits: LIMITS,
    readOnlyRoot: true,
    // Given up once the packet rules are in force and it runs as its own user.
    capabilities: ["NET_ADMIN", "SETGID", "SETUID"],
    hosts,
    // It becomes a user that no init process may signal, so it is process 1 itself; it handles the signals that end it.
    init: false,
  };
}
