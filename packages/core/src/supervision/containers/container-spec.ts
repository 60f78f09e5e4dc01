/** Builds the container spec of a workload. */
import type { ContainerSpec, ResourceLimits } from "../../ports/container-engine.ts";
import { buildProxyEnv } from "../../sidecar-rules/sidecar-rules.ts";
import { buildContainerLabels } from "../../workload/labels.ts";
import { listMounts } from "../../workload/mounts.ts";
import { resolveNetworkAccess } from "../../workload/network-access.ts";
import { DEFAULT_RESOURCES } from "../../workload/resource-limits.ts";
import type { RunConfig } from "../../workload/run-config.ts";
import type { ContainerUser } from "./container-user.ts";

/** A home for a user whom the image does not know. No image has anything there that it would hide. */
const SCRATCH_HOME = "/thv-home";

interface ContainerSpecOptions {
  /** Default: the image's. */
  readonly user?: ContainerUser | undefined;
  /** Values by variable. */
  readonly secrets: Readonly<Record<string, string>>;
  readonly instanceId: string;
  /** The image to make it from. Default: the configuration's. */
  readonly image?: string;
  /** Container whose network it shares. */
  readonly sidecarId: string | undefined;
}

export function buildContainerSpec(
  config: RunConfig,
  { secrets, instanceId, sidecarId, user, image = config.image }: ContainerSpecOptions,
): ContainerSpec {
  const { container_name, cmd_args, env_vars, transport, target_port } = config;
  const isStdio = transport === "stdio";
  // Root's home is in every image; the image's own user has the one that the image gives it.
  const needsHome = user?.id !== undefined && !/^0+(?::|$)/.test(user.id);
  return {
    name: container_name,
    image,
    args: cmd_args,
    env: {
      ...(needsHome && { HOME: SCRATCH_HOME }),
      ...env_vars,
      ...secrets,
      ...buildTransportEnv(config),
      ...(sidecarId !== undefined && buildProxyEnv()),
    },
    labels: buildContainerLabels(config, instanceId, { sidecarId, user }),
    stdio: isStdio,
    // On stdio its output holds what tools return; what it says beside that is read from the attachment.
    isLogged: !isStdio,
    ...(sidecarId !== undefined && { network: { joins: sidecarId } }),
    ...(resolveNetworkAccess(config) === "none" && { network: "none" as const }),
    mounts: listMounts(config),
    ...(user?.id !== undefined && { user: user.id, groups: user.groups }),
    ...(needsHome && { scratch: SCRATCH_HOME }),
    limits: resolveLimits(config),
    readOnlyRoot: config.read_only ?? false,
    // With a sidecar the port is the sidecar's.
    ...(!isStdio &&
      target_port !== undefined &&
      sidecarId === undefined && {
        publish: target_port,
        ...(config.target_host !== undefined && { publishAddress: config.target_host }),
      }),
  };
}

/** The configured limits, with defaults for the rest. */
export function resolveLimits({ limits = {} }: Pick<RunConfig, "limits">): ResourceLimits {
  return {
    memoryBytes: limits.memory_bytes ?? DEFAULT_RESOURCES.memoryBytes,
    cpus: limits.cpus ?? DEFAULT_RESOURCES.cpus,
    pids: limits.pids ?? DEFAULT_RESOURCES.pids,
  };
}

/**
 * Variables that name the server's transport and port (api-behaviour 4.8). The server is only reachable when it listens
 * on every address of its container.
 */
function buildTransportEnv({ transport, target_port }: RunConfig): Record<string, string> {
  if (transport === "stdio" || target_port === undefined) return { MCP_TRANSPORT: transport };
  const port = String(target_port);
  return { MCP_TRANSPORT: transport, MCP_PORT: port, FASTMCP_PORT: port, MCP_HOST: "0.0.0.0" };
}
