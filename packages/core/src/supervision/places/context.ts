/** What workloads work with, wherever their servers run. */
import type { PackageImages } from "../../images/package-images.ts";
import type { ContainerEngine } from "../../ports/container-engine.ts";
import type { Logger } from "../../ports/log.ts";
import type { OpenMcpEndpoint } from "../../ports/mcp-endpoint.ts";
import type { RemoteSignInPort } from "../../remote/sign-in-port.ts";
import type { ResolveSecrets } from "../../secrets/secret-reference.ts";
import type { FailedOutputs } from "../../server-log/failed-outputs.ts";
import type { OpenLogFile } from "../../server-log/log-file.ts";
import type { ProxyLogs } from "../../server-log/proxy-logs.ts";
import type { PinStore } from "../../tool-pins/pin-record.ts";
import type { TrustRootOptions } from "../../verification/trust-root.ts";
import type { RunConfigStore } from "../../workload/run-config-store.ts";
import type { WorkloadSidecarOptions } from "../containers/workload-sidecar.ts";

/** What the program hands to the supervision. */
export interface WorkloadServices {
  readonly openEndpoint: OpenMcpEndpoint;
  readonly runConfigs: RunConfigStore;
  /** Keeps pinned definitions of tools. */
  readonly toolPins: PinStore;
  /** Where calls of servers are counted. Default: nowhere. */
  readonly usage?: { delete(name: string): Promise<void> } | undefined;
  readonly resolveSecrets: ResolveSecrets;
  /** Opens the log file for standard error of servers on stdio. */
  readonly openLogFile: OpenLogFile;
  /** Keeps what servers wrote whose start failed. Default: nothing is kept. */
  readonly failedOutputs?: FailedOutputs | undefined;
  /** Images for servers that are given as a package. Default: none, such a request is refused. */
  readonly packages?: PackageImages | undefined;
  /** Makes network sidecars. Default: none, a workload whose network is filtered fails to start. */
  readonly sidecars?: WorkloadSidecarOptions["sidecars"];
  /** Trust roots for image signatures. */
  readonly trustRoots: TrustRootOptions;
  /** Signs in at remote servers. Default: sign-ins are not possible. */
  readonly signIns?: RemoteSignInPort | undefined;
  /** Certificates that remote servers may have, besides the usual ones, PEM. Default: none. @throws {ThvError} `INVALID_ARGUMENT`. */
  readonly readCertificates?: (() => Promise<string | undefined>) | undefined;
  /** Receives the supervisor's messages about each workload, which are the log of a remote one. Default: they are not kept. */
  readonly proxyLogs?: Pick<ProxyLogs, "read" | "follow"> | undefined;
  /** Distinguishes the containers of this home from those of another on the same engine. */
  readonly instanceId: string;
  readonly log: Logger;
}

export interface WorkloadContext extends WorkloadServices {
  /** @throws {ThvError} `ENGINE_UNREACHABLE`, `ENGINE_PERMISSION`. */
  readonly requireEngine: () => Promise<ContainerEngine>;
  /** Called after the status of a workload has changed. */
  readonly onChange: (name: string) => void;
  /** Called after something else has changed that callers see. */
  readonly onProgress: () => void;
}
