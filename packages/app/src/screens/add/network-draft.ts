/** The form's settings for the network, and the members of a request that they correspond to. */
import type { OperationAnswer } from "../../api/client.ts";
import type { CreateRequest } from "../pasted/source.ts";

export interface NetworkDraft {
  /** Whether what it reaches is limited at all. */
  readonly isIsolated: boolean;
  /** Whether it is limited as the registry's entry says, and the fields show that. */
  readonly followsEntry: boolean;
  /** Whether every host is allowed, on the ports below. */
  readonly isEveryHost: boolean;
  /** One on each line. Without one, nothing is reached. */
  readonly hosts: string;
  /** Without one, every port is allowed. */
  readonly ports: string;
}

type Permissions = NonNullable<OperationAnswer<"getServer">["server"]>["permissions"];
type NetworkRequest = Pick<CreateRequest, "network_isolation" | "permission_profile">;

const MEMBERS = ["isIsolated", "isEveryHost", "hosts", "ports"] as const;

export const EMPTY_NETWORK: NetworkDraft = {
  isIsolated: false,
  followsEntry: true,
  isEveryHost: false,
  hosts: "",
  ports: "443",
};

/** What an entry that lists hosts or ports asks for is the limit, until somebody chooses another one. */
export function followEntry<Draft extends NetworkDraft>(draft: Draft, permissions: Permissions | undefined): Draft {
  if (!draft.followsEntry) return draft;
  const outbound = permissions?.network?.outbound;
  const { insecure_allow_all: isAll, allow_host: hosts = [], allow_port: ports = [] } = outbound ?? {};
  if (isAll === true || hosts.length + ports.length === 0) return { ...draft, followsEntry: false };
  return { ...draft, ...readRules(permissions), isIsolated: true };
}

/** @returns The draft with these members; with one of the network, it follows no entry any more. */
export function changeDraft<Draft extends NetworkDraft>(draft: Draft, next: Partial<Draft>): Draft {
  const followsEntry = draft.followsEntry && !MEMBERS.some((member) => member in next);
  return { ...draft, ...next, followsEntry };
}

/** @returns The members that the form means; without a limit, none. */
export function toNetworkRequest({ isIsolated, followsEntry, ...draft }: NetworkDraft): NetworkRequest {
  if (!isIsolated) return {};
  if (followsEntry) return { network_isolation: true };
  const allow_port = parsePorts(draft.ports);
  const outbound = draft.isEveryHost
    ? { insecure_allow_all: allow_port.length === 0, allow_host: [], allow_port }
    : toHostRules(draft.hosts, allow_port);
  return { network_isolation: true, permission_profile: { network: { outbound } } };
}

/** Ports without a host would mean every host. */
function toHostRules(hosts: string, allow_port: number[]) {
  const allow_host = lines(hosts);
  return { insecure_allow_all: false, allow_host, allow_port: allow_host.length === 0 ? [] : allow_port };
}

/** @returns The form for a request that was made before. */
export function toNetworkDraft({ network_isolation: isolation, permission_profile }: NetworkRequest): NetworkDraft {
  const rules = readRules(permission_profile);
  // A profile that allows nothing is always enforced.
  const isClosed = permission_profile?.network !== undefined && !rules.isEveryHost && rules.hosts === "";
  return { isIsolated: isolation === true || isClosed, followsEntry: false, ...rules };
}

/** @returns The members for a request that was made before: as they were, unless the form says something else now. */
export function editNetwork(before: NetworkRequest, draft: NetworkDraft): NetworkRequest {
  const { network_isolation, permission_profile } = before;
  const shown = toNetworkDraft(before);
  if (MEMBERS.every((member) => draft[member] === shown[member])) {
    return {
      ...(network_isolation !== undefined && { network_isolation }),
      ...(permission_profile !== undefined && { permission_profile }),
    };
  }
  const next = toNetworkRequest(draft);
  const { network, ...rest } = permission_profile ?? {};
  // Rules that are not enforced stay for the next time, but those that allow nothing would still be enforced.
  const isKept = !draft.isIsolated && network !== undefined && (shown.isEveryHost || shown.hosts !== "");
  const profile = { ...rest, ...(isKept && { network }), ...next.permission_profile };
  return { ...next, ...(Object.keys(profile).length > 0 && { permission_profile: profile }) };
}

/** @returns The flag with which `thv run` gets this profile, and what it reads from its input where the profile is none of its own. */
export function toProfileFlag({ permission_profile: profile }: NetworkRequest): {
  readonly flag: readonly string[];
  readonly input?: string;
} {
  if (profile === undefined) return { flag: [] };
  const { insecure_allow_all: isAll, allow_host: hosts = [], allow_port: ports = [] } = profile.network?.outbound ?? {};
  const isNetworkOnly = Object.keys(profile).every((member) => member === "network");
  if (isNetworkOnly && hosts.length + ports.length === 0)
    return { flag: ["--permission-profile", isAll === true ? "network" : "none"] };
  return { flag: ["--permission-profile", "/dev/stdin"], input: JSON.stringify(profile) };
}

function readRules(
  profile: NetworkRequest["permission_profile"] | undefined,
): Pick<NetworkDraft, "isEveryHost" | "hosts" | "ports"> {
  const {
    insecure_allow_all: isAll,
    allow_host: hosts = [],
    allow_port: ports = [],
  } = profile?.network?.outbound ?? {};
  const isOpen = isAll === true || profile === undefined;
  return {
    isEveryHost: isOpen || (hosts.length === 0 && ports.length > 0),
    hosts: isOpen ? "" : hosts.join("\n"),
    // Where everything is allowed, the ports count for nothing.
    ports: isOpen ? "" : ports.join(", "),
  };
}

/** @returns The text of each line of a field. */
export function lines(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);
}

function parsePorts(text: string): number[] {
  return text
    .split(/[\s,]+/)
    .filter(Boolean)
    .map(Number);
}
