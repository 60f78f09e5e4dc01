/** What the container of a workload is made of. */
import type { ContainerSpec, ResourceLimits } from "../../ports/container-engine.ts";
import { containerLabels } from "../../workload/labels.ts";
import { mountsOf } from "../../workload/mounts.ts";
import { networkAccessOf } from "../../workload/network-access.ts";
import { DEFAULT_LIMITS } from "../../workload/resource-limits.ts";
import type { RunConfig } from "../../workload/run-config.ts";
import { proxyEnv } from "./sidecar-spec.ts";

interface ContainerSpecOptions {
  /** Values by variable. */
  readonly secrets: Readonly<Record<string, string>>;
  readonly instanceId: string;
  /** The image to make it from. Default: the configuration's. */
  readonly image?: string;
  /** Container whose network it shares. */
  readonly sidecarId: string | undefined;
}

export function containerSpecOf(
  config: RunConfig,
  { secrets, instanceId, sidecarId, image = config.image }: ContainerSpecOptions,
): ContainerSpec {
  const { container_name, cmd_args, env_vars, transport, target_port } = config;
  const isStdio = transport === "stdio";
  return {
    name: container_name,
    image,
    args: cmd_args,
    env: { ...env_vars, ...secrets, ...transportEnv(config), ...(sidecarId !== undefined && proxyEnv()) },
    labels: containerLabels(config, instanceId, { sidecarId }),
    stdio: isStdio,
    // On stdio its output holds what tools return; what it says beside that is read from the attachment.
    isLogged: !isStdio,
    ...(sidecarId !== undefined && { network: { joins: sidecarId } }),
    ...(networkAccessOf(config) === "none" && { network: "none" as const }),
    mounts: mountsOf(config),
    limits: limitsOf(config),
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

/** Those that were asked for, and the defaults for the rest. */
export function limitsOf({ limits = {} }: Pick<RunConfig, "limits">): ResourceLimits {
  return {
    memoryBytes: limits.memory_bytes ?? DEFAULT_LIMITS.memoryBytes,
    cpus: limits.cpus ?? DEFAULT_LIMITS.cpus,
    pids: limits.pids ?? DEFAULT_LIMITS.pids,
  };
}

/** Tells the server how to talk (api-behaviour 4.8). It has to listen on every address of its container to be reached. */
function transportEnv({ transport, target_port }: RunConfig): Record<string, string> {
  if (transport === "stdio" || target_port === undefined) return { MCP_TRANSPORT: transport };
  const port = String(target_port);
  return { MCP_TRANSPORT: transport, MCP_PORT: port, FASTMCP_PORT: port, MCP_HOST: "0.0.0.0" };
}
