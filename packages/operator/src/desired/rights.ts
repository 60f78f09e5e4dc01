/** The account of a proxy, and what it may do: attach to the one pod of a server on stdio, and nothing else. */
import { type JsonObject, labelProxy, nameObjects } from "../contract/index.ts";
import { buildMetadata, type DesiredContext, type ServerContext } from "./context/context.ts";
import { readSpec } from "./kinds/read-spec.ts";

export function buildAccount({ server }: DesiredContext): JsonObject | undefined {
  if (readSpec(server).account !== undefined) return undefined;
  return {
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: buildMetadata(server, { name: nameObjects(server).proxyAccount, labels: labelProxy(server) }),
    // A pod that needs the token asks for it.
    automountServiceAccountToken: false,
  };
}

export function buildRole({ server }: ServerContext): JsonObject | undefined {
  if (!readSpec(server).isStdio) return undefined;
  const { proxyAccount, serverPod } = nameObjects(server);
  return {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "Role",
    metadata: buildMetadata(server, { name: proxyAccount, labels: labelProxy(server) }),
    rules: [
      { apiGroups: [""], resources: ["pods"], resourceNames: [serverPod], verbs: ["get", "list", "watch"] },
      { apiGroups: [""], resources: ["pods/attach"], resourceNames: [serverPod], verbs: ["create", "get"] },
    ],
  };
}

export function buildRoleBinding({ server }: ServerContext): JsonObject | undefined {
  if (!readSpec(server).isStdio) return undefined;
  const { namespace } = server.metadata;
  const { proxyAccount } = nameObjects(server);
  return {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "RoleBinding",
    metadata: buildMetadata(server, { name: proxyAccount, labels: labelProxy(server) }),
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: proxyAccount },
    subjects: [{ kind: "ServiceAccount", name: proxyAccount, namespace }],
  };
}
