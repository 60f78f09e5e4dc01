/** Changes the network rules of an existing workload. */
import { isIP } from "node:net";
import { quote } from "@toolhive/http/values";
import { readOutbound } from "../permissions/permission-profile.ts";
import { addTarget, buildSmallestProfile, withOutbound } from "../permissions/profile-changes.ts";
import { describeReach } from "../reach/network-reach.ts";
import type { PermissionProfile } from "../registry/registry-schema.ts";
import type { LearnedTarget } from "../sidecar-rules/learned.ts";
import { ThvError } from "../support/errors.ts";
import { type NetworkAccess, resolveNetworkAccess } from "../workload/network-access.ts";
import type { RunConfig } from "../workload/run-config.ts";
import type { NetworkMembers } from "./state/desired-config.ts";

export interface NetworkTarget {
  /** A name, `.domain`, `*.domain` or an IPv4 address. */
  readonly host: string;
  /** Absent: every port that is allowed. */
  readonly port?: number | undefined;
}

export interface NetworkState {
  readonly access: NetworkAccess;
  /** What it may reach, as a sentence. */
  readonly reach: string;
  /** What it may do now; without one, everything is allowed. */
  readonly profile: PermissionProfile | undefined;
  readonly isLearning: boolean;
  readonly learned: readonly LearnedTarget[];
  /** What would have allowed that, and nothing else. */
  readonly smallest: PermissionProfile;
}

export interface NetworkChange {
  readonly profile: PermissionProfile;
  /** Whether the change restarted its server. */
  readonly isRestarted: boolean;
}

/** Characters of a host that are repeated in a message. */
const SHOWN_LENGTH = 100;
const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/i;

export function describeNetwork(config: RunConfig, learned: readonly LearnedTarget[]): NetworkState {
  const { permission_profile: profile, learn_network: isLearning = false } = config;
  return {
    access: resolveNetworkAccess(config),
    reach: describeReach(config),
    profile,
    isLearning,
    learned,
    smallest: buildSmallestProfile(profile, learned),
  };
}

/** @returns `undefined` when it is allowed already. @throws {ThvError} `INVALID_ARGUMENT`. */
export function allowInConfig(config: RunConfig, target: NetworkTarget): NetworkMembers | undefined {
  assertTarget(target);
  const { name, permission_profile: profile = {}, learn_network } = config;
  if (resolveNetworkAccess(config) === "open") {
    throw new ThvError("INVALID_ARGUMENT", `"${name}" reaches every host: nothing filters its network`, {
      hint: `Let only the hosts of its profile through: thv edit ${name} --isolate-network`,
    });
  }
  const before = readOutbound(config.permission_profile);
  const after = addTarget(before, target);
  const isSame = after.hosts === before.hosts && after.ports === before.ports;
  // While it learns, or where everything is allowed, only an address of this machine needs an entry.
  if (isSame || (before.allowAll && isIP(target.host) === 0)) return undefined;
  return {
    permission_profile: withOutbound(profile, after),
    isolate_network: true,
    ...(learn_network && { learn_network }),
  };
}

/** @throws {ThvError} `INVALID_ARGUMENT` when nothing was learned. */
export function enforceLearned(config: RunConfig, learned: readonly LearnedTarget[]): NetworkMembers {
  if (!config.learn_network) {
    throw new ThvError("INVALID_ARGUMENT", `The network rules of "${config.name}" are not being learned`, {
      hint: `Learn them while it is used: thv edit ${config.name} --learn`,
    });
  }
  return { permission_profile: buildSmallestProfile(config.permission_profile, learned), isolate_network: true };
}

function assertTarget({ host, port }: NetworkTarget): void {
  const isHost = host.length <= 253 && (isIP(host) === 4 || isName(host));
  if (!isHost) {
    throw new ThvError("INVALID_ARGUMENT", `${quote(host, SHOWN_LENGTH)} is no host name and no IPv4 address`, {
      hint: "Give a name such as api.github.com, .github.com with everything below it, or an address such as 192.0.2.7.",
    });
  }
  if (port !== undefined && !(Number.isInteger(port) && port >= 1 && port <= 65_535))
    throw new ThvError("INVALID_ARGUMENT", `port ${port} is not between 1 and 65535`);
}

/** Also with `.` or `*.` in front. What has digits only would be an address, and is none. */
function isName(host: string): boolean {
  const labels = host
    .replace(/^\*?\./, "")
    .replace(/\.$/, "")
    .split(".");
  return labels.every((label) => LABEL.test(label)) && !labels.every((label) => /^\d+$/.test(label));
}
