/** The sidecar in a server's pod that enforces the network rules of its permission profile. */
import { readOutbound } from "@toolhive/core/permissions";
import { RULES_VARIABLE, type SidecarRules } from "@toolhive/core/sidecar-rules";
import { type JsonObject, SIDECAR_CONTAINER } from "../contract/index.ts";
import { type DesiredContext, readSpec } from "./context/context.ts";
import { readProfile } from "./context/profile.ts";

/** @returns The native sidecar; `undefined` when the server has no profile, or no sidecar may run. */
export function buildSidecar(context: DesiredContext): JsonObject | undefined {
  const { server, settings, sidecarRefusal } = context;
  const profile = readProfile(context);
  if (profile === undefined || settings.sidecarImage === undefined || sidecarRefusal !== undefined) return undefined;
  const { isStdio, targetPort } = readSpec(server);
  const rules: SidecarRules = {
    ...readOutbound(profile),
    closed: settings.closedNetworks,
    ...(!isStdio && { ingressPort: targetPort }),
  };
  return {
    name: SIDECAR_CONTAINER,
    image: settings.sidecarImage,
    restartPolicy: "Always",
    env: [{ name: RULES_VARIABLE, value: JSON.stringify(rules) }],
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
