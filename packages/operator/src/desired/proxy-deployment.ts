/** The proxy of one MCPServer, MCPRemoteProxy or MCPGroup. */
import {
  AUTHZ_FILE,
  CA_FILE,
  type JsonObject,
  labelProxy,
  nameObjects,
  PROXY_CONTAINER,
  REFERENCES_ANNOTATION,
  REMOTE_FOLDER,
  RUNNER_CONFIG_FILE,
  RUNNER_HEALTH_PORT,
  readFixedMembers,
  SERVER_LABEL,
  SESSION_KEY_FILE,
} from "../contract/index.ts";
import { needsAccountFiles } from "./access.ts";
import { buildRunnerConfig, GROUP_KEY, INLINE_POLICIES_KEY, RUNNER_CONFIG_KEY } from "./config-maps.ts";
import { buildMetadata, type DesiredContext } from "./context/context.ts";
import { digest } from "./context/digest.ts";
import { readSpec } from "./kinds/read-spec.ts";
import { needsSessionKey } from "./session-key.ts";

/** Seconds and counts of the probes: those of liveness are the reference's; a proxy that was killed is asked for at once. */
const LIVENESS = { initialDelaySeconds: 30, periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 3 };
const READINESS = { initialDelaySeconds: 1, periodSeconds: 2, timeoutSeconds: 3, failureThreshold: 3 };

const RUNNER_VOLUME = "runner";
const POLICIES_VOLUME = "policies";
const SESSIONS_VOLUME = "sessions";
const CA_VOLUME = "ca";
const REMOTE_VOLUME = "remote";

export function buildProxyDeployment(context: DesiredContext): JsonObject {
  const { server } = context;
  const { isStdio, proxyReplicas } = readSpec(server);
  const { annotations } = server.spec.resourceOverrides?.proxyDeployment ?? {};
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: buildMetadata(server, {
      name: nameObjects(server).deployment,
      labels: { ...listOwnLabels(server), ...labelProxy(server) },
      ...(annotations && { annotations }),
    }),
    spec: {
      replicas: proxyReplicas,
      selector: { matchLabels: labelProxy(server) },
      // Two proxies attached to one process would both read its answers.
      strategy: isStdio
        ? { type: "Recreate" }
        : { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
      template: buildTemplate(context),
    },
  };
}

function buildTemplate(context: DesiredContext): JsonObject {
  const { server } = context;
  const { proxyReplicas, account = nameObjects(server).proxyAccount } = readSpec(server);
  const overrides = server.spec.resourceOverrides?.proxyDeployment ?? {};
  return {
    metadata: {
      labels: { ...listOwnLabels(server), ...labelProxy(server) },
      annotations: { ...overrides.annotations, [REFERENCES_ANNOTATION]: digestReferences(context) },
    },
    spec: {
      serviceAccountName: account,
      automountServiceAccountToken: hasToken(context),
      enableServiceLinks: false,
      securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
      containers: [buildContainer(context)],
      volumes: listVolumes(context),
      ...(proxyReplicas > 1 && { topologySpreadConstraints: [spreadOverNodes(labelProxy(server))] }),
    },
  };
}

/** Those of the user, without the one by which a pod would count as a server's. */
function listOwnLabels({ spec }: DesiredContext["server"]): Record<string, string> {
  const { [SERVER_LABEL]: _, ...labels } = spec.resourceOverrides?.proxyDeployment?.labels ?? {};
  return labels;
}

