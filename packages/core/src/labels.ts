/** Container labels: the reference's seven (api-behaviour 4.7), two of ours that say whose container it is, and the user's. */
import { createHash } from "node:crypto";
import type { Container } from "./container-engine.ts";
import type { RunConfig } from "./run-config.ts";
import { userLabels } from "./user-labels.ts";

const INSTANCE_LABEL = "toolhive-instance";
const CONFIG_LABEL = "toolhive-config";

/** Selects the containers of one supervisor; two users, or two homes, may share an engine. */
export function instanceLabels(instanceId: string): Record<string, string> {
  return { toolhive: "true", [INSTANCE_LABEL]: instanceId };
}

export function containerLabels(config: RunConfig, instanceId: string): Record<string, string> {
  return {
    // First, so that none of them can take the place of one of ours.
    ...userLabels(config.container_labels),
    ...instanceLabels(instanceId),
    "toolhive-name": config.name,
    "toolhive-basename": config.base_name,
    // For stdio the reference writes what clients see.
    "toolhive-transport":
      config.transport === "stdio" && config.proxy_mode === "streamable-http" ? "streamable-http" : config.transport,
    "toolhive-port": String(config.port),
    "toolhive-tool-type": "mcp",
    "toolhive-network-isolation": "false",
    [CONFIG_LABEL]: configFingerprint(config),
  };
}

export function isOwnedBy(container: Container, instanceId: string): boolean {
  return container.labels[INSTANCE_LABEL] === instanceId;
}

/** Whether the container was made from this very configuration, so that it may be started again as it is. */
export function isMadeFrom(container: Container, config: RunConfig): boolean {
  return container.labels[CONFIG_LABEL] === configFingerprint(config);
}

function configFingerprint(config: RunConfig): string {
  const { desired_state: _desired, ...lasting } = config;
  return createHash("sha256").update(JSON.stringify(lasting)).digest("hex").slice(0, 16);
}
