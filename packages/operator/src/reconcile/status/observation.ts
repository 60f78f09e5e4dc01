/** What the operator has seen of one object and of what belongs to it; a status is made from this alone. */
import type { GroupReport, PlannedMember, Proxied, RemoteReport } from "../../contract/index.ts";
import type { ReferenceProblem } from "../../desired/index.ts";
import type { PodSummary } from "./pod-summary.ts";

/** What a Deployment or a StatefulSet says. */
export interface WorkloadSummary {
  readonly want: number;
  readonly ready: number;
  /** Pods made from the newest template. */
  readonly updated: number;
  readonly total: number;
  /** Whether its controller has seen its newest form. */
  readonly isObserved: boolean;
  /** Why pods cannot be made. */
  readonly failure?: string | undefined;
}

export interface Observation<Owner extends Proxied = Proxied> {
  readonly server: Owner;
  /** Why its objects are not written at all. */
  readonly refusal?: { readonly reason: string; readonly message: string } | undefined;
  readonly problems: readonly ReferenceProblem[];
  readonly deployment?: WorkloadSummary | undefined;
  readonly proxyPods: readonly PodSummary[];
  /** Of an object that names an MCPGroup: whether that exists, and why it does not join the server. */
  readonly joined?: { readonly isThere: boolean; readonly refusal?: string | undefined } | undefined;
  /** Whether a proxy works with an earlier choice of tools. */
  readonly hasLateTools?: boolean | undefined;
  /** Why no sidecar runs beside the server of an MCPServer. */
  readonly sidecarRefusal?: string | undefined;
  /** Whether the server of an MCPServer has no pods because there are no calls. */
  readonly isAsleep?: boolean | undefined;
  /** Of the server of an MCPServer. */
  readonly statefulSet?: WorkloadSummary | undefined;
  readonly serverPods: readonly PodSummary[];
  /** The reports about the server from proxies of an MCPRemoteProxy that are not ready. */
  readonly remoteReports?: readonly RemoteReport[] | undefined;
  /** Present for an MCPGroup. */
  readonly group?: GroupObservation | undefined;
}

export interface GroupObservation {
  readonly members: readonly PlannedMember[];
  /** Of the file that the operator wrote for the group's endpoint. */
  readonly version: string;
  readonly report: GroupReport | undefined;
}
