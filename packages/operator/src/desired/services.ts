/** How clients find the proxy, and the proxy a server that speaks HTTP. */
import { type JsonObject, labelProxy, labelServer, METRICS_LABEL, nameObjects } from "../contract/index.ts";
import { buildMetadata, type DesiredContext, type ServerContext } from "./context/context.ts";
import { readSpec } from "./kinds/read-spec.ts";
import { readServerSpec } from "./kinds/server.ts";

export function buildProxyService({ server }: DesiredContext): JsonObject {
  const { port, proxyReplicas, isSticky } = readSpec(server);
  const { resourceOverrides, telemetry } = server.spec;
  const { labels, annotations } = resourceOverrides?.proxyService ?? {};
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: buildMetadata(server, {
      name: nameObjects(server).proxyService,
      labels: { ...labels, ...labelProxy(server), ...(telemetry?.prometheus && { [METRICS_LABEL]: "true" }) },
      ...(annotations && { annotations }),
    }),
    // Its type is the user's to change, for example to LoadBalancer.
    spec: {
      selector: labelProxy(server),
      ports: [{ name: "http", port, targetPort: port, protocol: "TCP" }],
      // Any proxy serves any session.
      ...(proxyReplicas > 1 && isSticky && { sessionAffinity: "ClientIP" }),
    },
  };
}

export function buildHeadlessService({ server }: ServerContext): JsonObject | undefined {
  const { isStdio, targetPort } = readServerSpec(server);
  if (isStdio) return undefined;
  const { name } = server.metadata;
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: buildMetadata(server, { name: nameObjects(server).headlessService, labels: labelServer(name) }),
    spec: {
      clusterIP: "None",
      selector: labelServer(name),
      ports: [{ name: `port-${targetPort}`, port: targetPort, targetPort, protocol: "TCP" }],
    },
  };
}
