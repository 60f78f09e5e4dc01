/** An MCPServer: a server on the cluster, and its proxy. */
import { DEFAULT_PORT, type MCPServer, nameObjects, SERVER_CONTAINER } from "../../contract/index.ts";
import { listSharedProblems } from "./list-shared-problems.ts";
import { listServerPrivileges } from "./privileges.ts";
import type { ProxySpec } from "./proxy-spec.ts";

/** Port of a server that speaks HTTP and names none. */
const DEFAULT_TARGET_PORT = 8080;
/** Characters of a name such that its Service `mcp-NAME-headless` has 63 at most. */
const MAX_HTTP_NAME = 50;
/** The same for the label that a StatefulSet gives its pods: the name, a hyphen, and ten characters. */
const MAX_STDIO_NAME = 52;

export interface ServerSpec extends ProxySpec {
  readonly targetPort: number;
  /** Pods of the server. */
  readonly replicas: number;
}

export function readServerSpec(server: MCPServer): ServerSpec {
  const { transport = "stdio", ...spec } = server.spec;
  const port = spec.proxyPort ?? spec.port ?? DEFAULT_PORT;
  const targetPort = spec.mcpPort ?? spec.targetPort ?? DEFAULT_TARGET_PORT;
  const isStdio = transport === "stdio";
  const count = (replicas = 1) => (isStdio ? Math.min(replicas, 1) : replicas);
  const [replicas, proxyReplicas] = [count(spec.replicas), count(spec.proxyReplicas)];
  return {
    transport,
    isStdio,
    port,
    targetPort,
    replicas,
    proxyReplicas,
    replicasMember: "spec.proxyReplicas",
    stop: proxyReplicas === 0 ? "spec.proxyReplicas is 0" : replicas === 0 ? "spec.replicas is 0" : undefined,
    maxNameLength: isStdio ? MAX_STDIO_NAME : MAX_HTTP_NAME,
    clientTransports:
      transport !== "stdio"
        ? [transport]
        : spec.proxyMode === "sse"
          ? ["sse", "streamable-http"]
          : ["streamable-http", "sse"],
    hasReplicas: !isStdio && (replicas > 1 || proxyReplicas > 1),
    // Calls and answers of HTTP with SSE take two ways, which only one proxy sees both of: its audit log and its metrics are whole
    // when a client stays with it.
    isSticky: transport === "sse",
    groupNaming: undefined,
    remedy: "Add it to",
    listProblems: () => listProblems(server),
    listPrivileges: () => listServerPrivileges(server),
    listFiles: () => [],
    buildBackend: () => {
      const { serverPod, headlessService } = nameObjects(server);
      return isStdio
        ? { attach: { pod: serverPod, container: SERVER_CONTAINER } }
        : { target: { host: `${headlessService}.${server.metadata.namespace}.svc`, port: targetPort } };
    },
  };
}

function listProblems({ spec }: MCPServer): string[] {
  const { permissionProfile } = spec;
  const isKeyless = permissionProfile?.type === "configmap" && !permissionProfile.key;
  return [...listSharedProblems(spec), ...(isKeyless ? ["spec.permissionProfile.key is missing."] : [])];
}
