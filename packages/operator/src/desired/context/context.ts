/** What the objects of one MCPServer are made from. */
import {
  API_VERSION,
  type JsonObject,
  MANAGED_LABEL,
  type MCPServer,
  type MCPToolConfigSpec,
  type PlannedMember,
} from "../../contract/index.ts";

/** Settings of the operator that show in what it writes. */
export interface OperatorSettings {
  /** Image of the proxy. */
  readonly runnerImage: string;
  /** Address that proxies listen on. */
  readonly proxyHost: string;
  /** IPv4 networks of the cluster and the API server, which a permission profile must list to open them. */
  readonly closedNetworks: readonly string[];
  /** Issuer of the cluster's service account tokens. Absent: not known, the usual one. */
  readonly clusterIssuer?: string | undefined;
  /** Image of the sidecar that enforces permission profiles. Absent: there is none, and NetworkPolicies alone do. */
  readonly sidecarImage?: string | undefined;
  /** Whether MCPServers may have rights on nodes and other accounts. Default: false. */
  readonly allowsPrivilegedServers?: boolean | undefined;
}

/** What Secrets and ConfigMaps that an MCPServer names say, as far as its objects depend on it. */
export interface References {
  /** Digest of every key that the server's pod uses. Empty: it uses none. */
  readonly serverDigest: string;
  /** Digest of every key that the proxy's pod uses. */
  readonly proxyDigest: string;
  /** Data of the ConfigMap of `oidcConfig`. */
  readonly oidc?: Readonly<Record<string, string>> | undefined;
  /** Text of the permission profile in a ConfigMap. */
  readonly profile?: string | undefined;
  readonly problems: readonly ReferenceProblem[];
}

/** Something that the MCPServer names and that is not there, or not as it must be. */
export interface ReferenceProblem {
  /** One word, for a condition. */
  readonly reason:
    | "SecretMissing"
    | "ConfigMapMissing"
    | "ConfigMapInvalid"
    | "PoliciesInvalid"
    | "ToolConfigMissing"
    | "ToolConfigInvalid";
  /** With the next step. */
  readonly message: string;
  /** What it is about. Without its rules nothing may run that would have fewer rules than were asked for. */
  readonly about: "variables" | "authentication" | "policies" | "profile" | "remote" | "tools";
}

export const NO_REFERENCES: References = { serverDigest: "", proxyDigest: "", problems: [] };

export interface DesiredContext {
  readonly server: MCPServer;
  readonly references: References;
  readonly settings: OperatorSettings;
  /** Why no sidecar may run in this namespace. Absent: it may. */
  readonly sidecarRefusal?: string | undefined;
  /** The MCPToolConfig that the server names. Absent: it names none, or there is none of that name. */
  readonly toolConfig?: MCPToolConfigSpec | undefined;
  /** The servers that name the MCPGroup. Absent for other kinds. */
  readonly members?: readonly PlannedMember[] | undefined;
  /** 32 random bytes in Base64, which stay while the MCPServer is there. */
  readonly sessionKey: string;
  /** Whether nobody calls, so that the server has no pods. */
  readonly isAsleep?: boolean | undefined;
  /** Of the proxy's account, once it is there. */
  readonly accountUid?: string | undefined;
}

/** Metadata of an object that belongs to the MCPServer. */
export function buildMetadata(
  { kind, metadata: { name, namespace, uid } }: MCPServer,
  own: {
    readonly name: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  },
): JsonObject {
  return {
    name: own.name,
    namespace,
    labels: { ...own.labels, [MANAGED_LABEL.name]: MANAGED_LABEL.value },
    ...(own.annotations && { annotations: own.annotations }),
    ownerReferences: [{ apiVersion: API_VERSION, kind, name, uid, controller: true, blockOwnerDeletion: true }],
  };
}

/** Port of a server that speaks HTTP and names none. */
const DEFAULT_TARGET_PORT = 8080;
const DEFAULT_PORT = 8080;

/** The members of a specification that have defaults; the API server fills them in, except in objects older than a member. */
export function readSpec({ spec }: MCPServer) {
  const { transport = "stdio", port = DEFAULT_PORT, targetPort = DEFAULT_TARGET_PORT } = spec;
  const isStdio = transport === "stdio";
  const { replicas = 1, proxyReplicas = 1 } = spec;
  return {
    transport,
    isStdio,
    port,
    targetPort,
    replicas: isStdio ? Math.min(replicas, 1) : replicas,
    proxyReplicas: isStdio ? Math.min(proxyReplicas, 1) : proxyReplicas,
  };
}
