/** Permission profiles (api-behaviour 5.1): the two that are built in, and the network rules of a profile. */
import type { PermissionProfile } from "../registry/registry-schema.ts";

const NONE: PermissionProfile = {
  name: "none",
  read: [],
  write: [],
  network: { outbound: { insecure_allow_all: false, allow_host: [], allow_port: [] } },
};
const NETWORK: PermissionProfile = {
  name: "network",
  read: [],
  write: [],
  network: { outbound: { insecure_allow_all: true, allow_host: [], allow_port: [] } },
};

/** By name; `stdio` is an older name of `none`. */
const BUILT_IN: Readonly<Record<string, PermissionProfile>> = { none: NONE, stdio: NONE, network: NETWORK };

/** The profiles that are known by name alone, for help and messages. */
export const BUILT_IN_PROFILES = ["none", "network"] as const;

export function isBuiltInProfile(name: string): boolean {
  return Object.hasOwn(BUILT_IN, name);
}

/** A profile of which only a name is given is the built-in of that name: its name must not promise more than it does. */
export function resolveProfile(profile: PermissionProfile): PermissionProfile {
  const { name, read = [], write = [], network } = profile;
  const isNameOnly = network === undefined && read.length === 0 && write.length === 0;
  return (isNameOnly && name !== undefined && isBuiltInProfile(name) && BUILT_IN[name]) || profile;
}

/** Allowed targets; with empty lists and `allowAll` false, none. */
export interface Outbound {
  readonly allowAll: boolean;
  /** Exact names, `.domain` with everything below it, `*.domain` for what is below it, and IPv4 addresses. */
  readonly hosts: readonly string[];
  readonly ports: readonly number[];
}

/** Without a profile everything is allowed; a profile without network rules allows nothing. */
export function readOutbound(profile: PermissionProfile | undefined): Outbound {
  const { insecure_allow_all, allow_host = [], allow_port = [] } = (profile ?? NETWORK).network?.outbound ?? {};
  return { allowAll: insecure_allow_all ?? false, hosts: allow_host, ports: allow_port };
}

/** Whether a profile has network rules that allow nothing. */
export function forbidsNetwork(profile: PermissionProfile | undefined): boolean {
  if (profile?.network === undefined) return false;
  const { allowAll, hosts, ports } = readOutbound(profile);
  return !allowAll && hosts.length === 0 && ports.length === 0;
}
