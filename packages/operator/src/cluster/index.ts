/** The API server of a cluster. */
export { ClusterClient, type ClusterRequest, type WatchEvent } from "./cluster-client.ts";
export { ClusterError } from "./cluster-error.ts";
