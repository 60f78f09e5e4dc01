/** Container labels: the reference's seven (api-behaviour 4.7), two of ours that say whose container it is, and the user's. */
import { createHash } from "node:crypto";
import type { Container, ContainerSpec } from "../ports/container-engine.ts";
import { resolveNetworkAccess } from "./network-access.ts";
import type { RunConfig } from "./run-config.ts";
import { pickUserLabels } from "./user-labels.ts";

/** Label of every workload that a project file has made; its value says which file. */
export const PROJECT_LABEL = "thv-project";

const INSTANCE_LABEL = "toolhive-instance";
const CONFIG_LABEL = "toolhive-config";
/** The reference's, for the containers beside a server. */
const AUXILIARY_LABEL = "toolhive-auxiliary-workload";
const SIDECAR_LABEL = "toolhive-sidecar";
const CLOSED_LABEL = "toolhive-closed-networks";
/** The user and the groups that were chosen for the server; absent where it runs as the image's user. */
const USER_LABEL = "toolhive-user";
/** The keeper of the server's log: `engine`, or `supervisor` for a server on stdio. */
const LOG_LABEL = "toolhive-log";

interface ChosenUser {
  readonly id?: string;
  readonly groups: readonly string[];
}

/** Selects the containers of one supervisor; two users, or two homes, may share an engine. */
export function buildInstanceLabels(instanceId: string): Record<string, string> {
  return { toolhive: "true", [INSTANCE_LABEL]: instanceId };
}

export function buildContainerLabels(
  config: RunConfig,
  instanceId: string,
  { sidecarId, user }: { sidecarId?: string | undefined; user?: ChosenUser | undefined } = {},
): Record<string, string> {
  return {
    // First, so that none of them can take the place of one of ours.
    ...pickUserLabels(config.container_labels),
    ...buildInstanceLabels(instanceId),
    "toolhive-name": config.name,
    "toolhive-basename": config.base_name,
    // For stdio the reference writes what clients see.
    "toolhive-transport":
      config.transport === "stdio" && config.proxy_mode === "streamable-http" ? "streamable-http" : config.transport,
    "toolhive-port": String(config.port),
    "toolhive-tool-type": "mcp",
    "toolhive-network-isolation": String(resolveNetworkAccess(config) === "filtered"),
    [CONFIG_LABEL]: computeConfigFingerprint(config),
    [LOG_LABEL]: readLogKeeper(config),
    ...(sidecarId !== undefined && { [SIDECAR_LABEL]: sidecarId }),
    ...(user?.id !== undefined && { [USER_LABEL]: formatUser(user) }),
  };
}

interface SidecarLabelOptions {
  /** Everything that distinguishes one sidecar from another. */
  readonly made: unknown;
  /** The networks that it was made with. */
  readonly closed: readonly string[];
}

export function buildSidecarLabels(
  config: RunConfig,
  instanceId: string,
  { made, closed }: SidecarLabelOptions,
): Record<string, string> {
  return {
    ...buildInstanceLabels(instanceId),
    "toolhive-name": config.name,
    "toolhive-basename": config.base_name,
    "toolhive-tool-type": "sidecar",
    [AUXILIARY_LABEL]: "true",
    [CONFIG_LABEL]: computeFingerprint(made),
    [CLOSED_LABEL]: computeFingerprint(closed),
  };
}

/** The container whose network the server shares. */
export function readSidecarId(container: Container): string | undefined {
  return container.labels[SIDECAR_LABEL];
}

export function isSidecar(container: Container): boolean {
  return container.labels[AUXILIARY_LABEL] === "true";
}

/** The workload that a container belongs to. */
export function readWorkloadName(container: Container): string | undefined {
  return container.labels["toolhive-name"];
}

export function isWorkloadSidecar(container: Container, workload: string, instanceId: string): boolean {
  return isOwnedBy(container, instanceId) && isSidecar(container) && readWorkloadName(container) === workload;
}

export function isSidecarMadeFrom(container: Container, spec: Pick<ContainerSpec, "labels">): boolean {
  return container.labels[CONFIG_LABEL] === spec.labels[CONFIG_LABEL];
}

/** Whether these are the networks that a sidecar closes each time it is started. */
export function isMadeWithClosed(sidecar: Container, closed: readonly string[]): boolean {
  return sidecar.labels[CLOSED_LABEL] === computeFingerprint(closed);
}

/** Ours, and a server's. */
export function isOwnServer(container: Container, instanceId: string): boolean {
  return isOwnedBy(container, instanceId) && !isSidecar(container);
}

export function isOwnedBy(container: Container, instanceId: string): boolean {
  return container.labels[INSTANCE_LABEL] === instanceId;
}

/** Whether the container was made from this very configuration, so that it may be started again as it is. */
export function isMadeFrom(container: Container, config: RunConfig): boolean {
  return container.labels[CONFIG_LABEL] === computeConfigFingerprint(config);
}

/** Whether the log is kept in the way that this configuration asks for: older versions left all logs to the engine. */
export function isLoggedAsNow(container: Container, config: RunConfig): boolean {
  return container.labels[LOG_LABEL] === readLogKeeper(config);
}

/** Whether it would be made for the same user today: folders may have another owner since, or an older version made it. */
export function isMadeForUser(container: Container, user: ChosenUser): boolean {
  return container.labels[USER_LABEL] === (user.id === undefined ? undefined : formatUser(user));
}

function formatUser({ id, groups }: ChosenUser): string {
  return [id, ...groups].join("+");
}

function readLogKeeper({ transport }: RunConfig): "supervisor" | "engine" {
  return transport === "stdio" ? "supervisor" : "engine";
}

function computeConfigFingerprint(config: RunConfig): string {
  const { desired_state: _desired, pull_policy: _pull, learn_network: _learn, ...others } = config;
  const { sleep_after_seconds: _after, asleep: _asleep, ...lasting } = others;
  return computeFingerprint(lasting);
}

function computeFingerprint(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, 16);
}
