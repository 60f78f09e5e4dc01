/** What a request brings with it: everything that its server would get of this machine, in lines for whoever is asked about it. */
import type { RunPlan } from "./run-plan.ts";

/** `secret`: a stored one is given away. `off`: a protection is given up. */
const GRANT_KINDS = [
  ...(["image", "package", "address", "arguments", "variables"] as const),
  ...(["secret", "folder", "network", "user", "off"] as const),
] as const;
export type GrantKind = (typeof GRANT_KINDS)[number];

export interface Grant {
  readonly kind: GrantKind;
  readonly text: string;
}

/** What a container without any settings does not get. */
const BEYOND_DEFAULT: ReadonlySet<GrantKind> = new Set(["secret", "folder", "off"]);

/** Values of variables and secrets are not in them. */
export function listGrants(plan: RunPlan): Grant[] {
  const { image, package: target, arguments: args, variables, secrets, mounts, user, switched_off: off } = plan;
  const isRemote = plan.image_from === "remote";
  const line = (kind: GrantKind, text: string): Grant => ({ kind, text });
  return [
    line(isRemote ? "address" : target === undefined ? "image" : "package", target ?? image),
    args.length > 0 ? line("arguments", args.join(" ")) : [],
    variables.length > 0 ? line("variables", variables.join(", ")) : [],
    secrets.map((reference) => line("secret", reference.replace(",target=", " as "))),
    mounts.map((mount) => line("folder", describeMount(mount))),
    isRemote ? [] : line("network", describeReach(plan.network)),
    user === undefined ? [] : line("user", user.description),
    off.map((what) => line("off", what)),
  ].flat();
}

/** Those that no container has by default: stored secrets, folders, and protection that is given up. */
export function listFurtherGrants(plan: RunPlan): Grant[] {
  return listGrants(plan).filter(({ kind }) => BEYOND_DEFAULT.has(kind));
}

function describeMount({ source, target, read_only: isReadOnly, real_source: real }: RunPlan["mounts"][number]): string {
  const from = real === undefined ? source : `${source}, a link to ${real},`;
  return `${from} at ${target} (${isReadOnly ? "read" : "write"})`;
}

function describeReach({ access, outbound: { allow_all: allowsAll, hosts, ports } }: RunPlan["network"]): string {
  if (access === "open") return "any host, not isolated";
  if (access === "none") return "none";
  const names = allowsAll || (hosts.length === 0 && ports.length > 0) ? "any host" : hosts.join(", ");
  if (names === "") return "none";
  return `isolated, reaches ${[names, ...(ports.length > 0 ? [`ports ${ports.join(", ")}`] : [])].join(", ")}`;
}