function buildContainer(context: DesiredContext): JsonObject {
  const { server, settings } = context;
  const { port, listFiles } = readSpec(server);
  const { resources, resourceOverrides, authzConfig, oidcConfig } = server.spec;
  const env = resourceOverrides?.proxyDeployment?.env ?? [];
  return {
    name: PROXY_CONTAINER,
    image: settings.runnerImage,
    args: ["runner"],
    ports: [
      { name: "http", containerPort: port, protocol: "TCP" },
      { name: "health", containerPort: RUNNER_HEALTH_PORT, protocol: "TCP" },
    ],
    ...(env.length > 0 && { env: env.map(({ name, value }) => ({ name, value })) }),
    ...(resources && { resources }),
    livenessProbe: { httpGet: { path: "/health", port: "http" }, ...LIVENESS },
    readinessProbe: { httpGet: { path: "/readyz", port: "health" }, ...READINESS },
    securityContext: {
      allowPrivilegeEscalation: false,
      privileged: false,
      readOnlyRootFilesystem: true,
      runAsNonRoot: true,
      capabilities: { drop: ["ALL"] },
    },
    volumeMounts: [
      { name: RUNNER_VOLUME, mountPath: cutFolder(RUNNER_CONFIG_FILE), readOnly: true },
      ...(authzConfig ? [{ name: POLICIES_VOLUME, mountPath: cutFolder(AUTHZ_FILE), readOnly: true }] : []),
      ...(needsSessionKey(context)
        ? [{ name: SESSIONS_VOLUME, mountPath: cutFolder(SESSION_KEY_FILE), readOnly: true }]
        : []),
      ...(listFiles().length > 0 ? [{ name: REMOTE_VOLUME, mountPath: REMOTE_FOLDER, readOnly: true }] : []),
      ...(oidcConfig?.caBundle ? [{ name: CA_VOLUME, mountPath: cutFolder(CA_FILE), readOnly: true }] : []),
    ],
  };
}

function listVolumes(context: DesiredContext): JsonObject[] {
  const { server } = context;
  const { caBundle } = server.spec.oidcConfig ?? {};
  const { groupNaming, listFiles } = readSpec(server);
  const sources = listFiles().map(({ kind, name, key, file }) => ({
    [kind === "Secret" ? "secret" : "configMap"]: { name, items: [{ key, path: file }] },
  }));
  const { runnerConfig, sessionKey } = nameObjects(server);
  const keys = [RUNNER_CONFIG_KEY, ...(groupNaming === undefined ? [] : [GROUP_KEY])];
  const runner = { name: runnerConfig, items: keys.map(toItem) };
  return [
    { name: RUNNER_VOLUME, configMap: runner },
    ...(needsSessionKey(context) ? [{ name: SESSIONS_VOLUME, secret: { secretName: sessionKey } }] : []),
    ...listPolicyVolumes(context),
    ...(sources.length > 0 ? [{ name: REMOTE_VOLUME, projected: { sources } }] : []),
    ...(caBundle
      ? [
          {
            name: CA_VOLUME,
            configMap: { name: caBundle.name, items: [{ key: caBundle.key ?? "ca.crt", path: cutFile(CA_FILE) }] },
          },
        ]
      : []),
  ];
}

function listPolicyVolumes({ server }: DesiredContext): JsonObject[] {
  const { authzConfig } = server.spec;
  if (authzConfig === undefined) return [];
  const { inlinePolicies } = nameObjects(server);
  const configMap =
    authzConfig.type === "inline"
      ? { name: inlinePolicies, items: [toItem(INLINE_POLICIES_KEY)] }
      : {
          name: authzConfig.configMap?.name ?? "",
          items: [{ key: authzConfig.configMap?.key ?? INLINE_POLICIES_KEY, path: cutFile(AUTHZ_FILE) }],
        };
  return [{ name: POLICIES_VOLUME, configMap }];
}

function hasToken(context: DesiredContext): boolean {
  return readSpec(context.server).isStdio || needsAccountFiles(context);
}

/** Everything in ConfigMaps and Secrets that the proxy reads once, when it starts. */
function digestReferences(context: DesiredContext): string {
  const { inline } = context.server.spec.authzConfig ?? {};
  const all: unknown[] = [readFixedMembers(buildRunnerConfig(context)), inline ?? null, context.references.proxyDigest];
  // The key has 32 random bytes, so that its digest gives nothing away.
  if (needsSessionKey(context)) all.push(context.sessionKey);
  // A pod's token is for one account: that of the same name, made again, is another one, and the token is refused.
  if (hasToken(context) && context.accountUid !== undefined) all.push(context.accountUid);
  return digest(all);
}

/** Pods on different nodes, as far as there are any. */
export function spreadOverNodes(matchLabels: Readonly<Record<string, string>>): JsonObject {
  return {
    maxSkew: 1,
    topologyKey: "kubernetes.io/hostname",
    whenUnsatisfiable: "ScheduleAnyway",
    labelSelector: { matchLabels },
  };
}

function toItem(key: string): JsonObject {
  return { key, path: key };
}

function cutFolder(path: string): string {
  return path.slice(0, path.lastIndexOf("/"));
}

function cutFile(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
