/** The status of an MCPToolConfig: whether it can be used, and who uses it. */
import type { ClusterClient } from "../../../cluster/index.ts";
import { type MCPToolConfig, type MCPToolConfigStatus, TOOL_CONFIG_KIND } from "../../../contract/index.ts";
import { describeToolConfig } from "../../../desired/index.ts";
import { isFalse, isTrue } from "../../status/statement.ts";
import { applyStatus, dateConditions, formatNow } from "../../status/write-status.ts";

interface WriteStatusOptions {
  readonly client: ClusterClient;
  /** As `KIND/NAME`. */
  readonly users: readonly string[];
  readonly signal: AbortSignal;
}

/** Writes nothing when the status says everything already. @throws {ClusterError} When it is tried again. */
export async function writeToolConfigStatus(
  config: MCPToolConfig,
  { client, users, signal }: WriteStatusOptions,
): Promise<void> {
  const status = computeToolConfigStatus(config, users, formatNow());
  if (JSON.stringify(normalize(config.status)) === JSON.stringify(normalize(status))) return;
  await applyStatus(client, { kind: TOOL_CONFIG_KIND, metadata: config.metadata }, status, signal);
}

/** @param now In the API's form. */
export function computeToolConfigStatus(
  config: MCPToolConfig,
  users: readonly string[],
  now: string,
): MCPToolConfigStatus {
  const problem = describeToolConfig(config.spec);
  const statement =
    problem === undefined
      ? isTrue("Valid", "Servers that name it show these tools.")
      : isFalse("Invalid", `Servers that name it show no tools: ${problem}. Correct it.`);
  return {
    observedGeneration: config.metadata.generation ?? 0,
    referencingServers: [...users],
    // Scripts wait for `Ready` of every kind.
    conditions: dateConditions(
      [
        { type: "Valid", ...statement },
        { type: "Ready", ...statement },
      ],
      config,
      now,
    ),
  };
}

/** The API server may give members in another order, and leaves out empty lists. */
function normalize({ observedGeneration, referencingServers = [], conditions = [] }: MCPToolConfigStatus = {}) {
  const said = conditions.map(({ type, status, reason, message, observedGeneration: seen }) => [
    type,
    status,
    reason,
    message,
    seen,
  ]);
  return [observedGeneration, referencingServers, said];
}
