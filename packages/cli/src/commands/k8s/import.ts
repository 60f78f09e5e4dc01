/** `thv k8s import`: an MCPServer as a workload of this machine. */
import { ThvError } from "@toolhive/core/errors";
import { ClusterError } from "@toolhive/operator/cluster";
import {
  API_VERSION,
  type JsonObject,
  KIND,
  PLURAL,
  TOOL_CONFIG_KIND,
  TOOL_CONFIG_PLURAL,
} from "@toolhive/operator/contract";
import { parseManifest, readManifest } from "@toolhive/operator/manifest";
import type { CommandHandler } from "../../command-line/command.ts";
import { readTextFile } from "../../terminal/input.ts";
import { runRequest } from "../run/run.ts";
import { describeClusterError, openCluster, readNamespace } from "./current-cluster.ts";
import type { K8S_IMPORT } from "./definition.ts";

export const importServer: CommandHandler<typeof K8S_IMPORT> = async (input, context) => {
  const [source] = input.positionals;
  const { terminal, signal } = context;
  const isFile = source === "-" || /\/|\.(ya?ml|json)$/.test(source);
  if (isFile && input.namespace !== undefined) {
    throw new ThvError("USAGE", `--namespace says where ${source} is on the cluster, and ${source} is a file.`, {
      hint: "See: thv k8s import --help",
    });
  }
  const what = source === "-" ? "Standard input" : source;
  const objects = isFile
    ? parseManifest(await readTextFile(source, terminal), what)
    : await readObjects(source, input.namespace, signal);
  const { request, notes } = readManifest(objects, what);
  const body = { ...request, ...(input.name !== undefined && { name: input.name }) };
  for (const note of notes) terminal.info(note);
  if (input.dryRun) terminal.print(JSON.stringify(body, null, 2));
  else {
    const file = { source: what, command: `thv k8s import ${source} --yes` };
    await runRequest(body, { format: input.format, foreground: false }, context, { file, isAllowed: input.yes });
  }
};

/** The MCPServer, and the ConfigMaps and the MCPToolConfig that it names. */
async function readObjects(name: string, namespace: string | undefined, signal: AbortSignal): Promise<JsonObject[]> {
  const cluster = openCluster();
  const space = namespace ?? readNamespace(cluster);
  const read = (api: string, collection: string, of: string) =>
    cluster.send({
      path: `/${api}/namespaces/${encodeURIComponent(space)}/${collection}/${encodeURIComponent(of)}`,
      signal,
    });
  try {
    // Objects of a collection have no kind of their own when they are read one by one through some proxies.
    const server: JsonObject = {
      ...(await read(`apis/${API_VERSION}`, PLURAL, name)),
      apiVersion: API_VERSION,
      kind: KIND,
    };
    const objects: JsonObject[] = [server];
    for (const map of listConfigMaps(server)) {
      objects.push({ ...(await read("api/v1", "configmaps", map)), kind: "ConfigMap" });
    }
    const { toolConfigRef } = server.spec;
    if (toolConfigRef) {
      const config = await read(`apis/${API_VERSION}`, TOOL_CONFIG_PLURAL, toolConfigRef.name);
      objects.push({ ...config, kind: TOOL_CONFIG_KIND });
    }
    return objects;
  } catch (error) {
    if (signal.aborted) throw new ThvError("INTERRUPTED", "Interrupted: nothing was started.", { cause: error });
    if (!(error instanceof ClusterError) || error.status !== 404) throw describeClusterError(error);
    throw new ThvError("WORKLOAD_NOT_FOUND", `Namespace ${space} of the cluster: ${error.message}.`, {
      hint: "See all servers: kubectl get mcpservers --all-namespaces. A path with a / in it is a file.",
      cause: error,
    });
  } finally {
    cluster.close();
  }
}

function listConfigMaps({ spec }: JsonObject): Set<string> {
  const { permissionProfile, oidcConfig, authzConfig } = spec;
  const names = [
    permissionProfile?.type === "configmap" && permissionProfile.name,
    oidcConfig?.type === "configMap" && oidcConfig.configMap?.name,
    authzConfig?.type === "configMap" && authzConfig.configMap?.name,
  ];
  return new Set(names.filter(Boolean));
}
