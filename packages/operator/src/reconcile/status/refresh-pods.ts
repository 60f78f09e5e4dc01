/**
 * Shortens the time until a pod has what the operator wrote into a ConfigMap. A kubelet updates the mounted files of a pod when
 * the Pod object changes, and otherwise about once a minute. So the operator writes an annotation to the pod.
 */
import type { ClusterClient } from "../../cluster/index.ts";
import { FIELD_MANAGER, type ObjectMeta, REFRESHED_ANNOTATION } from "../../contract/index.ts";

/** Milliseconds after which the operator writes again: a kubelet that had not received the ConfigMap mounted the one before. */
const AGAIN_MS = 4_000;
/** Annotations of one pod for one version. After these the pod gets the file when its kubelet updates it by itself. */
const MAX_WRITES = 3;

/** What was written to a pod for the version of its file. */
export interface Refreshed {
  readonly version: string;
  readonly writes: number;
  readonly at: number;
}

interface RefreshOptions {
  readonly client: ClusterClient;
  readonly namespace: ObjectMeta["namespace"];
  /** By name; the pods that are not listed any more are removed from it. */
  readonly refreshed: Map<string, Refreshed>;
  /** Milliseconds since any fixed time. */
  readonly now: number;
  readonly signal: AbortSignal;
}

/**
 * @param pods Names of the pods that work with another version.
 * @param version Of the file that the operator wrote.
 */
export async function refreshMountedFile(
  pods: readonly string[],
  version: string,
  { client, namespace, refreshed, now, signal }: RefreshOptions,
): Promise<void> {
  for (const name of refreshed.keys()) if (!pods.includes(name)) refreshed.delete(name);
  for (const name of pods) {
    const before = refreshed.get(name);
    const isSame = before?.version === version;
    if (isSame && (before.writes >= MAX_WRITES || now - before.at < AGAIN_MS)) continue;
    const writes = isSame ? before.writes + 1 : 1;
    refreshed.set(name, { version, writes, at: now });
    await annotate(client, { namespace, name, value: `${version}.${writes}`, signal });
  }
}

/** The pod may have ended, and the operator may lack the right: then the file arrives when the kubelet updates it by itself. */
async function annotate(
  client: ClusterClient,
  { namespace, name, value, signal }: Pick<RefreshOptions, "namespace" | "signal"> & { name: string; value: string },
): Promise<void> {
  await client
    .send({
      method: "PATCH",
      path: `/api/v1/namespaces/${namespace}/pods/${name}`,
      query: { fieldManager: FIELD_MANAGER },
      body: { metadata: { annotations: { [REFRESHED_ANNOTATION]: value } } },
      contentType: "application/merge-patch+json",
      signal,
    })
    .catch(() => undefined);
}
