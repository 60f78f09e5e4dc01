/** Whether a sidecar may run beside a server. */
import { KIND, type Proxied } from "../../../contract/index.ts";
import { findSidecarObstacle, type OperatorSettings } from "../../../desired/index.ts";
import type { NamespaceLimits } from "./namespace-limits.ts";

const SWITCHED_OFF =
  "this operator starts no sidecars (TOOLHIVE_SIDECAR_IMAGE is none). Name an image there, or list addresses instead of names in the profile.";
const REFUSED_PODS = "pods with NET_ADMIN are refused";

interface CheckedServer {
  readonly server: Proxied;
  /** Why its pods cannot be made. */
  readonly podFailure: string | undefined;
  /** The last answer. */
  readonly sidecarRefusal: string | undefined;
}

interface RefusalOptions {
  readonly settings: OperatorSettings;
  readonly limits: NamespaceLimits;
  readonly signal: AbortSignal;
}

/** @returns Why not, with the next step. `undefined`: it may, or the server has no profile. @throws {ClusterError} */
export async function findSidecarRefusal(
  { server, podFailure = "", sidecarRefusal }: CheckedServer,
  { settings, limits, signal }: RefusalOptions,
): Promise<string | undefined> {
  if (server.kind !== KIND || server.spec.permissionProfile === undefined) return undefined;
  if (settings.sidecarImage === undefined) return SWITCHED_OFF;
  const obstacle = findSidecarObstacle(server);
  if (obstacle !== undefined) return obstacle;
  // A cluster may forbid it in other ways, which show when pods are made.
  if (/NET_ADMIN/.test(podFailure)) return `${REFUSED_PODS}: ${podFailure}`;
  const found = await limits.findSidecarRefusal(server.metadata.namespace, signal);
  return found ?? (sidecarRefusal?.startsWith(REFUSED_PODS) ? sidecarRefusal : undefined);
}
