/** Why the pods of a server cannot be made: a StatefulSet does not say, and its Events do. */
import { type ClusterClient, ClusterError } from "../../../cluster/index.ts";
import type { Proxied } from "../../../contract/index.ts";
import type { Part } from "../../../desired/index.ts";
import type { WorkloadSummary } from "../../status/observation.ts";

/** Milliseconds after which the operator reads the Events of a StatefulSet without pods, each time later. */
const POD_FAILURE_MS = [2_000, 10_000, 60_000, 300_000] as const;

interface StartedServer {
  readonly server: Proxied;
  readonly owned: ReadonlyMap<Part, { readonly uid: string; readonly workload?: WorkloadSummary | undefined }>;
  podFailure: string | undefined;
  /** How often the Events were read or the reading was planned, and when it is due, in milliseconds since 1970. */
  podFailureAsked: number;
  podFailureNext: number;
}

/** Writes the reason into the record. @returns Milliseconds until the Events are read again; `undefined`: it has pods, or needs none. */
export async function findPodFailure(
  record: StartedServer,
  client: ClusterClient,
  signal: AbortSignal,
): Promise<number | undefined> {
  const owned = record.owned.get("statefulSet");
  const isWithout =
    owned?.workload && owned.workload.want > 0 && owned.workload.total === 0 && owned.workload.isObserved;
  if (!isWithout || owned === undefined) {
    record.podFailure = undefined;
    record.podFailureAsked = 0;
    return undefined;
  }
  const asked = record.podFailureAsked;
  const now = Date.now();
  if (asked === 0) record.podFailureNext = now + POD_FAILURE_MS[0];
  if (asked === 0 || now < record.podFailureNext) {
    record.podFailureAsked = Math.max(asked, 1);
    return Math.max(record.podFailureNext - now, 1);
  }
  const wait = POD_FAILURE_MS[Math.min(asked, POD_FAILURE_MS.length - 1)] ?? POD_FAILURE_MS[0];
  record.podFailureAsked = asked + 1;
  record.podFailureNext = now + wait;
  try {
    const { namespace } = record.server.metadata;
    const { items = [] } = await client.send({
      path: `/api/v1/namespaces/${namespace}/events`,
      query: { fieldSelector: `involvedObject.uid=${owned.uid},reason=FailedCreate` },
      signal,
    });
    record.podFailure = items.at(-1)?.message?.slice(0, 400);
  } catch (error) {
    if (!(error instanceof ClusterError) || error.status !== 403) throw error;
  }
  return wait;
}
