/** How a server would be run, fact by fact: the one list that `thv run --dry-run`, `thv status`, the question of `thv up` and the application show. */
import { describeMount } from "./mount-text.ts";

interface ShownMount {
  readonly source: string;
  readonly target: string;
  readonly read_only: boolean;
  readonly real_source?: string | undefined;
}

/** A plan, as far as it is shown. */
interface ShownPlan {
  readonly image: string;
  readonly image_from: string;
  readonly package?: string | undefined;
  readonly registry_source?: string | undefined;
  readonly build?: string | undefined;
  readonly arguments: readonly string[];
  readonly transport: string;
  readonly url: string;
  readonly port_chosen: boolean;
  readonly variables: readonly string[];
  readonly secrets: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
  readonly mounts: readonly ShownMount[];
  readonly user?: { readonly groups: readonly string[]; readonly description: string } | undefined;
  readonly network: { readonly reach: string };
  readonly limits: { readonly memory_bytes: number; readonly cpus: number; readonly pids: number };
  readonly files?: readonly string[] | undefined;
  readonly receivers?: readonly string[] | undefined;
  readonly switched_off: readonly string[];
  readonly read_only: boolean;
  readonly tokens_from?: string | undefined;
}

const MIB = 1024 * 1024;

/**
 * The order in which they are shown. `secret`: a stored one is given away. `file`: one of this machine is read or written. `sends`:
 * somebody gets something. `off`: a protection is given up.
 */
export const PLAN_FACTS = [
  "image",
  "package",
  "address",
  "registry",
  "arguments",
  "transport",
  "url",
  "variables",
  "secret",
  "labels",
  "folder",
  "user",
  "network",
  "limits",
  "file",
  "sends",
  "off",
  "read_only",
  "token",
] as const;

export type PlanFactKind = (typeof PLAN_FACTS)[number];

export interface PlanFact {
  readonly kind: PlanFactKind;
  /** Empty for a server without folders, which is worth saying. */
  readonly values: readonly string[];
}

/** What says something of a container. */
const OF_CONTAINERS: ReadonlySet<PlanFactKind> = new Set(["folder", "user", "network", "limits", "read_only"]);

/** Values of variables and secrets are not in it. */
export function listPlanFacts(plan: ShownPlan): PlanFact[] {
  const values = describePlan(plan);
  const isRemote = plan.image_from === "remote";
  return PLAN_FACTS.map((kind) => ({ kind, values: values[kind] })).filter(
    ({ kind, values: each }) => (each.length > 0 || kind === "folder") && !(isRemote && OF_CONTAINERS.has(kind)),
  );
}

function describePlan(plan: ShownPlan): Readonly<Record<PlanFactKind, readonly string[]>> {
  const { package: target, build, arguments: args, registry_source: source, user } = plan;
  const isRemote = plan.image_from === "remote";
  const what = build === undefined ? (target ?? plan.image) : `${target ?? plan.image} ${build}`;
  return {
    image: target === undefined && !isRemote ? [what] : [],
    package: target === undefined ? [] : [what],
    address: isRemote ? [what] : [],
    registry: source === undefined ? [] : [`the entry of the source ${source}`],
    arguments: args.length === 0 ? [] : [args.join(" ")],
    transport: [plan.transport],
    url: [plan.port_chosen ? plan.url : plan.url.replace(":0/", ":PORT/")],
    variables: plan.variables,
    secret: plan.secrets.map((reference) => reference.replace(",target=", " as ")),
    labels: Object.entries(plan.labels).map((label) => label.join("=")),
    folder: plan.mounts.map(describeMount),
    user: user === undefined ? [] : [describeUser(user)],
    network: [plan.network.reach],
    limits: describeLimits(plan.limits),
    file: plan.files ?? [],
    sends: plan.receivers ?? [],
    off: plan.switched_off,
    read_only: [plan.read_only ? "yes, but for /tmp" : "no"],
    token: [plan.tokens_from === undefined ? "callers need none" : `callers need one from ${plan.tokens_from}`],
  };
}

function describeUser({ description, groups }: NonNullable<ShownPlan["user"]>): string {
  return groups.length === 0 ? description : `${description}, with your groups ${groups.join(", ")}`;
}

function describeLimits({ memory_bytes: memoryBytes, cpus, pids }: ShownPlan["limits"]): string[] {
  return [
    memoryBytes === 0 ? "any memory" : `${Math.round(memoryBytes / MIB)} MiB of memory`,
    cpus === 0 ? "any CPUs" : `${cpus} CPUs`,
    pids === 0 ? "any number of processes" : `${pids} processes`,
  ];
}

/** In the order in which a person is asked about them. */
const ASKED = [
  "image",
  "package",
  "address",
  "registry",
  "arguments",
  "variables",
  "secret",
  "folder",
  "file",
  "sends",
  "network",
  "user",
  "off",
] as const satisfies readonly PlanFactKind[];

/** Said in one line, however many values there are. */
const JOINED: ReadonlySet<PlanFactKind> = new Set(["variables"]);

/** `client`, `tools`: of a group. */
export type GrantKind = (typeof ASKED)[number] | "client" | "tools";

/** Access to one thing of this machine that a server would get, as a line for the user who is asked about it. */
export interface Grant {
  readonly kind: GrantKind;
  readonly text: string;
}

/** What a container without any settings does not get. */
const BEYOND_DEFAULT: ReadonlySet<GrantKind> = new Set(["secret", "folder", "file", "off"]);

/** What a request brings with it. Values of variables and secrets are not in it. */
export function listGrants(plan: ShownPlan): Grant[] {
  // The user's groups are of this machine, and not asked for.
  const asked = { ...plan, ...(plan.user && { user: { ...plan.user, groups: [] } }) };
  const facts = new Map(listPlanFacts(asked).map(({ kind, values }) => [kind, values]));
  return ASKED.flatMap((kind) => {
    const values = facts.get(kind) ?? [];
    if (values.length === 0) return [];
    return (JOINED.has(kind) ? [values.join(", ")] : values).map((text) => ({ kind, text }));
  });
}

/** Those that no container has by default: stored secrets, folders, and protection that is given up. */
export function listFurtherGrants(plan: ShownPlan): Grant[] {
  return listGrants(plan).filter(({ kind }) => BEYOND_DEFAULT.has(kind));
}
