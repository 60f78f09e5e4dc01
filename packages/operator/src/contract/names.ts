/** Names and labels of everything that belongs to one MCPServer, MCPRemoteProxy or MCPGroup. They are the reference's, and frozen. */

export const GROUP = "toolhive.stacklok.dev";
export const VERSION = "v1alpha1";
export const API_VERSION = `${GROUP}/${VERSION}`;
export const PLURAL = "mcpservers";
export const KIND = "MCPServer";
/** What `kubectl get` accepts, too. */
export const SHORT_NAME = "mcp";
export const REMOTE_PLURAL = "mcpremoteproxies";
export const REMOTE_KIND = "MCPRemoteProxy";
export const REMOTE_SHORT_NAMES = ["rp", "mcprp"] as const;

export const TOOL_CONFIG_PLURAL = "mcptoolconfigs";
export const TOOL_CONFIG_KIND = "MCPToolConfig";
export const TOOL_CONFIG_SHORT_NAME = "tc";

export const MCP_GROUP_PLURAL = "mcpgroups";
export const MCP_GROUP_KIND = "MCPGroup";
export const MCP_GROUP_SHORT_NAME = "mcpg";

/** Kinds that have a proxy. */
export const PROXY_KINDS = [KIND, REMOTE_KIND, MCP_GROUP_KIND] as const;
export type ProxyKind = (typeof PROXY_KINDS)[number];

const PLURALS = {
  [KIND]: PLURAL,
  [REMOTE_KIND]: REMOTE_PLURAL,
  [MCP_GROUP_KIND]: MCP_GROUP_PLURAL,
  [TOOL_CONFIG_KIND]: TOOL_CONFIG_PLURAL,
  Secret: "secrets",
  ConfigMap: "configmaps",
} as const;
/** Kinds whose objects the operator reads and somebody else makes. */
export type ObjectKind = keyof typeof PLURALS;

/** @returns The word for objects of a kind in paths of the API. */
export function pluralize(kind: ObjectKind): string {
  return PLURALS[kind];
}

/** @returns The kind whose objects a path of the API calls so. */
export function findKind(plural: string): ObjectKind | undefined {
  return (Object.keys(PLURALS) as ObjectKind[]).find((kind) => PLURALS[kind] === plural);
}

/** An object of a kind that has a proxy, as far as names depend on it. */
interface Named {
  readonly kind: ProxyKind;
  readonly metadata: { readonly name: string };
}

/** Field manager of everything that the operator applies. */
export const FIELD_MANAGER = "toolhive-operator";
/** The reference's finalizer. Ours sets none; it is removed from objects that still have it. */
export const FINALIZER = "mcpserver.toolhive.stacklok.dev/finalizer";

/** Names of the containers: of the server, of the proxy, and of the sidecar that enforces the permission profile. */
export const SERVER_CONTAINER = "mcp";
export const PROXY_CONTAINER = "toolhive";
export const SIDECAR_CONTAINER = "network";

/** Lease of the operators: the reference's, so that one of its and one of ours never work at the same time. */
export const LEASE_NAME = "toolhive-operator-leader-election";

/** Where the proxy of a remote server finds its secrets and certificates. */
export const REMOTE_FOLDER = "/etc/toolhive/remote";
/** Where the proxy's pod finds its files. */
export const RUNNER_CONFIG_FILE = "/etc/toolhive/runner/runner.json";
/** Beside it, for an MCPGroup. */
export const GROUP_FILE = "/etc/toolhive/runner/group.json";
export const AUTHZ_FILE = "/etc/toolhive/authz/authz.json";
export const CA_FILE = "/etc/toolhive/ca/ca.crt";

/** The key of session ids, where a server or its proxy has replicas. */
export const SESSION_KEY_FILE = "/etc/toolhive/sessions/key";

/** Port of the runner's own health endpoint, which only the kubelet asks. */
export const RUNNER_HEALTH_PORT = 8081;

