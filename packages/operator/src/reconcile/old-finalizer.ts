/** The finalizer of the reference's operator, which would keep an MCPServer from ever being deleted. */
import { type ClusterClient, ClusterError } from "../cluster/index.ts";
import { FINALIZER, type JsonObject, MANAGED_LABEL, nameObjects, type Proxied } from "../contract/index.ts";
import { findOwner } from "./server-record.ts";

/**
 * Removes the finalizer, and before it the remains of that operator and its proxy: objects without an owner of an MCPServer that
 * is being deleted; of any other one the rights of its proxy, which may write every StatefulSet of the namespace.
 */
export async function removeOldFinalizer(
  client: ClusterClient,
  server: Proxied,
  path: string,
  signal: AbortSignal,
): Promise<JsonObject | undefined> {
  const { finalizers = [], deletionTimestamp, resourceVersion, name, namespace, uid } = server.metadata;
  if (!finalizers.includes(FINALIZER)) return undefined;
  const { statefulSet, headlessService, proxyAccount } = nameObjects(server);
  if (deletionTimestamp !== undefined) {
    const isUnowned = ({ metadata: { ownerReferences = [], labels = {} } }: JsonObject) =>
      ownerReferences.length === 0 && labels.toolhive === "true" && labels.app === name;
    await removeIf(isUnowned, client, `/apis/apps/v1/namespaces/${namespace}/statefulsets/${statefulSet}`, signal);
    await removeIf(isUnowned, client, `/api/v1/namespaces/${namespace}/services/${headlessService}`, signal);
  } else {
    const isOld = (live: JsonObject) =>
      findOwner(live)?.uid === uid && live.metadata.labels?.[MANAGED_LABEL.name] !== MANAGED_LABEL.value;
    const rights = `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}`;
    await removeIf(isOld, client, `${rights}/rolebindings/${proxyAccount}`, signal);
    await removeIf(isOld, client, `${rights}/roles/${proxyAccount}`, signal);
  }
  return await client.send({
    method: "PATCH",
    path,
    contentType: "application/merge-patch+json",
    body: { metadata: { resourceVersion, finalizers: finalizers.filter((each) => each !== FINALIZER) } },
    signal,
  });
}

async function removeIf(
  condition: (live: JsonObject) => boolean,
  client: ClusterClient,
  path: string,
  signal: AbortSignal,
): Promise<void> {
  try {
    const live = await client.send({ path, signal });
    if (!condition(live)) return;
    await client.send({ method: "DELETE", path, body: { preconditions: { uid: live.metadata.uid } }, signal });
  } catch (error) {
    if (!(error instanceof ClusterError) || error.status !== 404) throw error;
  }
}
