/** The cluster that `kubectl` uses, too. */

import { ThvError } from "@toolhive/core/errors";
import { ClusterClient, ClusterError } from "@toolhive/operator/cluster";

/** Status codes of the API server that say who may do what. */
const REFUSALS: readonly number[] = [401, 403];

/** Connects to nothing yet. @throws {ThvError} `CLUSTER_UNREACHABLE` when no cluster is named. */
export function openCluster(): ClusterClient {
  let cluster: ClusterClient;
  try {
    cluster = ClusterClient.load();
  } catch (error) {
    throw describeClusterError(error);
  }
  const { server = "", skipTLSVerify = false } = cluster.config.getCurrentCluster() ?? {};
  // Without a kubeconfig the client library returns a default that belongs to no cluster, and sends no credentials to an address
  // without TLS.
  if (!URL.canParse(server) || (new URL(server).protocol === "http:" && !skipTLSVerify)) {
    cluster.close();
    throw new ThvError(
      "CLUSTER_UNREACHABLE",
      `There is no cluster: the kubeconfig is missing, or ${server} has no TLS.`,
      {
        hint: "Set KUBECONFIG to the file that kubectl uses, and check it: kubectl config view --minify",
      },
    );
  }
  return cluster;
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