/** Names of the objects of one MCPServer, MCPRemoteProxy or MCPGroup, which may have the same name. */
export function nameObjects({ kind, metadata: { name } }: Named) {
  const ofServer = nameServerObjects(name);
  if (kind === MCP_GROUP_KIND) return { ...ofServer, ...nameProxyObjects(`mcp-${name}-group`, `mcp-${name}-group`) };
  const remote = `${name}-remote-proxy`;
  return kind === REMOTE_KIND ? { ...ofServer, ...nameProxyObjects(remote, `mcp-${remote}`) } : ofServer;
}

function nameProxyObjects(deployment: string, proxyService: string) {
  return {
    deployment,
    proxyService,
    proxyAccount: `${deployment}-runner`,
    inlinePolicies: `${deployment}-authz-inline`,
    runnerConfig: `${deployment}-runner`,
    sessionKey: `${deployment}-sessions`,
    proxyBudget: deployment,
  };
}

/** @param name At most 253 characters. */
function nameServerObjects(name: string) {
  return {
    deployment: name,
    statefulSet: name,
    /** The pod of a server on stdio. */
    serverPod: `${name}-0`,
    proxyService: `mcp-${name}-proxy`,
    headlessService: `mcp-${name}-headless`,
    proxyAccount: `${name}-proxy-runner`,
    inlinePolicies: `${name}-authz-inline`,
    runnerConfig: `${name}-runner`,
    networkPolicy: `${name}-server`,
    closedNetworks: `${name}-network`,
    sessionKey: `${name}-sessions`,
    /** Disruption budgets, which exist where there is more than one pod. */
    serverBudget: `${name}-server`,
    proxyBudget: `${name}-proxy`,
  };
}

/** Label of every object that the operator writes, by which it watches them; no selector has it. */
export const MANAGED_LABEL = { name: "app.kubernetes.io/managed-by", value: "toolhive-operator" } as const;
/** Label of a proxy's pods with the name of its owner. */
export const PROXY_LABEL = "toolhive-name";
/** Label of a server's pods: another MCPServer may be called like a word that `app` has elsewhere. */
export const SERVER_LABEL = `${GROUP}/server`;
/** Label of a proxy's Service that answers `/metrics`, by which the chart's ServiceMonitor finds it. */
export const METRICS_LABEL = `${GROUP}/metrics`;
/** On a StatefulSet without pods because there are no calls: `true`. */
export const ASLEEP_ANNOTATION = `${GROUP}/asleep`;
/** Annotation with the digest of an object as the operator wanted it when it wrote it. */
export const APPLIED_ANNOTATION = `${GROUP}/applied`;
/** Annotation of pods with a digest of the Secrets and ConfigMaps that they use, so that pods are replaced when one changes. */
export const REFERENCES_ANNOTATION = `${GROUP}/references`;
/** Annotation of a group's pods with the version of the mounted file, so that the kubelet updates the file at once. */
export const REFRESHED_ANNOTATION = `${GROUP}/refreshed`;
/** Annotation of an MCPServer, MCPRemoteProxy or MCPGroup: further names by which clients call the proxy, for example an Ingress's, with commas between. */
export const ALLOWED_HOSTS_ANNOTATION = `${GROUP}/allowed-hosts`;

/** The label `app` of a proxy's objects, by kind. */
const APPS: Readonly<Record<ProxyKind, string>> = {
  [KIND]: "mcpserver",
  [REMOTE_KIND]: "mcpremoteproxy",
  [MCP_GROUP_KIND]: "mcpgroup",
};

/** @param labels Of an object that belongs to one of these kinds. */
export function kindByLabels(labels: Readonly<Record<string, string>> = {}): ProxyKind {
  // The pods of a server have its name there.
  if (labels[SERVER_LABEL] !== undefined) return KIND;
  return PROXY_KINDS.find((kind) => APPS[kind] === labels.app) ?? KIND;
}

/** Labels of the proxy: of its Deployment, its pods, its Service, and the selectors of both. */
export function labelProxy({ kind, metadata: { name } }: Named): Record<string, string> {
  const app = APPS[kind];
  return {
    app,
    "app.kubernetes.io/name": app,
    "app.kubernetes.io/instance": name,
    toolhive: "true",
    [PROXY_LABEL]: name,
  };
}

/** Labels of the server's pods and of their StatefulSet. */
export function labelServer(name: string): Record<string, string> {
  return { app: name, toolhive: "true", [SERVER_LABEL]: name };
}
