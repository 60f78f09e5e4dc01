/** The account of a proxy, and what it may do: attach to the one pod of a server on stdio, and nothing else. */
import { type JsonObject, labelProxy, nameObjects } from "../contract/index.ts";
import { buildMetadata, type DesiredContext, readSpec } from "./context/context.ts";

export function buildAccount({ server }: DesiredContext): JsonObject {
  const { name } = server.metadata;
  return {
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: buildMetadata(server, { name: nameObjects(name).proxyAccount, labels: labelProxy(name) }),
    // A pod that needs the token says so.
    automountServiceAccountToken: false,
  };
}

export function buildRole({ server }: DesiredContext): JsonObject | undefined {
  if (!readSpec(server).isStdio) return undefined;
  const { name } = server.metadata;
  const { proxyAccount, serverPod } = nameObjects(name);
  return {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "Role",
    metadata: buildMetadata(server, { name: proxyAccount, labels: labelProxy(name) }),
    rules: [
      { apiGroups: [""], resources: ["pods"], resourceNames: [serverPod], verbs: ["get", "list", "watch"] },
      { apiGroups: [""], resources: ["pods/attach"], resourceNames: [serverPod], verbs: ["create", "get"] },
    ],
  };
}

export function buildRoleBinding({ server }: DesiredContext): JsonObject | undefined {
  if (!readSpec(server).isStdio) return undefined;
  const { name, namespace } = server.metadata;
  const { proxyAccount } = nameObjects(name);
  return {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "RoleBinding",
    metadata: buildMetadata(server, { name: proxyAccount, labels: labelProxy(name) }),
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: proxyAccount },
    subjects: [{ kind: "ServiceAccount", name: proxyAccount, namespace }],
  };
}
