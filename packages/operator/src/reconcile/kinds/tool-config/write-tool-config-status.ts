/** What an MCPToolConfig says of itself: whether it can be used, and who does. */
import { type ClusterClient, ClusterError } from "../../../cluster/index.ts";
import {
  API_VERSION,
  type Condition,
  FIELD_MANAGER,
  type MCPToolConfig,
  type MCPToolConfigStatus,
  TOOL_CONFIG_KIND,
  TOOL_CONFIG_PLURAL,
} from "../../../contract/index.ts";
import { describeToolConfig } from "../../../desired/index.ts";

interface WriteStatusOptions {
  readonly client: ClusterClient;
  /** As `KIND/NAME`. */
  readonly users: readonly string[];
  readonly signal: AbortSignal;
}

/** Writes nothing when everything is said already. @throws {ClusterError} When it is to be tried again. */
export async function writeToolConfigStatus(
  config: MCPToolConfig,
  { client, users, signal }: WriteStatusOptions,
): Promise<void> {
  const { name, namespace, uid } = config.metadata;
  const status = computeToolConfigStatus(config, users, `${new Date().toISOString().slice(0, 19)}Z`);
  if (JSON.stringify(normalize(config.status)) === JSON.stringify(normalize(status))) return;
  const path = `/apis/${API_VERSION}/namespaces/${namespace}/${TOOL_CONFIG_PLURAL}/${name}/status`;
  const object = { apiVersion: API_VERSION, kind: TOOL_CONFIG_KIND, metadata: { name, namespace, uid }, status };
  try {
    await client.apply(path, object, { manager: FIELD_MANAGER, signal });
  } catch (error) {
    // It was deleted.
    if (!(error instanceof ClusterError) || error.status !== 404) throw error;
  }
}

/** @param now In the API's form. A condition whose status is the same as before keeps its time. */
export function computeToolConfigStatus(
  { metadata: { generation = 0 }, spec, status: before }: MCPToolConfig,
  users: readonly string[],
  now: string,
): MCPToolConfigStatus {
  const problem = describeToolConfig(spec);
  const old = before?.conditions?.find(({ type }) => type === "Valid");
  const status = problem === undefined ? "True" : "False";
  const valid: Condition = {
    type: "Valid",
    status,
    reason: problem === undefined ? "Valid" : "Invalid",
    message:
      problem === undefined
        ? "Servers that name it show these tools."
        : `Servers that name it show no tools: ${problem}. Correct it.`,
    lastTransitionTime: old?.status === status ? old.lastTransitionTime : now,
    observedGeneration: generation,
  };
  return { observedGeneration: generation, referencingServers: [...users], conditions: [valid] };
}

/** The API server may give members in another order, and leaves out empty lists. */
function normalize({ observedGeneration, referencingServers = [], conditions = [] }: MCPToolConfigStatus = {}) {
  const said = conditions.map(({ type, status, reason, message, observedGeneration: seen }) => [
    ...[type, status, reason, message, seen],
  ]);
  return [observedGeneration, referencingServers, said];
}
