/** The finalizer of the reference's operator, which would keep an MCPServer from ever being deleted. */
import { type ClusterClient, ClusterError } from "../cluster/index.ts";
import { FINALIZER, type JsonObject, type MCPServer, nameObjects } from "../contract/index.ts";

/** Removes it, and with an MCPServer that is being deleted what that operator's proxy left without an owner. */
export async function removeOldFinalizer(
  client: ClusterClient,
  server: MCPServer,
  path: string,
  signal: AbortSignal,
): Promise<JsonObject | undefined> {
  const { finalizers = [], deletionTimestamp, resourceVersion, name, namespace } = server.metadata;
  if (!finalizers.includes(FINALIZER)) return undefined;
  if (deletionTimestamp !== undefined) {
    const { statefulSet, headlessService } = nameObjects(name);
    await removeUnowned(client, `/apis/apps/v1/namespaces/${namespace}/statefulsets/${statefulSet}`, name, signal);
    await removeUnowned(client, `/api/v1/namespaces/${namespace}/services/${headlessService}`, name, signal);
  }
  return await client.send({
    method: "PATCH",
    path,
    contentType: "application/merge-patch+json",
    body: { metadata: { resourceVersion, finalizers: finalizers.filter((each) => each !== FINALIZER) } },
    signal,
  });
}

async function removeUnowned(client: ClusterClient, path: string, name: string, signal: AbortSignal): Promise<void> {
  try {
    const { metadata } = await client.send({ path, signal });
    const { ownerReferences = [], labels = {}, uid } = metadata;
    if (ownerReferences.length > 0 || labels.toolhive !== "true" || labels.app !== name) return;
    await client.send({ method: "DELETE", path, body: { preconditions: { uid } }, signal });
  } catch (error) {
    if (!(error instanceof ClusterError) || error.status !== 404) throw error;
  }
}
