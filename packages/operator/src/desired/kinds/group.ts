/** An MCPGroup: one endpoint for the servers that name it. */
import { DEFAULT_PORT, type MCPGroup } from "../../contract/index.ts";
import { listSharedProblems } from "./list-shared-problems.ts";
import type { ProxySpec } from "./proxy-spec.ts";

/** Characters of a name such that its Service `mcp-NAME-group` has 63 at most. */
const MAX_NAME = 53;

export function readGroupSpec({ spec }: MCPGroup): ProxySpec {
  return {
    transport: "streamable-http",
    isStdio: false,
    port: spec.port ?? DEFAULT_PORT,
    proxyReplicas: 1,
    replicasMember: "spec.proxyReplicas",
    maxNameLength: MAX_NAME,
    clientTransports: ["streamable-http", "sse"],
    hasReplicas: false,
    isSticky: false,
    groupNaming: spec.naming ?? "auto",
    remedy: "Add it to",
    listProblems: () => listSharedProblems(spec),
    listPrivileges: () => [],
    listFiles: () => [],
    buildBackend: () => ({ group: {} }),
  };
}
