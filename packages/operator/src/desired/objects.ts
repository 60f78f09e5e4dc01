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

const CORE = "/api/v1";
const RBAC = "/apis/rbac.authorization.k8s.io/v1";

/** The kinds of what the operator writes, with their APIs. */
export const OWNED_KINDS = {
  ServiceAccount: { api: CORE, plural: "serviceaccounts" },
  Secret: { api: CORE, plural: "secrets" },
  ConfigMap: { api: CORE, plural: "configmaps" },
  Service: { api: CORE, plural: "services" },
  Role: { api: RBAC, plural: "roles" },
  RoleBinding: { api: RBAC, plural: "rolebindings" },
  NetworkPolicy: { api: "/apis/networking.k8s.io/v1", plural: "networkpolicies" },
  StatefulSet: { api: "/apis/apps/v1", plural: "statefulsets" },
  Deployment: { api: "/apis/apps/v1", plural: "deployments" },
  PodDisruptionBudget: { api: "/apis/policy/v1", plural: "poddisruptionbudgets" },
} as const;

type PartDefinition = {
  readonly kind: keyof typeof OWNED_KINDS;
  readonly name: keyof ReturnType<typeof nameObjects>;
} & (
  | { readonly build: (context: DesiredContext) => JsonObject | undefined }
  /** An MCPRemoteProxy and an MCPGroup have none. */
  | { readonly buildForServer: (context: ServerContext) => JsonObject | undefined }
);

/**
 * In the order in which they are written: what a server needs precedes it, and so do its limits. The right to attach to its pod
 * follows it: until the server exists, another one's pod may have that name.
 */
const DEFINITIONS = {
  account: { kind: "ServiceAccount", name: "proxyAccount", build: buildAccount },
  inlinePolicies: { kind: "ConfigMap", name: "inlinePolicies", build: buildInlinePolicies },
  runnerConfig: { kind: "ConfigMap", name: "runnerConfig", build: buildRunnerConfigMap },
  networkPolicy: { kind: "NetworkPolicy", name: "networkPolicy", buildForServer: buildNetworkPolicy },
  closedNetworks: { kind: "ConfigMap", name: "closedNetworks", buildForServer: buildClosedNetworks },
  headlessService: { kind: "Service", name: "headlessService", buildForServer: buildHeadlessService },
  statefulSet: { kind: "StatefulSet", name: "statefulSet", buildForServer: buildStatefulSet },
  role: { kind: "Role", name: "proxyAccount", buildForServer: buildRole },
  roleBinding: { kind: "RoleBinding", name: "proxyAccount", buildForServer: buildRoleBinding },
  serverBudget: { kind: "PodDisruptionBudget", name: "serverBudget", buildForServer: buildServerBudget },
  sessionKey: { kind: "Secret", name: "sessionKey", build: buildSessionKey },
  deployment: { kind: "Deployment", name: "deployment", build: buildProxyDeployment },
  proxyBudget: { kind: "PodDisruptionBudget", name: "proxyBudget", build: buildProxyBudget },
  proxyService: { kind: "Service", name: "proxyService", build: buildProxyService },
} as const satisfies Readonly<Record<string, PartDefinition>>;

export type Part = keyof typeof DEFINITIONS;
export const PARTS = Object.keys(DEFINITIONS) as readonly Part[];
export const PART_DEFINITIONS: Readonly<Record<Part, PartDefinition>> = DEFINITIONS;

/** @returns The object in its desired form, without a digest of it; `undefined` when none is desired. */
export function describePart(part: Part, context: DesiredContext): JsonObject | undefined {
  const definition = PART_DEFINITIONS[part];
  if ("build" in definition) return definition.build(context);
  return isServerContext(context) ? definition.buildForServer(context) : undefined;
}

/** @returns The object with the digest of its desired form; `undefined` when none is desired. */
export function buildPart(part: Part, context: DesiredContext): JsonObject | undefined {
  const object = describePart(part, context);
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
