/** The server of one MCPServer. */
import { ASLEEP_ANNOTATION, type JsonObject, labelServer, nameObjects } from "../contract/index.ts";
import { buildMetadata, type ServerContext } from "./context/context.ts";
import { readServerSpec } from "./kinds/server.ts";
import { buildServerTemplate } from "./pod-template.ts";

export function buildStatefulSet(context: ServerContext): JsonObject {
  const { server, isAsleep = false } = context;
  const { name } = server.metadata;
  return {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: buildMetadata(server, {
      name: nameObjects(server).statefulSet,
      labels: labelServer(name),
      ...(isAsleep && { annotations: { [ASLEEP_ANNOTATION]: "true" } }),
    }),
    spec: {
      replicas: isAsleep ? 0 : readServerSpec(server).replicas,
      serviceName: name,
      // With the other policy, a pod that never becomes ready is not replaced by one of a corrected template.
      podManagementPolicy: "Parallel",
      selector: { matchLabels: { app: name } },
      template: buildServerTemplate(context),
    },
  };
}
