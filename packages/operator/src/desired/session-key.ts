/** The key that seals session ids, where a request may reach another proxy than the one before. */
import { type JsonObject, labelProxy, nameObjects, readServerMembers, SESSION_KEY_FILE } from "../contract/index.ts";
import { buildMetadata, type DesiredContext } from "./context/context.ts";
import { readSpec } from "./kinds/read-spec.ts";

export const SESSION_KEY = SESSION_KEY_FILE.slice(SESSION_KEY_FILE.lastIndexOf("/") + 1);

/** @returns Whether the proxy has the key: to seal session ids, or to verify that the operator asks whether it is idle. */
export function needsSessionKey({ server }: Pick<DesiredContext, "server">): boolean {
  return readSpec(server).hasReplicas || readServerMembers(server).idle !== undefined;
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
