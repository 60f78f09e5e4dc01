/** All objects of one MCPServer, MCPRemoteProxy or MCPGroup, in the order in which they are written. */
import { APPLIED_ANNOTATION, type JsonObject, KIND, nameObjects } from "../contract/index.ts";
import { buildProxyBudget, buildServerBudget } from "./budgets.ts";
import { buildInlinePolicies, buildRunnerConfigMap } from "./config-maps.ts";
import type { DesiredContext, ServerContext } from "./context/context.ts";
import { digest } from "./context/digest.ts";
import { buildNetworkPolicy } from "./network-policy.ts";
import { buildProxyDeployment } from "./proxy-deployment.ts";
import { buildAccount, buildRole, buildRoleBinding } from "./rights.ts";
import { buildStatefulSet } from "./server-stateful-set.ts";
import { buildHeadlessService, buildProxyService } from "./services.ts";
import { buildSessionKey } from "./session-key.ts";
import { buildClosedNetworks } from "./sidecar.ts";

/**
 * Names of what an MCPServer has; what a server needs stands before it, and its limits before the server itself. The right to
 * attach to its pod stands behind it: until it is there, another one's pod may have that name.
 */
export const PARTS = [
  "account",
  "inlinePolicies",
  "runnerConfig",
  "networkPolicy",
  "closedNetworks",
  "headlessService",
  "statefulSet",
  "role",
  "roleBinding",
  "serverBudget",
  "sessionKey",
  "deployment",
  "proxyBudget",
  "proxyService",
] as const;
export type Part = (typeof PARTS)[number];

type PartDefinition = {
  readonly kind: string;
  /** Of its API, for example `/apis/apps/v1`. */
  readonly api: string;
  readonly plural: string;
  readonly name: keyof ReturnType<typeof nameObjects>;
} & (
  | { readonly build: (context: DesiredContext) => JsonObject | undefined }
  /** What an MCPRemoteProxy and an MCPGroup have none of. */
  | { readonly buildForServer: (context: ServerContext) => JsonObject | undefined }
);

const CORE = "/api/v1";
const RBAC = "/apis/rbac.authorization.k8s.io/v1";

export const PART_DEFINITIONS: Readonly<Record<Part, PartDefinition>> = {
  account: { kind: "ServiceAccount", api: CORE, plural: "serviceaccounts", name: "proxyAccount", build: buildAccount },
  role: { kind: "Role", api: RBAC, plural: "roles", name: "proxyAccount", buildForServer: buildRole },
  roleBinding: {
    kind: "RoleBinding",
    api: RBAC,
    plural: "rolebindings",
    name: "proxyAccount",
    buildForServer: buildRoleBinding,
  },
  inlinePolicies: {
    kind: "ConfigMap",
    api: CORE,
    plural: "configmaps",
    name: "inlinePolicies",
    build: buildInlinePolicies,
  },
  runnerConfig: {
    kind: "ConfigMap",
    api: CORE,
    plural: "configmaps",
    name: "runnerConfig",
    build: buildRunnerConfigMap,
  },
  networkPolicy: {
    kind: "NetworkPolicy",
    api: "/apis/networking.k8s.io/v1",
    plural: "networkpolicies",
    name: "networkPolicy",
    buildForServer: buildNetworkPolicy,
  },
  closedNetworks: {
    kind: "ConfigMap",
    api: CORE,
    plural: "configmaps",
    name: "closedNetworks",
    buildForServer: buildClosedNetworks,
  },
  headlessService: {
    kind: "Service",
    api: CORE,
    plural: "services",
    name: "headlessService",
    buildForServer: buildHeadlessService,
  },
  statefulSet: {
    kind: "StatefulSet",
    api: "/apis/apps/v1",
    plural: "statefulsets",
    name: "statefulSet",
    buildForServer: buildStatefulSet,
  },
  serverBudget: {
    kind: "PodDisruptionBudget",
    api: "/apis/policy/v1",
    plural: "poddisruptionbudgets",
    name: "serverBudget",
    buildForServer: buildServerBudget,
  },
  sessionKey: { kind: "Secret", api: CORE, plural: "secrets", name: "sessionKey", build: buildSessionKey },
  deployment: {
    kind: "Deployment",
    api: "/apis/apps/v1",
    plural: "deployments",
    name: "deployment",
    build: buildProxyDeployment,
  },
  proxyBudget: {
    kind: "PodDisruptionBudget",
    api: "/apis/policy/v1",
    plural: "poddisruptionbudgets",
    name: "proxyBudget",
    build: buildProxyBudget,
  },
  proxyService: { kind: "Service", api: CORE, plural: "services", name: "proxyService", build: buildProxyService },
};

/** @returns The object with the digest of its desired form; `undefined` when none is desired. */
export function buildPart(part: Part, context: DesiredContext): JsonObject | undefined {
  const definition = PART_DEFINITIONS[part];
  const object =
    "build" in definition
      ? definition.build(context)
      : isServerContext(context)
        ? definition.buildForServer(context)
        : undefined;
  if (object === undefined) return undefined;
  const { metadata } = object;
  const annotations = { ...metadata.annotations, [APPLIED_ANNOTATION]: digest(object) };
  return { ...object, metadata: { ...metadata, annotations } };
}

export function namePart(part: Part, server: Parameters<typeof nameObjects>[0]): string {
  return nameObjects(server)[PART_DEFINITIONS[part].name];
}

function isServerContext(context: DesiredContext): context is ServerContext {
  return context.server.kind === KIND;
}
