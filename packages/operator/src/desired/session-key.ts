/** The key that seals session ids, where a request may reach another proxy than the one before. */
import { type JsonObject, labelProxy, nameObjects, SESSION_KEY_FILE } from "../contract/index.ts";
import { buildMetadata, type DesiredContext, readSpec } from "./context/context.ts";

export const SESSION_KEY = SESSION_KEY_FILE.slice(SESSION_KEY_FILE.lastIndexOf("/") + 1);

/** @returns Whether the server or its proxy has several pods. Those of a server on stdio have one each. */
export function hasReplicas({ server }: Pick<DesiredContext, "server">): boolean {
  const { isStdio, replicas, proxyReplicas } = readSpec(server);
  // Sessions of a server elsewhere have ids that this server made, and any proxy takes them there.
  if (server.remote !== undefined) return false;
  return !isStdio && (replicas > 1 || proxyReplicas > 1);
}

/** @returns Whether the proxy has the key: to seal session ids, or to know that it is the operator who asks whether it is idle. */
export function needsSessionKey({ server }: Pick<DesiredContext, "server">): boolean {
  return hasReplicas({ server }) || server.spec.idle !== undefined;
}

export function buildSessionKey(context: DesiredContext): JsonObject | undefined {
  if (!needsSessionKey(context)) return undefined;
  const { server, sessionKey } = context;
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: buildMetadata(server, { name: nameObjects(server).sessionKey, labels: labelProxy(server) }),
    type: "Opaque",
    data: { [SESSION_KEY]: sessionKey },
  };
}
