/** The second barrier around a server: what the cluster's network allows, whatever runs in the pod. */
import { type Outbound, readOutbound } from "@toolhive/core/permissions";
import { type JsonObject, labelProxy, labelServer, nameObjects } from "../contract/index.ts";
import { buildMetadata, type ServerContext } from "./context/context.ts";
import { readProfile } from "./context/profile.ts";
import { readServerSpec } from "./kinds/server.ts";

const ALL = "0.0.0.0/0";
const IPV4 = /^\d{1,3}(?:\.\d{1,3}){3}$/;

/** @returns A policy for a server that has rules: of its permission profile, or about who may call. */
export function buildNetworkPolicy(context: ServerContext): JsonObject | undefined {
  const { server, settings } = context;
  const { permissionProfile, oidcConfig, authzConfig, tools, toolConfigRef } = server.spec;
  const profile = readProfile(context);
  const rules = [permissionProfile, oidcConfig, authzConfig, tools, toolConfigRef];
  if (rules.every((each) => each === undefined)) return undefined;
  const { name } = server.metadata;
  const { isStdio, targetPort } = readServerSpec(server);
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata: buildMetadata(server, { name: nameObjects(server).networkPolicy, labels: labelServer(name) }),
    spec: {
      podSelector: { matchLabels: labelServer(name) },
      policyTypes: profile === undefined ? ["Ingress"] : ["Ingress", "Egress"],
      // Only the proxy asks a server: it knows who may call what.
      ingress: isStdio
        ? []
        : [
            {
              from: [{ podSelector: { matchLabels: labelProxy(server) } }],
              ports: [{ protocol: "TCP", port: targetPort }],
            },
          ],
      ...(profile !== undefined && { egress: listEgress(readOutbound(profile), settings.closedNetworks) }),
    },
  };
}

/** A NetworkPolicy cannot hold names: a profile with names opens all but the closed networks, and the sidecar the rest. */
function listEgress({ allowAll, hosts, ports }: Outbound, closed: readonly string[]): JsonObject[] {
  if (!allowAll && hosts.length === 0 && ports.length === 0) return [];
  const addresses = hosts.filter((host) => IPV4.test(host)).map((host) => ({ ipBlock: { cidr: `${host}/32` } }));
  const isByName = allowAll || addresses.length < hosts.length || hosts.length === 0;
  const except = closed.map((network) => (network.includes("/") ? network : `${network}/32`));
  const open = { ipBlock: { cidr: ALL, ...(except.length > 0 && { except }) } };
  return [
    ...(isByName ? [DNS] : []),
    {
      to: [...(isByName ? [open] : []), ...addresses],
      ...(!allowAll && ports.length > 0 && { ports: ports.map((port) => ({ protocol: "TCP", port })) }),
    },
  ];
}

const DNS: JsonObject = {
  ports: [
    { protocol: "UDP", port: 53 },
    { protocol: "TCP", port: 53 },
  ],
};
