/** Workloads as callers see them, and what a caller gives to create one. */
import type { AccessRequest } from "../access/access-request.ts";
import type { PullLayer, ResourceLimits } from "../ports/container-engine.ts";
import type { PermissionProfile, Provenance } from "../registry/registry-schema.ts";
import type { SecretReference } from "../secrets/secret-reference.ts";
import type { ErrorCode } from "../support/errors.ts";
import { unenforcedRules } from "./network-access.ts";
import type { ImageVerification, ProxyMode, PullPolicy, RunConfig, TransportType } from "./run-config.ts";
import { userLabels } from "./user-labels.ts";
import type { WorkloadStatus } from "./workload-status.ts";

export interface Workload {
  readonly name: string;
  /** What it was made from: the image, or the package as it was given. */
  readonly package: string;
  /** Address for MCP clients. */
  readonly url: string;
  readonly port: number;
  readonly toolType: "mcp";
  readonly transportType: TransportType;
  readonly status: WorkloadStatus;
  /** Present while it is brought back to where the supervisor before this one has left it; its status is `starting`. */
  readonly isTakenOver?: true;
  /** Why the status is what it is; empty when there is nothing to say. */
  readonly statusContext: string;
  /** Present while the status is `error`: which error of the catalogue, what happened, and what to do about it. */
  readonly error?: { readonly code: ErrorCode; readonly message: string; readonly hint?: string | undefined };
  /** Layers of the image that is being pulled; absent at any other time. */
  readonly pull?: readonly PullLayer[];
  /** What does not hold although it looks as if it did, each a sentence; absent when there is nothing. */
  readonly warnings?: readonly string[];
  readonly createdAt: Date;
  /** The user's own, not the program's; absent without any. */
  readonly labels?: Readonly<Record<string, string>>;
}

export interface CreateWorkloadRequest {
  /** Name of a server of the registry, an image reference, or a package: `npx://`, `uvx://`, `go://`. */
  readonly image: string;
  /** Default: the server's name in the registry, else the last part of the image's or the package's, with a number when that is taken. */
  readonly name?: string | undefined;
  /** Address the proxy listens on. Default 127.0.0.1. */
  readonly host?: string | undefined;
  /** Names besides those of this machine by which clients may call the proxy, at most 50. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** Port the proxy listens on, 1–65535. Default: a free one from 10000 up. */
  readonly proxyPort?: number | undefined;
  /** Default: the registry's, else stdio. */
  readonly transport?: TransportType | undefined;
  /** Default streamable-http. */
  readonly proxyMode?: ProxyMode | undefined;
  /** Port the server listens on in its container, 1–65535; for sse and streamable-http. Default: the registry's, else a random one. */
  readonly targetPort?: number | undefined;
  /** Loopback address at which the proxy reaches the server; for sse and streamable-http. Default 127.0.0.1. */
  readonly targetHost?: string | undefined;
  /** Replace the image's CMD; after the registry's arguments. */
  readonly cmdArguments?: readonly string[] | undefined;
  /** `KEY=VALUE`, split at the first `=`. */
  readonly envVars?: readonly string[] | undefined;
  /** Set as variables of the server at each start. */
  readonly secrets?: readonly SecretReference[] | undefined;
  /** Set on the container; Kubernetes' syntax, and none that begins with `toolhive`. */
  readonly labels?: Readonly<Record<string, string>> | undefined;
  /** Absolute path of a certificate that the build of a package's image trusts. Default: the one in the settings. */
  readonly caCertificate?: string | undefined;
  /** The package that `image` is built from, for example `npx://server@1.2.3`. */
  readonly packageTarget?: string | undefined;
  /** Default: `DEFAULT_LIMITS`, each by itself. */
  readonly limits?: Partial<ResourceLimits> | undefined;
  /** Whether nothing of the image can be changed at run time; `/tmp` stays writable. Default false. */
  readonly readOnly?: boolean | undefined;
  /** When the image is pulled; not for packages. Default missing. */
  readonly pullPolicy?: PullPolicy | undefined;
  /** What becomes of an image that cannot prove its origin. Default warn. */
  readonly imageVerification?: ImageVerification | undefined;
  /** Where the image has to come from. Default: what the registry says. */
  readonly provenance?: Provenance | undefined;
  /** What the server may do outside its container. Default: the registry's, else everything of the network, no file. */
  readonly permissionProfile?: PermissionProfile | undefined;
  /** Which callers the proxy serves. Default: everybody who reaches its port. */
  readonly access?: AccessRequest | undefined;
  /** Whether its network rules are enforced, by a sidecar. Default false; a profile that forbids the network always is. */
  readonly isolateNetwork?: boolean | undefined;
  /** Mount declarations: `host-path:container-path`, with `:ro`, `:z`, `:Z`. Relative ones begin where the supervisor runs. */
  readonly volumes?: readonly string[] | undefined;
}

/** The address that clients use (api-behaviour 4.9): the host is written as clients on this machine reach it. */
export function workloadUrl({ name, host, port, transport, proxy_mode }: RunConfig): string {
  const base = `http://${host === "0.0.0.0" ? "127.0.0.1" : host}:${port}`;
  const isSse = transport === "sse" || (transport === "stdio" && proxy_mode === "sse");
  return isSse ? `${base}/sse#${name}` : `${base}/mcp`;
}

/** How a workload is right now, as its supervision sees it. */
export interface ObservedState {
  readonly status: WorkloadStatus;
  readonly reason: string;
  readonly error: Workload["error"];
  readonly pull: Workload["pull"];
}

export function describeWorkload(
  config: RunConfig,
  { status, reason, error, pull }: ObservedState,
  { isTakenOver }: { readonly isTakenOver: boolean },
): Workload {
  const { name, image, package_target, port, transport, created_at, container_labels } = config;
  const labels = userLabels(container_labels);
  const unenforced = unenforcedRules(config);
  return {
    name,
    package: package_target ?? image,
    url: workloadUrl(config),
    port,
    toolType: "mcp",
    transportType: transport,
    status,
    ...(isTakenOver && { isTakenOver }),
    statusContext: reason,
    ...(error && { error }),
    ...(pull && { pull }),
    ...(unenforced !== undefined && { warnings: [unenforced] }),
    createdAt: new Date(created_at),
    ...(Object.keys(labels).length > 0 && { labels }),
  };
}
