/** The pod of a server: the user's template, what the MCPServer says, and what is filled in where both are silent. */
import { buildProxyEnv } from "@toolhive/core/sidecar-rules";
import {
  type JsonObject,
  labelServer,
  nameObjects,
  PROXY_LABEL,
  REFERENCES_ANNOTATION,
  SERVER_CONTAINER,
} from "../contract/index.ts";
import type { ServerContext } from "./context/context.ts";
import { readServerSpec } from "./kinds/server.ts";
import { spreadOverNodes } from "./proxy-deployment.ts";
import { buildSidecar, CLOSED_VOLUME } from "./sidecar.ts";

/** User and group of a server when its specification names none. */
const USER = 1000;

export function buildServerTemplate(context: ServerContext): JsonObject {
  const { server, references, settings } = context;
  const { metadata = {}, spec = {} } = server.spec.podTemplateSpec ?? {};
  const { replicas } = readServerSpec(server);
  const labels = labelServer(server.metadata.name);
  const { containers = [], initContainers = [], volumes = [], securityContext, ...rest } = spec;
  // With this one, its pods could take the calls of another MCPServer.
  const { [PROXY_LABEL]: _, ...ownLabels } = metadata.labels ?? {};
  const restrict = settings.allowsPrivilegedServers ? (each: JsonObject) => each : restrictContainer;
  const others = containers.filter(({ name }: JsonObject) => name !== SERVER_CONTAINER).map(restrict);
  const own = containers.find(({ name }: JsonObject) => name === SERVER_CONTAINER) ?? {};
  const sidecar = buildSidecar(context);
  const ownVolumes = [
    ...(server.spec.volumes ?? []).map(({ name, hostPath }) => ({ name, hostPath: { path: hostPath } })),
    ...(sidecar ? [{ name: CLOSED_VOLUME, configMap: { name: nameObjects(server).closedNetworks } }] : []),
  ];
  return {
    metadata: {
      labels: { ...ownLabels, ...labels },
      annotations: {
        ...metadata.annotations,
        ...(references.serverDigest && { [REFERENCES_ANNOTATION]: references.serverDigest }),
      },
    },
    spec: {
      restartPolicy: "Always",
      enableServiceLinks: false,
      ...(replicas > 1 && { topologySpreadConstraints: [spreadOverNodes(labels)] }),
      ...buildAccount(context),
      ...rest,
      securityContext: fillPodSecurity(securityContext),
      containers: [
        buildServerContainer(context, own, { podSecurity: securityContext, isFiltered: !!sidecar }),
        ...others,
      ],
      // Before all others, so that nothing in the pod has a network that is not limited yet.
      ...((sidecar || initContainers.length > 0) && {
        initContainers: [...(sidecar ? [sidecar] : []), ...initContainers.map(restrict)],
      }),
      ...(volumes.length + ownVolumes.length > 0 && { volumes: mergeByName(volumes, ownVolumes) }),
    },
  };
}

/** A server has no business with the API server, unless somebody gives it an account. */
function buildAccount({ server }: ServerContext): JsonObject {
  const { serviceAccount, podTemplateSpec } = server.spec;
  const isGiven = podTemplateSpec?.spec?.serviceAccountName !== undefined;
  if (serviceAccount) return { serviceAccountName: serviceAccount };
  return isGiven ? {} : { automountServiceAccountToken: false };
}

interface ContainerOptions {
  /** Of the user's template. */
  readonly podSecurity: JsonObject | undefined;
  /** Whether a sidecar filters what it sends. */
  readonly isFiltered: boolean;
}

function buildServerContainer(
  { server }: ServerContext,
  own: JsonObject,
  { podSecurity = {}, isFiltered }: ContainerOptions,
): JsonObject {
  const { image, args, volumes = [] } = server.spec;
  const { isStdio, targetPort } = readServerSpec(server);
  const mounts = volumes.map(({ name, mountPath, readOnly = false }) => ({ name, mountPath, readOnly }));
  return {
    ...own,
    name: SERVER_CONTAINER,
    image,
    ...(args && { args: [...args] }),
    ...(isStdio ? { stdin: true, stdinOnce: false, tty: false } : {}),
    // A server that honours them learns from an answer what is refused; the traffic of others is brought to the sidecar.
    env: mergeByName(
      isFiltered ? Object.entries(buildProxyEnv()).map(([name, value]) => ({ name, value })) : [],
      listEnv(server.spec, own.env ?? [], isStdio ? undefined : targetPort),
    ),
    ...(!isStdio && {
      ports: [
        ...(own.ports ?? []).filter(({ containerPort }: JsonObject) => containerPort !== targetPort),
        { name: "mcp", containerPort: targetPort, protocol: "TCP" },
      ],
    }),
    ...(mounts.length > 0 && {
      volumeMounts: [
        ...(own.volumeMounts ?? []).filter(
          ({ mountPath }: JsonObject) => !mounts.some((mount) => mount.mountPath === mountPath),
        ),
        ...mounts,
      ],
    }),
    securityContext: fillContainerSecurity(own.securityContext, podSecurity),
  };
}

/** A later variable replaces an earlier one of its name: the template's, the plain ones, those of Secrets, the transport's. */
function listEnv(
  { env = [], secrets = [], transport = "stdio" }: ServerContext["server"]["spec"],
  own: readonly JsonObject[],
  port: number | undefined,
): JsonObject[] {
  return mergeByName(
    own,
    env.map(({ name, value }) => ({ name, value })),
    secrets.map(({ name, key, targetEnvName }) => ({
      name: targetEnvName || key,
      valueFrom: { secretKeyRef: { name, key } },
    })),
    [{ name: "MCP_TRANSPORT", value: transport }],
    port === undefined
      ? []
      : [
          { name: "MCP_PORT", value: String(port) },
          { name: "FASTMCP_PORT", value: String(port) },
          // No other pod could reach a server that listens on the loopback address only.
          { name: "MCP_HOST", value: "0.0.0.0" },
        ],
  );
}

function mergeByName(...lists: readonly (readonly JsonObject[])[]): JsonObject[] {
  return [...new Map(lists.flat().map((item) => [item.name, item])).values()];
}

function fillPodSecurity(given: JsonObject = {}): JsonObject {
  return {
    runAsNonRoot: given.runAsUser !== 0,
    runAsUser: USER,
    runAsGroup: USER,
    fsGroup: USER,
    seccompProfile: { type: "RuntimeDefault" },
    ...given,
  };
}

/** Without this, a container could gain the rights that its files give. */
function restrictContainer(container: JsonObject): JsonObject {
  const securityContext = { privileged: false, allowPrivilegeEscalation: false, ...container.securityContext };
  return { ...container, securityContext };
}

/** The pod's settings in the template also apply to the container where the container has none of its own. */
function fillContainerSecurity(given: JsonObject = {}, pod: JsonObject = {}): JsonObject {
  const { runAsUser = pod.runAsUser ?? USER, runAsGroup = pod.runAsGroup ?? USER } = given;
  return {
    privileged: false,
    ...(!needsEscalation(given) && { allowPrivilegeEscalation: false }),
    readOnlyRootFilesystem: true,
    runAsNonRoot: pod.runAsNonRoot ?? runAsUser !== 0,
    runAsUser,
    runAsGroup,
    capabilities: { drop: ["ALL"] },
    ...given,
  };
}

/** Kubernetes refuses a container that asks for one of these and has `allowPrivilegeEscalation: false`. */
function needsEscalation({ privileged, capabilities }: JsonObject): boolean {
  return privileged === true || (capabilities?.add ?? []).includes("CAP_SYS_ADMIN");
}
