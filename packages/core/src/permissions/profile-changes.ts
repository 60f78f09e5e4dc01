/** Profiles that are made of what a server needs: one more target, or everything that was learned. */
import type { PermissionProfile } from "../registry/registry-schema.ts";
import type { Outbound } from "./permission-profile.ts";

interface Target {
  readonly host: string;
  /** Absent: every port that is allowed. */
  readonly port?: number | undefined;
}

/**
 * The members that allow it, and as little else as a profile can express: hosts and ports are two lists, so a new port is open on
 * every host, and an empty list means all of them.
 */
export function addTarget({ allowAll, hosts, ports }: Outbound, { host, port }: Target): Outbound {
  const isEveryHost = hosts.length === 0 && ports.length > 0;
  const isEveryPort = ports.length === 0 && hosts.length > 0;
  const name = host.toLowerCase().replace(/\.$/, "");
  return {
    allowAll,
    hosts: isEveryHost || hosts.includes(name) ? hosts : [...hosts, name],
    ports: isEveryPort || port === undefined || ports.includes(port) ? ports : [...ports, port],
  };
}

/** Whether the sidecar allows a target by its name. Without a port: on some port. */
export function allowsTarget({ allowAll, hosts, ports }: Outbound, { host, port }: Target): boolean {
  if (allowAll) return true;
  if (hosts.length === 0 && ports.length === 0) return false;
  const name = host.toLowerCase().replace(/\.$/, "");
  const isHost = hosts.length === 0 || hosts.some((entry) => covers(entry.toLowerCase().replace(/\.$/, ""), name));
  return isHost && (port === undefined || ports.length === 0 || ports.includes(port));
}

function covers(entry: string, name: string): boolean {
  if (entry.startsWith("*.")) return name.endsWith(entry.slice(1)) && name.length > entry.length - 1;
  if (entry.startsWith(".")) return name === entry.slice(1) || name.endsWith(entry);
  return name === entry;
}

/** @returns The profile with these network rules and the rest unchanged. It has no name, because no built-in profile is equal. */
export function withOutbound(
  { read, write }: PermissionProfile,
  { allowAll, hosts, ports }: Outbound,
): PermissionProfile {
  return {
    ...(read && { read }),
    ...(write && { write }),
    network: {
      outbound: { insecure_allow_all: allowAll, allow_host: [...hosts], allow_port: [...ports] },
    },
  };
}

/** The smallest profile that permits all learned targets. */
export function buildSmallestProfile(
  profile: PermissionProfile | undefined,
  learned: readonly Required<Target>[],
): PermissionProfile {
  const hosts = [...new Set(learned.map(({ host }) => host))].sort();
  const ports = [...new Set(learned.map(({ port }) => port ?? 0))].sort((left, right) => left - right);
  return withOutbound(profile ?? {}, { allowAll: false, hosts, ports });
}
