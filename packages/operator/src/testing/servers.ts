/** MCPServers, MCPRemoteProxies and MCPGroups for tests. */
import {
  API_VERSION,
  KIND,
  MCP_GROUP_KIND,
  type MCPGroup,
  type MCPGroupSpec,
  type MCPRemoteProxy,
  type MCPRemoteProxySpec,
  type MCPServer,
  type MCPServerSpec,
  type Proxied,
  REMOTE_KIND,
} from "../contract/index.ts";
import {
  type DesiredContext,
  NO_REFERENCES,
  type OperatorSettings,
  planMembers,
  type References,
  type ServerContext,
} from "../desired/index.ts";

export const TEST_SESSION_KEY = Buffer.alloc(32, 7).toString("base64");

export const TEST_SETTINGS: OperatorSettings = {
  runnerImage: "registry.test/thv:1",
  proxyHost: "0.0.0.0",
  closedNetworks: ["10.0.0.0/16", "192.0.2.1"],
  clusterIssuer: "https://issuer.test",
  sidecarImage: "registry.test/sidecar:1",
};

/** @returns An MCPServer as the API server has it, without the defaults that it fills in. */
export function createServer(
  spec: Partial<MCPServerSpec> = {},
  metadata: Partial<MCPServer["metadata"]> = {},
): MCPServer {
  return {
    apiVersion: API_VERSION,
    kind: KIND,
    metadata: {
      name: "weather",
      namespace: "tools",
      uid: "9d6b2c0e-0000-4000-8000-000000000001",
      generation: 1,
      ...metadata,
    },
    spec: { image: "registry.test/weather:1", ...spec },
  };
}

export function createContext(
  spec: Partial<MCPServerSpec> = {},
  {
    references,
    settings,
    ...rest
  }: {
    readonly references?: Partial<References>;
    readonly settings?: Partial<OperatorSettings>;
    readonly metadata?: Partial<MCPServer["metadata"]>;
    readonly sidecarRefusal?: string;
  } = {},
): ServerContext {
  return {
    server: createServer(spec, rest.metadata),
    references: { ...NO_REFERENCES, ...references },
    settings: { ...TEST_SETTINGS, ...settings },
    sidecarRefusal: rest.sidecarRefusal,
    sessionKey: TEST_SESSION_KEY,
  };
}

/** The same of an MCPRemoteProxy. */
export function createRemoteContext(
  spec: Partial<MCPRemoteProxySpec> = {},
  references: Partial<References> = {},
  name = "forecast",
): DesiredContext<MCPRemoteProxy> {
  const remote = { remoteURL: "https://mcp.example.test/mcp", ...spec };
  const { metadata } = createServer({}, { name });
  return {
    server: { apiVersion: API_VERSION, kind: REMOTE_KIND, metadata, spec: remote },
    references: { ...NO_REFERENCES, ...references },
    settings: TEST_SETTINGS,
    sessionKey: TEST_SESSION_KEY,
  };
}

/** The same of an MCPGroup. @param servers That name it. */
export function createGroupContext(
  spec: Partial<MCPGroupSpec> = {},
  servers: readonly Proxied[] = [],
  rest: Pick<DesiredContext, "toolConfig"> = {},
): DesiredContext<MCPGroup> {
  const { metadata } = createServer({}, { name: "work" });
  return {
    server: { apiVersion: API_VERSION, kind: MCP_GROUP_KIND, metadata, spec },
    references: NO_REFERENCES,
    settings: TEST_SETTINGS,
    sessionKey: TEST_SESSION_KEY,
    members: planMembers(servers.map((server) => ({ server, run: "1" }))),
    ...rest,
  };
}
