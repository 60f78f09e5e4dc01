/** What the operator learns from pods and their Events, and from no object: each kind asks for something else. */
import type { ClusterClient } from "../../cluster/index.ts";
import { KIND, MCP_GROUP_KIND, REMOTE_KIND } from "../../contract/index.ts";
import { askTools, type WrittenTools } from "./ask-tools.ts";
import { askEndpoint } from "./group/ask-endpoint.ts";
import { askProxies } from "./remote-proxy/ask-proxies.ts";
import { findPodFailure } from "./server/find-pod-failure.ts";

interface AskOptions {
  readonly client: ClusterClient;
  /** Version of the file that the operator wrote for a group's endpoint. */
  readonly groupFile: string | undefined;
  readonly tools: WrittenTools;
  readonly signal: AbortSignal;
}

type AskedRecord = Parameters<typeof findPodFailure>[0] &
  Parameters<typeof askProxies>[0] &
  Parameters<typeof askEndpoint>[0] &
  Parameters<typeof askTools>[0];

/** Writes the answers into the record. @returns Milliseconds until it asks again; `undefined`: there is nothing to ask. */
export async function askPods(
  record: AskedRecord,
  { client, groupFile, tools, signal }: AskOptions,
): Promise<number | undefined> {
  switch (record.server.kind) {
    case KIND:
      return pickSooner(
        await findPodFailure(record, client, signal),
        await askTools(record, { client, tools, signal }),
      );
    case REMOTE_KIND:
      return pickSooner(await askProxies(record, signal), await askTools(record, { client, tools, signal }));
    case MCP_GROUP_KIND:
      return await askEndpoint(record, { client, version: groupFile, signal });
  }
}

function pickSooner(one: number | undefined, other: number | undefined): number | undefined {
  const both = [one, other].filter((ms) => ms !== undefined);
  return both.length === 0 ? undefined : Math.min(...both);
}
