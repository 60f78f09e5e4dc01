/** How clients find the proxy, and the proxy a server that speaks HTTP. */
import { type JsonObject, labelProxy, labelServer, METRICS_LABEL, nameObjects } from "../contract/index.ts";
import { buildMetadata, type DesiredContext, readSpec } from "./context/context.ts";

export function buildProxyService({ server }: DesiredContext): JsonObject {
  const { transport, port, proxyReplicas } = readSpec(server);
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
      // Any proxy serves any session. Over HTTP with SSE, calls and answers take two ways, which only one proxy sees both of: its
      // audit log and its metrics are whole when a client stays with it.
      // One of a server elsewhere also remembers whose a session is.
      ...(proxyReplicas > 1 && (transport === "sse" || server.remote) && { sessionAffinity: "ClientIP" }),
    },
  };
}

export function buildHeadlessService({ server }: DesiredContext): JsonObject | undefined {
  const { isStdio, targetPort } = readSpec(server);
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
