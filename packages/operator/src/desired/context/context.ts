/** What the objects of one MCPServer, MCPRemoteProxy or MCPGroup are made from. */
import {
  API_VERSION,
  type JsonObject,
  MANAGED_LABEL,
  type MCPServer,
  type MCPToolConfigSpec,
  type PlannedMember,
  type Proxied,
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

/** What the Secrets and ConfigMaps say that an object names, as far as what is made from it depends on that. */
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

/** Something that an object names and that is not there, or not as it must be. */
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

export interface DesiredContext<Owner extends Proxied = Proxied> {
  /** What the objects belong to. */
  readonly server: Owner;
  readonly references: References;
  readonly settings: OperatorSettings;
  /** Why no sidecar may run in this namespace. Absent: it may. */
  readonly sidecarRefusal?: string | undefined;
  /** The MCPToolConfig that the server names. Absent: it names none, or there is none of that name. */
  readonly toolConfig?: MCPToolConfigSpec | undefined;
  /** The servers that name the MCPGroup. Absent for other kinds. */
  readonly members?: readonly PlannedMember[] | undefined;
  /** 32 random bytes in Base64, which stay as long as the object exists. */
  readonly sessionKey: string;
  /** Whether the server has no pods because there are no calls. */
  readonly isAsleep?: boolean | undefined;
  /** Of the proxy's account, once it exists. */
  readonly accountUid?: string | undefined;
}

/** What the objects are made from that only an MCPServer has. */
export type ServerContext = DesiredContext<MCPServer>;

/** @returns The metadata of an object that belongs to another one. */
export function buildMetadata(
  { kind, metadata: { name, namespace, uid } }: Proxied,
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
