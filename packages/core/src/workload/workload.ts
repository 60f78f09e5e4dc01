/** Workloads as callers see them. */
import { formatLocalAuthority } from "@toolhive/http";
import { pickToolSelection } from "../access/tool-selection.ts";
import type { PullLayer } from "../ports/container-engine.ts";
import { formatRemoteAddress } from "../remote/remote-address.ts";
import type { ErrorCode } from "../support/errors.ts";
import type { LocatedProblem } from "../support/located-problem.ts";
import type { ProxyMode, TransportType } from "./create-request-schema.ts";
import type { RunConfig } from "./run-config.ts";
import { pickUserLabels } from "./user-labels.ts";
import type { WorkloadStatus } from "./workload-status.ts";
import { listWarnings } from "./workload-warnings.ts";

export interface Workload {
  readonly name: string;
  /** What it was made from: the image, the package as it was given, or the address of a remote server. */
  readonly package: string;
  /** Present for a remote server. */
  readonly isRemote?: true;
  /** Address for MCP clients. */
  readonly url: string;
  readonly port: number;
  readonly toolType: "mcp";
  readonly transportType: TransportType;
  readonly status: WorkloadStatus;
  /** Present while the supervisor restores the state that its predecessor left; its status is `starting`. */
  readonly isTakenOver?: true;
  /** Present while its server is stopped until the next call; its status is `running`. */
  readonly isAsleep?: true;
  /** The reason for the status; empty when there is none. */
  readonly statusContext: string;
  /** Present while the status is `error`, and while the server is up and does not do its work: which error of the catalogue, what happened, and what to do about it. */
  readonly error?: {
    readonly code: ErrorCode;
    readonly message: string;
    readonly hint?: string | undefined;
    /** Where it is about members of the request. */
    readonly problems?: readonly LocatedProblem[];
  };
  /** Layers of the image that is being pulled; absent at any other time. */
  readonly pull?: readonly PullLayer[];
  /** Protections that do not hold although they seem to, each a sentence; absent when there is none. */
  readonly warnings?: readonly string[];
  /** Tools that differ from their pins, and are held back; absent when there are none. */
  readonly toolDifferences?: number;
  /** Tools that were chosen and that the server does not have, as far as it has listed its tools; absent without any. */
  readonly missingTools?: readonly string[];
  /** Those of `warnings` that are about the record of its tools; absent when there are none. */
  readonly toolWarnings?: readonly string[];
  readonly createdAt: Date;
  /** Since when its server runs, or a remote one is connected; absent while neither is. */
  readonly startedAt?: Date;
  /** How clients speak with its address; absent where its configuration cannot be read. */
  readonly proxyMode?: ProxyMode;
  /** Tools that were chosen for its clients; absent when they see all. */
  readonly tools?: readonly string[];
  /** The user's own, not the program's; absent without any. */
  readonly labels?: Readonly<Record<string, string>>;
}

function findProxyMode({ transport, proxy_mode }: RunConfig): ProxyMode {
  return transport === "sse" || (transport === "stdio" && proxy_mode === "sse") ? "sse" : "streamable-http";
}

/** The address that clients use (api-behaviour 4.9): the host is written as clients on this machine reach it. */
export function workloadUrl(config: RunConfig): string {
  const { name, host, port } = config;
  const base = `http://${formatLocalAuthority(host, port)}`;
  return findProxyMode(config) === "sse" ? `${base}/sse#${name}` : `${base}/mcp`;
}

/** How a workload is right now, as its supervision sees it. */
export interface ObservedState {
  readonly status: WorkloadStatus;
  readonly isAsleep: boolean;
  readonly reason: string;
  readonly error: Workload["error"];
  readonly pull: Workload["pull"];
  readonly startedAt?: Date | undefined;
}

export function describeWorkload(
  config: RunConfig,
  { status, isAsleep, reason, error, pull, startedAt }: ObservedState,
  {
    isTakenOver,
    warnings: more = [],
    toolDifferences = 0,
    missingTools = [],
    toolWarnings = [],
  }: {
    readonly isTakenOver: boolean;
    readonly warnings?: readonly string[] | undefined;
    readonly toolDifferences?: number | undefined;
    readonly missingTools?: readonly string[] | undefined;
    readonly toolWarnings?: readonly string[] | undefined;
  },
): Workload {
  const { name, image, package_target, remote_url, port, transport, created_at, container_labels } = config;
  const { tools = [] } = pickToolSelection(config);
  const labels = pickUserLabels(container_labels);
  const warnings = [...listWarnings(config), ...more, ...toolWarnings];
  return {
    name,
    package: remote_url === undefined ? (package_target ?? image) : formatRemoteAddress(remote_url),
    ...(remote_url !== undefined && { isRemote: true as const }),
    url: workloadUrl(config),
    port,
    toolType: "mcp",
    transportType: transport,
    status,
    ...(isTakenOver && { isTakenOver }),
    ...(isAsleep && { isAsleep }),
    statusContext: reason,
    ...(error && { error }),
    ...(pull && { pull }),
    ...(warnings.length > 0 && { warnings }),
    ...(toolDifferences > 0 && { toolDifferences }),
    ...(missingTools.length > 0 && { missingTools }),
    ...(toolWarnings.length > 0 && { toolWarnings }),
    createdAt: new Date(created_at),
    ...(startedAt && { startedAt }),
    proxyMode: findProxyMode(config),
    ...(tools.length > 0 && { tools }),
    ...(Object.keys(labels).length > 0 && { labels }),
  };
}
