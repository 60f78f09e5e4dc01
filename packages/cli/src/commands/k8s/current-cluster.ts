/** The cluster that `kubectl` uses, too. */
import { ClusterClient, ClusterError } from "@toolhive/operator/cluster";
import { ThvError } from "@toolhive/core/errors";

/** Status codes of the API server that say who may do what. */
const REFUSALS: readonly number[] = [401, 403];

/** Connects to nothing yet. @throws {ThvError} `CLUSTER_UNREACHABLE` when no cluster is named. */
export function openCluster(): ClusterClient {
  try {
    return ClusterClient.load();
  } catch (error) {
    throw describeClusterError(error);
  }
}

/** The namespace of the current context. */
export function readNamespace({ config }: ClusterClient): string {
  return config.getContextObject(config.getCurrentContext())?.namespace ?? "default";
}

/** @returns The error of a request as one that says what to do; others as they are. */
export function describeClusterError(error: unknown): unknown {
  if (!(error instanceof ClusterError)) return error;
  const { status, message } = error;
  const text = /[.!?]$/.test(message) ? message : `${message}.`;
  const hint = REFUSALS.includes(status)
    ? "Check who you are on the cluster: kubectl auth whoami"
    : "Check the address and the current context: kubectl cluster-info. KUBECONFIG names another file.";
  return new ThvError("CLUSTER_UNREACHABLE", text, { hint, cause: error });
}
