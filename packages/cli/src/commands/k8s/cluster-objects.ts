/** Objects of the current cluster, as a manifest has them. */
import { ThvError } from "@toolhive/core/errors";
import { isRecord } from "@toolhive/http/values";
import { type ClusterClient, ClusterError } from "@toolhive/operator/cluster";
import {
  API_VERSION,
  type JsonObject,
  KIND,
  MCP_GROUP_KIND,
  MCP_GROUP_PLURAL,
  PLURAL,
  REMOTE_KIND,
  REMOTE_PLURAL,
  TOOL_CONFIG_KIND,
  TOOL_CONFIG_PLURAL,
} from "@toolhive/operator/contract";
import { describeClusterError, openCluster, readNamespace } from "./current-cluster.ts";

/** Sends one request to the cluster. */
type Read = (api: string, collection: string, name?: string) => Promise<JsonObject>;

const NOT_FOUND = 404;
const OWN = `apis/${API_VERSION}`;

/** The server of that name, and the ConfigMaps and the MCPToolConfig that it names. */
export async function readNamed(
  name: string,
  namespace: string | undefined,
  signal: AbortSignal,
): Promise<JsonObject[]> {
  return await withCluster(namespace, signal, async (read) => {
    const server = await read(OWN, PLURAL, name)
      .then((found) => nameKind(found, KIND))
      .catch(async (error) => {
        if (!(error instanceof ClusterError) || error.status !== NOT_FOUND) throw error;
        // The message about the first kind says most to whoever has neither.
        const found = await read(OWN, REMOTE_PLURAL, name).catch(() => Promise.reject(error));
        return nameKind(found, REMOTE_KIND);
      });
    return [server, ...(await readReferenced([server], read))];
  });
}

/** All servers and groups of a namespace, with what they name. */
export async function readAll(namespace: string | undefined, signal: AbortSignal): Promise<JsonObject[]> {
  return await withCluster(namespace, signal, async (read) => {
    const list = async (collection: string, kind: string) => {
      // A cluster may have the definitions of some kinds only.
      const { items } = (await ifThere(read(OWN, collection))) ?? {};
      return (Array.isArray(items) ? items.filter(isRecord) : []).map((item) => nameKind(item, kind));
    };
    const found = [
      ...(await list(PLURAL, KIND)),
      ...(await list(REMOTE_PLURAL, REMOTE_KIND)),
      ...(await list(MCP_GROUP_PLURAL, MCP_GROUP_KIND)),
    ];
    return [...found, ...(await readReferenced(found, read))];
  });
}

/** Objects of a collection have no kind of their own when they are read one by one through some proxies. */
function nameKind(object: JsonObject, kind: string): JsonObject {
  return { ...object, apiVersion: API_VERSION, kind };
}

/** One that is absent is named by the reader of the manifest, for the object that needs it. */
async function readReferenced(found: readonly JsonObject[], read: Read): Promise<JsonObject[]> {
  const maps = new Set(found.flatMap(listConfigMaps));
  const configs = new Set(found.flatMap(({ spec }) => spec?.toolConfigRef?.name ?? []));
  const objects: JsonObject[] = [];
  for (const name of maps) {
    const map = await ifThere(read("api/v1", "configmaps", name));
    if (map) objects.push({ ...map, kind: "ConfigMap" });
  }
  for (const name of configs) {
    const config = await ifThere(read(OWN, TOOL_CONFIG_PLURAL, name));
    if (config) objects.push(nameKind(config, TOOL_CONFIG_KIND));
  }
  return objects;
}

/** @returns `undefined` for what the cluster does not have. */
async function ifThere(reading: Promise<JsonObject>): Promise<JsonObject | undefined> {
  return await reading.catch((error) => {
    if (error instanceof ClusterError && error.status === NOT_FOUND) return undefined;
    throw error;
  });
}

function listConfigMaps({ spec }: JsonObject): string[] {
  const { permissionProfile, oidcConfig, authzConfig } = spec ?? {};
  const names = [
    permissionProfile?.type === "configmap" && permissionProfile.name,
    oidcConfig?.type === "configMap" && oidcConfig.configMap?.name,
    authzConfig?.type === "configMap" && authzConfig.configMap?.name,
  ];
  return names.filter(Boolean);
}

async function withCluster(
  namespace: string | undefined,
  signal: AbortSignal,
  work: (read: Read) => Promise<JsonObject[]>,
): Promise<JsonObject[]> {
  const cluster: ClusterClient = openCluster();
  const space = namespace ?? readNamespace(cluster);
  const read: Read = async (api, collection, name) =>
    await cluster.send({
      path: `/${api}/namespaces/${[space, collection, ...(name === undefined ? [] : [name])].map(encodeURIComponent).join("/")}`,
      signal,
    });
  try {
    return await work(read);
  } catch (error) {
    if (signal.aborted) throw new ThvError("INTERRUPTED", "Interrupted: nothing was started.", { cause: error });
    if (!(error instanceof ClusterError) || error.status !== NOT_FOUND) throw describeClusterError(error);
    throw new ThvError("WORKLOAD_NOT_FOUND", `Namespace ${space} of the cluster: ${error.message}.`, {
      hint: "See all servers: kubectl get mcpservers,mcpremoteproxies --all-namespaces. A path with a / in it is a file.",
      cause: error,
    });
  } finally {
    cluster.close();
  }
}
