/** What a pod template says that keeps a sidecar from limiting the server. */
import type { JsonObject, MCPServer } from "../../contract/index.ts";

/** Capabilities with which a process changes packet rules, or becomes the user whose packets they let out. */
const STRONG = ["ALL", "NET_ADMIN", "SYS_ADMIN", "SETUID", "SETGID", "SYS_PTRACE", "SYS_MODULE", "BPF"];
/** Of those, the ones that root has unless they are dropped. */
const USUAL = ["SETUID", "SETGID"];

/** @returns Why no sidecar may run in the server's pod, with the next step. `undefined`: it may. */
export function findSidecarObstacle({ spec }: MCPServer): string | undefined {
  return spec.podTemplateSpec?.spec?.hostNetwork === true
    ? "spec.podTemplateSpec.spec.hostNetwork puts the server into the node's own network, where a sidecar would filter the whole node. Remove it to have both."
    : undefined;
}

/** @returns Which container of the pod can undo the sidecar's rules, with the next step. `undefined`: none. */
export function findWeakness({ spec }: MCPServer): string | undefined {
  const pod: JsonObject = spec.podTemplateSpec?.spec ?? {};
  for (const list of ["containers", "initContainers"]) {
    for (const container of pod[list] ?? []) {
      const member = findStrongMember(
        container.securityContext ?? {},
        pod.securityContext ?? {},
        container.name === "mcp",
      );
      if (member === undefined) continue;
      return `Container "${container.name}" can undo the sidecar's rules: ${member}. Remove it from spec.podTemplateSpec.spec.${list}.`;
    }
  }
  return undefined;
}

/** @param isServer The operator drops members that the template of the server's container does not have. */
function findStrongMember(own: JsonObject, pod: JsonObject, isServer: boolean): string | undefined {
  if (own.privileged === true) return "securityContext.privileged";
  const { add = [], drop = isServer && own.capabilities === undefined ? ["ALL"] : [] } = own.capabilities ?? {};
  const bare = (name: unknown) => String(name).toUpperCase().replace(/^CAP_/, "");
  const added = add.map(bare).find((name: string) => STRONG.includes(name));
  if (added !== undefined) return `securityContext.capabilities.add has ${added}`;
  const isRoot = (own.runAsUser ?? pod.runAsUser) === 0;
  const dropped: string[] = drop.map(bare);
  const keeps = USUAL.find((name) => !dropped.includes("ALL") && !dropped.includes(name));
  return isRoot && keeps !== undefined ? `it runs as root and does not drop ${keeps}` : undefined;
}
