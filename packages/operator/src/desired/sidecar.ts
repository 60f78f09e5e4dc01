/** The sidecar in a server's pod that enforces the network rules of its permission profile (decision 0008). */
import { readOutbound } from "@toolhive/core/permissions";
import {
  CLOSED_FILE_VARIABLE,
  PROBE_PATH,
  PROBE_PORT,
  RULES_VARIABLE,
  type SidecarRules,
} from "@toolhive/core/sidecar-rules";
import { type JsonObject, labelServer, nameObjects, SIDECAR_CONTAINER } from "../contract/index.ts";
import { buildMetadata, type ServerContext } from "./context/context.ts";
import { readProfile } from "./context/profile.ts";
import { readServerSpec } from "./kinds/server.ts";

/** The volume with the closed networks, and where the sidecar finds it. */
export const CLOSED_VOLUME = "toolhive-closed-networks";
const CLOSED_FOLDER = "/etc/toolhive/network";
const CLOSED_KEY = "closed.json";
/** Small pages for a small program: the young generation of its heap, MiB. */
const NODE_OPTIONS = "--max-semi-space-size=1 --max-old-space-size=64";

/** @returns Whether the server's pod has one: the server has a profile, and a sidecar may run. */
export function hasSidecar({ server, settings, sidecarRefusal }: ServerContext): boolean {
  const { permissionProfile } = server.spec;
  return permissionProfile !== undefined && settings.sidecarImage !== undefined && sidecarRefusal === undefined;
}

/** @returns The native sidecar; `undefined` when the pod has none. */
export function buildSidecar(context: ServerContext): JsonObject | undefined {
  const { server, settings } = context;
  const profile = readProfile(context);
  if (profile === undefined || !hasSidecar(context)) return undefined;
  const { isStdio, targetPort } = readServerSpec(server);
  const rules: SidecarRules = {
    ...readOutbound(profile),
    // In the file, which changes while the pod stays.
    closed: [],
    inPod: true,
    ...(!isStdio && { ingressPort: targetPort }),
  };
  const probe = { httpGet: { path: PROBE_PATH, port: PROBE_PORT } };
  return {
    name: SIDECAR_CONTAINER,
    image: settings.sidecarImage,
    args: ["sidecar"],
    restartPolicy: "Always",
    env: [
      { name: RULES_VARIABLE, value: JSON.stringify(rules) },
      { name: CLOSED_FILE_VARIABLE, value: `${CLOSED_FOLDER}/${CLOSED_KEY}` },
      { name: "NODE_OPTIONS", value: NODE_OPTIONS },
    ],
    volumeMounts: [{ name: CLOSED_VOLUME, mountPath: CLOSED_FOLDER, readOnly: true }],
    // Whatever follows in the pod starts after its first success: by then the rules are in force.
    startupProbe: { ...probe, periodSeconds: 1, failureThreshold: 120 },
    livenessProbe: { ...probe, periodSeconds: 20, timeoutSeconds: 5, failureThreshold: 3 },
    // Its last line says why it could not set the rules; the operator shows it in a condition.
    terminationMessagePolicy: "FallbackToLogsOnError",
    resources: { requests: { cpu: "10m", memory: "64Mi" }, limits: { cpu: "1", memory: "256Mi" } },
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      // It becomes a user of its own and gives these up once its packet rules are in force.
      runAsNonRoot: false,
      runAsUser: 0,
      runAsGroup: 0,
      capabilities: { drop: ["ALL"], add: ["NET_ADMIN", "SETGID", "SETUID"] },
    },
  };
}

/**
 * The cluster's networks, which a profile opens by address only. They are not part of the pod, because a new node must not
 * replace it.
 */
export function buildClosedNetworks(context: ServerContext): JsonObject | undefined {
  if (!hasSidecar(context)) return undefined;
  const { server, settings } = context;
  const { name } = server.metadata;
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: buildMetadata(server, { name: nameObjects(server).closedNetworks, labels: labelServer(name) }),
    data: { [CLOSED_KEY]: JSON.stringify(settings.closedNetworks) },
  };
}
