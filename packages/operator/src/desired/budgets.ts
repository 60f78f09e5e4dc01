/** Where there are several pods, a drained node takes one at a time. */
import { type JsonObject, labelProxy, labelServer, nameObjects } from "../contract/index.ts";
import { buildMetadata, type DesiredContext, type ServerContext } from "./context/context.ts";
import { readSpec } from "./kinds/read-spec.ts";
import { readServerSpec } from "./kinds/server.ts";

export function buildServerBudget({ server }: ServerContext): JsonObject | undefined {
  const { name } = server.metadata;
  return readServerSpec(server).replicas > 1
    ? buildBudget(server, nameObjects(server).serverBudget, labelServer(name))
    : undefined;
}

export function buildProxyBudget({ server }: DesiredContext): JsonObject | undefined {
  return readSpec(server).proxyReplicas > 1
    ? buildBudget(server, nameObjects(server).proxyBudget, labelProxy(server))
    : undefined;
}

function buildBudget(server: DesiredContext["server"], name: string, labels: Record<string, string>): JsonObject {
  return {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: buildMetadata(server, { name, labels }),
    spec: { maxUnavailable: 1, selector: { matchLabels: labels } },
  };
}
